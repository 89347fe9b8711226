// Indexes the messages that the search index lacks: all of an older archive, and those whose content was opened or closed.
import type { SearchText } from '../../../contract/search/match.ts';
import type { Tier } from '../../../contract/tier.ts';
import type { AttachmentRow } from '../../records/attachment.ts';
import type { MessageRow } from '../../records/message.ts';
import { tiersUpTo } from '../../rules/tiers.ts';
import type { Archive } from '../archive.ts';
import { attachmentsOf } from '../lists/attachments.ts';
import { findStoredMessage } from '../lists/messages.ts';
import type { Statements } from '../sql/database.ts';
import { indexedUpTo, isOutdated, setIndexedUpTo } from './index-state.ts';
import { addToIndex, clearIndex, removeFromIndex, type SearchRow } from './search-tables.ts';

/** A message with its bytes, and its files; `withheld` are those that readers of its tier do not get. */
export type IndexedMessage = {
  row: MessageRow;
  raw: Uint8Array;
  files: readonly (AttachmentRow & { withheld: boolean })[];
};

/** Returns the texts of a message that are searched; undefined where its bytes are damaged. */
export type ReadText = (message: IndexedMessage) => Promise<SearchText | undefined>;

// One transaction indexes no more than this.
const MAX_MESSAGES = 256;
const MAX_BYTES = 16 * 1024 * 1024;

/** Messages that one call indexes at most: about a second of work. */
const MAX_MESSAGES_PER_CALL = 2_048;

/**
 * Indexes messages that the index lacks, in transactions of at most 256, up to about two thousand. What was indexed stays so
 * when a later transaction fails. Does nothing for a read-only archive. Resolves to whether the index is complete.
 */
export async function indexNext(archive: Archive, readText: ReadText): Promise<boolean> {
  const { database, readOnly } = archive;
  let isComplete = !(await hasWork(database));
  if (readOnly) return isComplete;
  for (let count = 0; !isComplete && count < MAX_MESSAGES_PER_CALL;) {
    const done = await database.transaction((statements) => indexSome(statements, readText));
    count += done.count;
    isComplete = done.isComplete;
  }
  return isComplete;
}

async function hasWork(statements: Statements): Promise<boolean> {
  const row = await statements.get<{ greatest: number | null; due: number | null }>(
    'SELECT (SELECT MAX(n) FROM messages) AS greatest, (SELECT MIN(n) FROM search_due) AS due',
  );
  return row?.due != null || (row?.greatest ?? 0) > (await indexedUpTo(statements));
}

async function indexSome(
  statements: Statements,
  readText: ReadText,
): Promise<{ count: number; isComplete: boolean }> {
  if (await isOutdated(statements)) await clearIndex(statements);
  const upto = await indexedUpTo(statements);
  const due = await statements.all<Sized>(
    `SELECT d.n, m.raw_bytes FROM search_due d LEFT JOIN messages m ON m.n = d.n WHERE d.n <= $1
      ORDER BY d.n LIMIT ${MAX_MESSAGES}`,
    [upto],
  );
  const next = await statements.all<Sized>(
    'SELECT n, raw_bytes FROM messages WHERE n > $1 ORDER BY n LIMIT $2',
    [upto, MAX_MESSAGES - due.length],
  );
  const numbers = withinLimit([...due, ...next]);
  const rows: SearchRow[] = [];
  for (const n of numbers) {
    const message = await readIndexed(statements, n);
    if (message !== undefined) rows.push(searchRow(message, readText));
  }
  await removeFromIndex(
    statements,
    rows.filter(({ n }) => n <= upto),
  );
  await addToIndex(statements, rows);
  for (const n of numbers) await statements.run('DELETE FROM search_due WHERE n = $1', [n]);
  await setIndexedUpTo(statements, Math.max(upto, ...numbers.slice(due.length)));
  const all = due.length + next.length;
  return { count: numbers.length, isComplete: numbers.length === all && all < MAX_MESSAGES };
}

type Sized = { n: number; raw_bytes: number | null };

/** Returns the numbers of the first messages that are read together; one at least. */
function withinLimit(rows: readonly Sized[]): number[] {
  let bytes = 0;
  const numbers: number[] = [];
  for (const { n, raw_bytes } of rows) {
    bytes += raw_bytes ?? 0;
    if (numbers.length > 0 && bytes > MAX_BYTES) break;
    numbers.push(n);
  }
  return numbers;
}

/** Returns a message as it is indexed. One whose bytes are damaged is found by what its row holds. */
export function searchRow(message: IndexedMessage, readText: ReadText): SearchRow {
  const { n, date_ms, tier, subject, sender } = message.row;
  const ofRow = { subject: subject ?? '', sender: sender ?? '', body: '', files: '', quoted: '' };
  return { n, date_ms, tier, readText: async () => (await readText(message)) ?? ofRow };
}

/** Returns a message as the readers of its tier get it, with its stored bytes. */
export async function readIndexed(statements: Statements, n: number): Promise<IndexedMessage | undefined> {
  const found = await findStoredMessage(statements, n);
  if (found === undefined) return undefined;
  const { content, has_files, ...row } = found;
  const files = has_files === 0 ? [] : await attachmentsOf(statements, n);
  return { row, raw: content ?? new Uint8Array(), files: markWithheld(files, row.tier) };
}

/** Returns the files of a message of this tier; `withheld` says whether its readers do not get a file. */
export function markWithheld(files: readonly AttachmentRow[], tier: Tier): IndexedMessage['files'] {
  const readable = tiersUpTo(tier);
  return files.map((file) => ({ ...file, withheld: file.redacted === 1 || !readable.includes(file.tier) }));
}
