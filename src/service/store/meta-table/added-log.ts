// Up to which numbers an archive had rows at which hour, stored in the table `meta`: the rows themselves do not have the time of their import.
import type { Statements } from '../sql/database.ts';

/** The greatest numbers of messages and attachments. */
export type GreatestNumbers = { messages: number; attachments: number };

const HOUR_MS = 3_600_000;

/** Keys have ten digits, so that their order is that of the hours. */
const keyOf = (hour: number): string => `added_${String(hour).padStart(10, '0')}`;
const FIRST = keyOf(0);
const LAST = keyOf(9_999_999_999);

/**
 * Stores the greatest numbers, in the transaction that added their rows: one value for each hour. A clock that was set back
 * starts no earlier hour, so no later row is ever taken for an older one.
 */
export async function noteAdded(
  statements: Statements,
  nowMs: number,
  numbers: GreatestNumbers,
): Promise<void> {
  const last = await statements.get<{ key: string | null }>(
    'SELECT MAX(key) AS key FROM meta WHERE key >= $1 AND key <= $2',
    [FIRST, LAST],
  );
  const key = keyOf(Math.max(0, Math.floor(nowMs / HOUR_MS)));
  await statements.run(
    'INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    [last?.key != null && last.key > key ? last.key : key, JSON.stringify(numbers)],
  );
}

/** Returns numbers up to which all rows were added before this time: fewer than there were, and 0 where nothing is known. */
export async function addedBefore(statements: Statements, timeMs: number): Promise<GreatestNumbers> {
  const row = await statements.get<{ value: string }>(
    'SELECT value FROM meta WHERE key >= $1 AND key < $2 ORDER BY key DESC LIMIT 1',
    [FIRST, keyOf(Math.max(0, Math.floor(timeMs / HOUR_MS)))],
  );
  return parsed(row?.value ?? '{}');
}

function parsed(text: string): GreatestNumbers {
  try {
    const { messages, attachments } = JSON.parse(text) as Partial<GreatestNumbers>;
    return { messages: numberFrom(messages), attachments: numberFrom(attachments) };
  } catch {
    // Damaged: every row counts as new.
    return { messages: 0, attachments: 0 };
  }
}

function numberFrom(value: unknown): number {
  return Number.isSafeInteger(value) ? Math.max(0, value as number) : 0;
}
