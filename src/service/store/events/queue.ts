// The queue of events: taken from in order, applied once each, tried again later where that failed, dead after many tries.
import type { Archive } from '../archive.ts';
import { afterFailure, type KnownEvent } from '../../rules/ingest.ts';
import type { Statements } from '../sql/database.ts';
import { applyEvents, type NumberedEvent } from './effects.ts';
import { selectIn } from '../sql/bulk-statements.ts';
import { errorName, isStoreUnavailable } from '../sql/database-error.ts';

/** Numbers looked at in one transaction. */
const MOST_AT_ONCE = 500;
/** Payloads longer than this are read one at a time. */
export const MAX_JOINT_PAYLOAD_CHARS = 16_384;

type Applied = 'some' | 'all' | 'none';

/**
 * Applies some of the events that are due, in one transaction: `some` where there may be more, `all` where there were
 * not, `none` where nothing was due, `busy` where another writer is at it and the turn is `now`. An event that cannot be
 * applied holds up no other: it is noted, and tried again later. Throws what says that the archive cannot serve now.
 */
export async function applyDue(archive: Archive, turn: 'now' | 'in turn'): Promise<Applied | 'busy'> {
  const { database } = archive;
  // Most looks find nothing, and need not be the writer's.
  const oldest = await oldestDue(database, archive.now());
  if (oldest === undefined) return 'none';
  let tried: number[] = [];
  const work = async (statements: Statements): Promise<Applied> => {
    const due = await dueFrom(statements, oldest, archive.now());
    const first = due.filter(({ failures }) => failures === 0);
    // What failed before is tried alone, so that its failing again costs nobody else.
    const some = first.length > 0 ? first : due.slice(0, 1);
    tried = some.map(({ n }) => n);
    await applyRows(statements, some);
    const isFull = due.at(-1)?.n === oldest + MOST_AT_ONCE - 1;
    return isFull || some.length < due.length ? 'some' : 'all';
  };
  try {
    const done = await (turn === 'now' ? database.tryTransaction(work) : database.transaction(work));
    return done ?? 'busy';
  } catch (error) {
    if (isStoreUnavailable(error) || tried.length === 0) throw error;
    await isolate(archive, tried, error);
    return 'some';
  }
}

/** Halves what failed together until the one is alone that fails. */
async function isolate(archive: Archive, numbers: readonly number[], error: unknown): Promise<void> {
  if (numbers.length === 1) return noteFailure(archive, numbers[0]!, error);
  const middle = numbers.length >> 1;
  for (const half of [numbers.slice(0, middle), numbers.slice(middle)]) {
    try {
      await archive.database.transaction((statements) => applyNumbers(statements, half));
    } catch (failed) {
      if (isStoreUnavailable(failed)) throw failed;
      await isolate(archive, half, failed);
    }
  }
}

async function noteFailure(archive: Archive, n: number, error: unknown): Promise<void> {
  await archive.database.transaction(async (statements) => {
    const row = await statements.get<{ failures: number }>(
      `SELECT failures FROM events WHERE n = $1 AND effect = 'queued'`,
      [n],
    );
    if (row === undefined) return;
    const failures = row.failures + 1;
    const { effect, due_ms } = afterFailure(failures, archive.now());
    await statements.run(
      'UPDATE events SET failures = $1, effect = $2, due_ms = $3, error = $4 WHERE n = $5',
      [failures, effect, due_ms, errorName(error), n],
    );
  });
}

type QueuedRow = {
  n: number;
  id: string;
  type: KnownEvent['type'];
  failures: number;
  payload: string | null;
};

const QUEUED = `SELECT n, id, type, failures, CASE WHEN LENGTH(payload) <= ${MAX_JOINT_PAYLOAD_CHARS} THEN payload END AS payload
  FROM events WHERE effect = 'queued'`;

async function oldestDue(statements: Statements, now: number): Promise<number | undefined> {
  const oldest = await statements.get<{ n: number }>(
    `SELECT n FROM events WHERE effect = 'queued' AND due_ms <= $1 ORDER BY n LIMIT 1`,
    [now],
  );
  return oldest?.n;
}

/** By a range of numbers: with a limit alone PostgreSQL, whose statistics know of no queue yet, reads and sorts all of a long one. */
function dueFrom(statements: Statements, n: number, now: number): Promise<QueuedRow[]> {
  return statements.all(`${QUEUED} AND n >= $1 AND n < $2 AND due_ms <= $3 ORDER BY n`, [
    n,
    n + MOST_AT_ONCE,
    now,
  ]);
}

/** Applies those of them that are still queued: another process may have been here since. */
async function applyNumbers(statements: Statements, numbers: readonly number[]): Promise<void> {
  const rows = await selectIn<QueuedRow>(statements, `${QUEUED} AND n IN ?`, new Set(numbers));
  await applyRows(
    statements,
    rows.sort((a, b) => a.n - b.n),
  );
}

/** Applies queued events in their order. */
async function applyRows(statements: Statements, rows: readonly QueuedRow[]): Promise<void> {
  const events: NumberedEvent[] = [];
  for (const { n, id, type, payload } of rows) {
    const text = payload ?? (await payloadOf(statements, n));
    events.push({
      n,
      id,
      type,
      payload: essence(JSON.parse(text) as KnownEvent['payload']),
    } as NumberedEvent);
  }
  if (events.length > 0) await applyEvents(statements, events);
}

async function payloadOf(statements: Statements, n: number): Promise<string> {
  return (await statements.get<{ payload: string }>('SELECT payload FROM events WHERE n = $1', [n]))!.payload;
}

/** What an effect can come from; the rest of a payload is only kept. */
function essence(payload: Record<string, unknown>): Record<string, unknown> {
  const { id, entry, sequence, source, decorative_layer } = payload;
  return { id, entry, sequence, source, decorative_layer };
}
