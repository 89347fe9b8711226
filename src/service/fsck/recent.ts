// Finds the numbers of the rows that an archive had at a time.
import { addedBefore } from '../store/meta-table/added-log.ts';
import type { Statements } from '../store/sql/database.ts';

/** The greatest numbers of the rows that were there before a time: rather lower ones, so that nothing newer is left out. */
type NumbersBefore = { messages: number; attachments: number; events: number };

/** Events are looked up by the time of their arrival, which a clock may have set back by up to an hour. */
const CLOCK_SLACK_MS = 3_600_000;

/** Returns the numbers up to which all rows were there before this time, in milliseconds. */
export async function numbersBefore(statements: Statements, timeMs: number): Promise<NumbersBefore> {
  const added = await addedBefore(statements, timeMs);
  return { ...added, events: await eventsBefore(statements, timeMs - CLOCK_SLACK_MS) };
}

/** Returns the greatest number of an event that came before this time. Numbers are given in the order of arrival. */
async function eventsBefore(statements: Statements, timeMs: number): Promise<number> {
  const greatest = await statements.get<{ n: number | null }>('SELECT MAX(n) AS n FROM events');
  let [low, high] = [0, greatest?.n ?? 0];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const row = await statements.get<{ n: number; received_ms: number }>(
      'SELECT n, received_ms FROM events WHERE n <= $1 ORDER BY n DESC LIMIT 1',
      [middle],
    );
    if (row === undefined || row.received_ms < timeMs) low = middle;
    else high = row.n - 1;
  }
  return low;
}
