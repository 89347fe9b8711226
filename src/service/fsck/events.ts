// Events against their own hashes, and against the records they name: what each has become, and what it wrote there.
import { PAYLOADS } from '../../contract/event.ts';
import type { Archive } from '../store/archive.ts';
import { idOf, numberOf } from '../rules/identifier.ts';
import { bodyHash, type Effect } from '../rules/ingest.ts';
import type { Statements } from '../store/sql/database.ts';
import { WRITTEN_FIELDS, recordsOf, verdictOn, type NumberedEvent } from '../store/events/effects.ts';
import { MAX_JOINT_PAYLOAD_CHARS } from '../store/events/queue.ts';
import type { Ledger } from './findings.ts';

const ROWS_AT_ONCE = 500;

/** Longer payloads are read one at a time. */
const SHORT = `CASE WHEN LENGTH(payload) <= ${MAX_JOINT_PAYLOAD_CHARS} THEN payload END`;

type Stretch = { after: number; to: number };
type EventRow = {
  n: number;
  id: string;
  type: string;
  body_sha256: string;
  effect: Effect;
  message: number | null;
  attachment: number | null;
  payload: string | null;
};

/** Looks at the events from `after` on, up to `to`: whether each is the one that was sent, and what its record says it is. */
export async function checkEvents(
  { database }: Archive,
  { after, to }: Stretch,
  ledger: Ledger,
): Promise<void> {
  for (let from = after; from < to; from += ROWS_AT_ONCE) {
    const rows = await database.all<EventRow>(
      `SELECT n, id, type, body_sha256, effect, message, attachment, ${SHORT} AS payload
        FROM events WHERE n > $1 AND n <= $2 ORDER BY n`,
      [from, Math.min(from + ROWS_AT_ONCE, to)],
    );
    const events: NumberedEvent[] = [];
    for (const row of rows) {
      const event = sentAs(row, row.payload ?? (await payloadOf(database, row.id)));
      if (event === undefined) ledger.found('events', 'body is not the one that was sent', row.id);
      else events.push(event);
    }
    const verdicts = await verdictsNow(database, events);
    for (const { n, id, effect, message, attachment } of rows) {
      if (effect === 'queued' || effect === 'dead' || !verdicts.has(n)) continue;
      const now = verdicts.get(n);
      const isSame = now?.effect === effect && now.message === message && now.attachment === attachment;
      if (isSame) continue;
      // Records were read after events: what was applied in between has another effect by now, and never this one again.
      const still = await database.get('SELECT n FROM events WHERE n = $1 AND effect = $2', [n, effect]);
      if (still !== undefined) ledger.found('events', 'effect is not what its record says', id);
    }
  }
}

/** The event, if these are the bytes that were taken in. */
function sentAs({ n, id, type, body_sha256 }: EventRow, payloadText: string): NumberedEvent | undefined {
  const schema = PAYLOADS[type as keyof typeof PAYLOADS] as
    (typeof PAYLOADS)[keyof typeof PAYLOADS] | undefined;
  if (schema === undefined || bodyHash(type, payloadText) !== body_sha256) return undefined;
  const payload = parsed(payloadText);
  return schema.safeParse(payload).success ? ({ n, id, type, payload } as NumberedEvent) : undefined;
}

/** What each event has become, told by its record; undefined where it should have changed that, and has not. */
async function verdictsNow(statements: Statements, events: readonly NumberedEvent[]) {
  const { messages, attachments } = await recordsOf(statements, events);
  return new Map(
    events.map((event) => {
      const { id, type, payload } = event;
      const message =
        type === 'message.reordered' ? messages.get(numberOf('msg', payload.id) ?? 0) : undefined;
      const attachment =
        type === 'attachment.reclassified' ? attachments.get(numberOf('att', payload.id) ?? 0) : undefined;
      const isWriter =
        message?.moved_by === id ||
        WRITTEN_FIELDS.some(({ field, writer }) => attachment?.[writer] === id && field in payload);
      // Copies: what is found of one event must not tell of another.
      const records = {
        messages: new Map(message === undefined ? [] : [[message.n, { ...message }]]),
        attachments: new Map(attachment === undefined ? [] : [[attachment.n, { ...attachment }]]),
      };
      const verdict = verdictOn(event, records, () => {});
      if (verdict.effect === 'applied') return [event.n, undefined];
      if (verdict.effect === 'superseded' && isWriter) verdict.effect = 'applied';
      return [event.n, verdict];
    }),
  );
}

type Written = { n: number; value: number | string; writer: string; payload: string | null };

/** What events write, each with who wrote it last. */
export const WRITTEN = [
  { check: 'messages', kind: 'msg', field: 'sequence', writer: 'moved_by' },
  ...WRITTEN_FIELDS.map((names) => ({ check: 'attachments', kind: 'att', ...names }) as const),
] as const;

/** Looks at the records from `after` on, up to `to`, that an event changed: whether they hold what it says. */
export async function checkWritten(
  { database }: Archive,
  { check, kind, field, writer }: (typeof WRITTEN)[number],
  { after, to }: Stretch,
  ledger: Ledger,
): Promise<void> {
  for (let from: number | undefined = after; from !== undefined;) {
    const rows: Written[] = await database.all<Written>(
      `SELECT r.n, r.${field} AS value, r.${writer} AS writer,
          (SELECT ${SHORT} FROM events e WHERE e.id = r.${writer}) AS payload
        FROM ${check} r WHERE r.n > $1 AND r.n <= $2 AND r.${writer} IS NOT NULL
        ORDER BY r.n LIMIT ${ROWS_AT_ONCE}`,
      [from, to],
    );
    for (const row of rows) {
      // An event that is missing is found elsewhere.
      const text = row.payload ?? (await payloadOf(database, row.writer));
      if (text === '') continue;
      const payload = parsed(text);
      const said = payload[field];
      const value = typeof said === 'boolean' ? Number(said) : said;
      if (payload['id'] !== idOf(kind, row.n) || value !== row.value)
        ledger.found(check, 'not what the event says that changed it last', idOf(kind, row.n));
    }
    from = rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1)!.n;
  }
}

async function payloadOf(statements: Statements, id: string): Promise<string> {
  const row = await statements.get<{ payload: string }>('SELECT payload FROM events WHERE id = $1', [id]);
  return row?.payload ?? '';
}

/** The fields of a payload; of a text that is none, none. */
function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
