// What the engine left open in the records of a page, filled in; and records of events.
import type { Envelope } from '../../contract/event.ts';
import type { Effect } from '../rules/ingest.ts';
import { integrityOf, share, type Kind } from '../rules/integrity.ts';
import type { EventRow } from '../store/lists/sequence.ts';
import type { Texts } from '../store/sql/keyset.ts';
import { HOLE, type Hole } from '../records/wire.ts';

/** The address of a file for the reader, as JSON text. */
export type Addresses = (n: number, sha256: string) => string;

const NOWHERE: Addresses = () => 'null';

/** Rows as JSON text in pieces to be joined, whether any is withheld, and their mean integrity. */
export type Text = { pieces: string[]; withheld: boolean; integrity: number };

/** Fills the holes in rows of one kind; see wire.ts. */
export function fill(
  kind: Kind,
  { text, count }: Pick<Texts, 'text' | 'count'>,
  addresses: Addresses = NOWHERE,
): Text {
  const pieces = text.split(HOLE);
  let withheld = false;
  let lost = 0;
  for (let at = 1; at < pieces.length; at += 2) {
    const hole = pieces[at]!;
    const value = hole.slice(1);
    pieces[at] = '';
    switch (hole[0] as Hole) {
      case 'u': {
        const bar = value.indexOf('|');
        pieces[at] = addresses(Number(value.slice(0, bar)), value.slice(bar + 1));
        break;
      }
      case 'd':
        pieces[at] = quoted(instantOf(Number(value)));
        break;
      case 'i': {
        const own = integrityOf(kind, Number(value));
        lost += 1 - own;
        pieces[at] = String(own);
        break;
      }
      case 'w':
        withheld = true;
    }
  }
  return { pieces, withheld, integrity: share(count - lost, count) };
}

function quoted(instant: string | null): string {
  return instant === null ? 'null' : `"${instant}"`;
}

/** One event as kept, with what became of it. */
export function eventRecord(row: EventRow): Envelope {
  return {
    id: row.id,
    type: row.type,
    status: eventStatusOf(row.effect),
    payload: JSON.parse(row.payload) as Record<string, unknown>,
    sequence: row.n,
    received_at: new Date(row.received_ms).toISOString(),
    effect: row.effect,
    deliveries: row.deliveries,
    ...(row.failures === 0 ? {} : { failures: row.failures }),
    ...(row.error === null ? {} : { error: row.error }),
  };
}

/** `partial` while its effect is still to come, or never came; `stable` from then on. */
export function eventStatusOf(effect: Effect): 'stable' | 'partial' {
  return ['queued', 'waiting', 'dead'].includes(effect) ? 'partial' : 'stable';
}

/** ISO 8601 in UTC with milliseconds; null where there is no time or none that a calendar has. */
export function instantOf(ms: number | null): string | null {
  if (ms === null || Math.abs(ms) > 8.64e15) return null;
  const day = Math.floor(ms / DAY_MS);
  if (day !== lastDay.day) lastDay = { day, text: new Date(day * DAY_MS).toISOString().slice(0, -13) };
  const time = ms - day * DAY_MS;
  const [hour, minute] = [Math.floor(time / 3_600_000), Math.floor(time / 60_000) % 60];
  const [second, milli] = [Math.floor(time / 1000) % 60, time % 1000];
  const end = milli < 10 ? `00${milli}` : milli < 100 ? `0${milli}` : milli;
  return `${lastDay.text}${TWO[hour]}:${TWO[minute]}:${TWO[second]}.${end}Z`;
}

const DAY_MS = 86_400_000;
const TWO = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));

/** The calendar is asked once for the times of a day: rows that follow each other mostly share theirs. */
let lastDay = { day: Number.NaN, text: '' };
