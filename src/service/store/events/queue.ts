// The queue of events: applies each once and in order, retries failed ones later, and gives up after many attempts.
import type { Archive } from '../archive.ts';
import { afterFailure, type KnownEvent } from '../../rules/ingest.ts';
import type { Statements } from '../sql/database.ts';
import { applyEvents, type NumberedEvent } from './effects.ts';
import { selectIn } from '../sql/bulk-statements.ts';
import { errorName, isStoreUnavailable } from '../sql/database-error.ts';
import { eventsByEffect } from './by-effect.ts';

/** Numbers that one transaction covers. */
const MAX_NUMBERS = 500;
/** Payloads up to this length are read together, longer ones one at a time. */
export const MAX_JOINT_PAYLOAD_CHARS = 16_384;

type Applied = 'some' | 'all' | 'none';

/**
 * Applies events that are due, in one transaction. Resolves to `some` when there may be more, `all` when there are not,
 * `none` when nothing was due, `busy` when another writer is active and `turn` is `now`. An event that cannot be applied
 * does not delay the others: its failure is noted, and it is retried later. Throws errors that mean that the archive is
 * unavailable.
 */
export async function applyDue(archive: Archive, turn: 'now' | 'in turn'): Promise<Applied | 'busy'> {
  const { database } = archive;
  // Mostly nothing is due, and finding that out needs no lock.
  const oldest = await oldestDue(database, archive.now());
  if (oldest === undefined) return 'none';
  let tried: number[] = [];
  const work = async (statements: Statements): Promise<Applied> => {
    const due = await dueFrom(statements, oldest, archive.now());
    const first = due.filter(({ failures }) => failures === 0);
    // An event that failed before is applied alone, so that it cannot fail others again.
    const some = first.length > 0 ? first : due.slice(0, 1);
    tried = some.map(({ n }) => n);
    await applyRows(statements, some);
    const isFull = due.at(-1)?.n === oldest + MAX_NUMBERS - 1;
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

/** Halves a group of events that failed together until the failing one is alone. */
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

const queued = (engine: Statements['engine']): string =>
  `SELECT n, id, type, failures, CASE WHEN LENGTH(payload) <= ${MAX_JOINT_PAYLOAD_CHARS} THEN payload END AS payload
  FROM ${eventsByEffect('queued', engine)} WHERE effect = 'queued'`;

async function oldestDue(statements: Statements, now: number): Promise<number | undefined> {
  const oldest = await statements.get<{ n: number }>(
    `SELECT n FROM ${eventsByEffect('queued', statements.engine)} WHERE effect = 'queued' AND due_ms <= $1 ORDER BY n LIMIT 1`,
    [now],
  );
  return oldest?.n;
}

/**
 * Selects by a range of numbers. With only a LIMIT, PostgreSQL would read and sort a whole long queue, because its
 * statistics do not know the queue yet.
 */
function dueFrom(statements: Statements, n: number, now: number): Promise<QueuedRow[]> {
  return statements.all(`${queued(statements.engine)} AND n >= $1 AND n < $2 AND due_ms <= $3 ORDER BY n`, [
    n,
    n + MAX_NUMBERS,
    now,
  ]);
}

/** Applies those events that are still queued. Another process may have applied some meanwhile. */
async function applyNumbers(statements: Statements, numbers: readonly number[]): Promise<void> {
  const rows = await selectIn<QueuedRow>(
    statements,
    `${queued(statements.engine)} AND n IN ?`,
    new Set(numbers),
  );
  await applyRows(
    statements,
    rows.sort((a, b) => a.n - b.n),
  );
}

/** Applies queued events in the order given. */
async function applyRows(statements: Statements, rows: readonly QueuedRow[]): Promise<void> {
  const events: NumberedEvent[] = [];
  for (const { n, id, type, payload } of rows) {
    const text = payload ?? (await payloadOf(statements, n));
    events.push({
      n,
      id,
      type,
      payload: effectiveFields(JSON.parse(text) as KnownEvent['payload']),
    } as NumberedEvent);
  }
  if (events.length > 0) await applyEvents(statements, events);
}

async function payloadOf(statements: Statements, n: number): Promise<string> {
  return (await statements.get<{ payload: string }>('SELECT payload FROM events WHERE n = $1', [n]))!.payload;
}

/** Returns the fields of a payload that an effect depends on. The others are only stored. */
function effectiveFields(payload: Record<string, unknown>): Record<string, unknown> {
  const { id, entry, sequence, source, decorative_layer } = payload;
  return { id, entry, sequence, source, decorative_layer };
}
