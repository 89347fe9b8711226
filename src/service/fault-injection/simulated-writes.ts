// Writes while a list is read, laid over the archive, which is not changed: who comes and goes, and lists without them.
import { idOf } from '../rules/identifier.ts';
import type { Counter } from '../rules/counter.ts';
import {
  createOverlay,
  type Hides,
  type Overlay,
  type WriteKind,
  type WriteOptions,
} from './write-overlay.ts';
import type { Statements } from '../store/sql/database.ts';
import { conversationNumbers } from '../store/lists/messages.ts';
import { planWrites } from './write-schedule.ts';
import type { Source } from '../handlers/list.ts';

/** `read` is the number of the read of the conversation list before whose answer it was written, `after` its neighbour. */
export type WriteEntry = { type: 'write'; read: number; kind: WriteKind; id: string; after: string | null };

export type OverlaidWrites = {
  /** What is not there now; `reading` counts a read of the conversation list first, with the writes that are due. */
  hides(reading: boolean): Promise<Hides>;
};

/** `log` is awaited before the write shows; `reads` counts the reads of the conversation list. */
export function createWrites(
  database: Statements,
  options: WriteOptions,
  log: ((entry: WriteEntry) => Promise<void>) | undefined,
  reads: Counter,
): OverlaidWrites {
  let planned: Promise<Overlay> | undefined;
  const overlay = () =>
    (planned ??= planWrites(database, options).then(
      (plan) => createOverlay(options.writes, plan),
      (error: unknown) => {
        planned = undefined;
        throw error;
      },
    ));
  return {
    async hides(reading) {
      const { writtenAt, hidesAfter } = await overlay();
      if (!reading) return hidesAfter(await reads.now());
      const read = await reads.next();
      const now = hidesAfter(read);
      for (const { kind, n } of writtenAt(read)) {
        const after = log && (await neighbourOf(database, n, now));
        await log?.({ type: 'write', read, kind, id: idOf('conv', n), after: after ?? null });
      }
      return now;
    },
  };
}

/** The conversation that is there directly before this number. */
async function neighbourOf(database: Statements, n: number, hides: Hides): Promise<string | undefined> {
  for (let before = n; ;) {
    const numbers = await conversationNumbers(database, {
      after: null,
      before: [before],
      limit: STRIDE,
      direction: 'backward',
    });
    const there = numbers.findLast((number) => !hides(idOf('conv', number)));
    if (there !== undefined) return idOf('conv', there);
    if (numbers[0] === undefined) return undefined;
    before = numbers[0];
  }
}

/** Fewest rows read at once behind hidden ones. */
const STRIDE = 128;

/** The list without its hidden rows: their cursors are unknown, pages are filled with those behind them. */
export function visible<R extends { id: string }>(source: Source<R>, hides: Hides | undefined): Source<R> {
  if (hides === undefined) return source;
  return {
    keyOf: async (id) => (hides(id) ? undefined : source.keyOf(id)),
    async read(span) {
      const backward = span.direction === 'backward';
      const rows: R[] = [];
      // One row more than asked for tells whether there is more.
      const wanted = span.limit + 1;
      for (let rest = { ...span, limit: wanted }; ;) {
        const page = await source.read(rest);
        const seen = page.rows.filter(({ id }) => !hides(id));
        if (backward) rows.unshift(...seen);
        else rows.push(...seen);
        const edge = backward ? page.rows[0] : page.rows.at(-1);
        if (rows.length >= wanted || !page.has_more || edge === undefined) break;
        const key = (await source.keyOf(edge.id)) as readonly number[];
        rest = {
          ...span,
          [backward ? 'before' : 'after']: key,
          limit: Math.max(wanted - rows.length, STRIDE),
        };
      }
      return {
        rows: backward ? rows.slice(-span.limit) : rows.slice(0, span.limit),
        has_more: rows.length > span.limit,
      };
    },
  };
}
