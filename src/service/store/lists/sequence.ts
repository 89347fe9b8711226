// Reads the two sequences: messages by arrival, and events by arrival.
import { singleFlight } from '../../../concurrency/single-flight.ts';
import { MAX_RESPONSE_BYTES } from '../../../contract/scalars.ts';
import type { Archive } from '../archive.ts';
import { isCountKept } from '../meta-table/count-pause.ts';
import type { Database, Reads, Statements } from '../sql/database.ts';
import { EVENTS, type EventRow } from '../../records/event.ts';
import type { MessageRow } from '../../records/message.ts';
import type { UNSETTLED_EFFECTS } from '../../../contract/event-types.ts';
import { eventsByEffect } from '../events/by-effect.ts';
import { selectIn } from '../sql/bulk-statements.ts';
import { readRows } from '../sql/json-rows.ts';
import { readSpan, type Span, type Window } from '../sql/keyset.ts';

/** The position of a message, and what decides how it is shown. */
export type MessagePositionRow = Pick<MessageRow, 'n' | 'sequence' | 'source' | 'failed' | 'tier'>;

/** Returns a window of the positions of messages. */
export function readMessagePositions(statements: Statements, span: Span) {
  const select = `SELECT ${POSITION.join(', ')} FROM messages`;
  return readSpan<MessagePositionRow>(statements, { select, columns: POSITION, key: ['n'], where: [] }, span);
}

const POSITION = ['n', 'sequence', 'source', 'failed', 'tier'] as const;

/** Bytes of the payloads of one page: half of what a client reads, since each may have 1 MiB. */
const MAX_PAYLOAD_BYTES = MAX_RESPONSE_BYTES / 2;

/**
 * Returns a window of events, all or those with one effect. Each of these effects has a partial index. The window ends early, with
 * `has_more`, before the event that would bring its payloads above {@link MAX_PAYLOAD_BYTES}; it has one event at least.
 */
export async function readEvents(
  statements: Statements,
  span: Span,
  effect?: (typeof UNSETTLED_EFFECTS)[number],
): Promise<Window<EventRow>> {
  const from = effect === undefined ? 'events' : eventsByEffect(effect, statements.engine);
  const select = `SELECT n, OCTET_LENGTH(payload) AS bytes FROM ${from}`;
  // As text, never user input: with a parameter the engine could not use the partial index.
  const where = effect === undefined ? [] : [{ sql: `effect = '${effect}'`, values: [] }];
  const columns = ['n', 'bytes'] as const;
  const sizes = await readSpan<{ n: number; bytes: number }>(
    statements,
    { select, columns, key: ['n'], where },
    span,
  );
  const inOrder = span.direction === 'backward' ? sizes.rows.toReversed() : sizes.rows;
  let bytes = 0;
  const cut = inOrder.findIndex((row, at) => (bytes += row.bytes) > MAX_PAYLOAD_BYTES && at > 0);
  const shown = cut < 0 ? inOrder : inOrder.slice(0, cut);
  // By their numbers: the effect of an event may have changed since.
  const numbers = shown.map(({ n }) => n);
  const selected = `SELECT ${EVENTS.select} FROM events WHERE n IN`;
  const rows =
    statements.engine === 'sqlite'
      ? await readRows<EventRow>(statements, EVENT_COLUMNS, `${selected} (SELECT value FROM json_each($1))`, [
          JSON.stringify(numbers),
        ])
      : await selectIn<EventRow>(statements, `${selected} ?`, numbers);
  return { rows: rows.toSorted((a, b) => a.n - b.n), has_more: sizes.has_more || cut >= 0 };
}

const EVENT_COLUMNS = EVENTS.select.split(', ') as (keyof EventRow)[];

/** Returns the number of the event with this id. */
export async function eventNumber(statements: Statements, id: string): Promise<number | undefined> {
  return (await statements.get<{ n: number }>('SELECT n FROM events WHERE id = $1', [id]))?.n;
}

/** Returns the number of events. */
export function countEvents(statements: Statements): Promise<number> {
  return countOf(statements, 'SELECT COALESCE(MAX(n), 0) AS rows FROM events');
}

/** What is known of the displaced events of a database, and how they are counted again. */
type Displaced = { last: { rows: number; countedMs: number } | undefined; countAgain: () => Promise<number> };
const DISPLACED = new WeakMap<Database, Displaced>();

/**
 * Returns the number of events that took effect in another order than they arrived. Exact where they are few; of many it may be some
 * seconds old. One event that waits displaces all that come after it.
 */
export async function countDisplacedEvents({
  database,
  now,
}: Pick<Archive, 'database' | 'now'>): Promise<number> {
  let known = DISPLACED.get(database);
  if (known === undefined) {
    const made: Displaced = {
      last: undefined,
      countAgain: singleFlight(async () => {
        const countedMs = now();
        const rows = await countOf(
          database.longReads,
          'SELECT COUNT(*) AS rows FROM events WHERE applied <> n',
        );
        made.last = { rows, countedMs };
        return rows;
      }),
    };
    DISPLACED.set(database, (known = made));
  }
  const { last, countAgain } = known;
  return last !== undefined && isCountKept(last.rows, last.countedMs, now()) ? last.rows : countAgain();
}

async function countOf(reads: Reads, sql: string): Promise<number> {
  return (await reads.get<{ rows: number }>(sql))?.rows ?? 0;
}
