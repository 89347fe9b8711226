// Indexes imported messages in the transaction that stores them.
import { ATTACHMENTS, type AttachmentRow } from '../../records/attachment.ts';
import type { MessageRow } from '../../records/message.ts';
import type { Statements } from '../sql/database.ts';
import { markWithheld, searchRow, type ReadText } from './build-index.ts';
import { indexedUpTo, setIndexedUpTo } from './index-state.ts';
import { addToIndex, type SearchRow } from './search-tables.ts';

/** A stored message, and its bytes. */
type Arrived = { row: MessageRow; raw: Uint8Array };

/**
 * Adds messages to the index after their rows and those of their files were stored; in ascending order of their numbers. Where
 * messages before them are not indexed yet, these follow with them (see build-index.ts). Messages that are due stay so.
 */
export async function indexArrivals(
  statements: Statements,
  arrivals: readonly Arrived[],
  readText: ReadText,
): Promise<void> {
  const [first, last] = [arrivals[0]?.row.n, arrivals.at(-1)?.row.n];
  if (first === undefined || last === undefined || (await indexedUpTo(statements)) !== first - 1) return;
  const files = await statements.all<AttachmentRow>(
    `SELECT ${ATTACHMENTS.select} FROM attachments WHERE message >= $1 AND message <= $2 ORDER BY message, part`,
    [first, last],
  );
  const due = await statements.all<{ n: number }>('SELECT n FROM search_due WHERE n >= $1', [first]);
  const isDue = new Set(due.map(({ n }) => n));
  const filesOf = new Map<number, AttachmentRow[]>(arrivals.map(({ row }) => [row.n, []]));
  for (const file of files) filesOf.get(file.message)?.push(file);
  const rows: SearchRow[] = [];
  for (const { row, raw } of arrivals) {
    if (isDue.has(row.n)) continue;
    const own = markWithheld(filesOf.get(row.n) ?? [], row.tier);
    rows.push(searchRow({ row, raw, files: own }, readText));
  }
  await addToIndex(statements, rows);
  await setIndexedUpTo(statements, last);
}
