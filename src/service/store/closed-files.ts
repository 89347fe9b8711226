// Keeps files closed that contain a redacted file, or are inside one: the bytes of the one hold those of the other.
import { withdraw } from './search/search-tables.ts';
import { selectIn } from './sql/bulk-statements.ts';
import type { Statements } from './sql/database.ts';

/** An attachment, as far as it matters here. The files inside it are the next `contains` parts of its message. */
type FileRow = {
  n: number;
  message: number;
  part: number;
  contains: number;
  sha256: string;
  redacted: number;
  redaction: string | null;
};

const FILES = 'SELECT n, message, part, contains, sha256, redacted, redaction FROM attachments';

/**
 * Sets `redacted` of all files that a change of the redactions of these hashes can affect: the files with these hashes,
 * what contains them, what is inside them, files with the same bytes as what contains them, what contains those, and so on.
 * The messages of these files leave the search index, until they are indexed again.
 */
export async function updateClosedFiles(statements: Statements, hashes: Iterable<string>): Promise<void> {
  const messages = await affectedMessages(statements, hashes);
  await withdraw(statements, messages);
  const rows = await selectIn<FileRow>(statements, `${FILES} WHERE message IN ?`, messages);
  const ordered = rows.toSorted((a, b) => a.message - b.message || a.part - b.part);
  const closed = closedHashes(ordered);
  const inRedacted = rowsInRedacted(ordered);
  for (const { n, sha256, redacted } of rows) {
    const isClosed = Number(closed.has(sha256) || inRedacted.has(n));
    if (isClosed !== redacted)
      await statements.run('UPDATE attachments SET redacted = $1 WHERE n = $2', [isClosed, n]);
  }
}

/** Returns the messages whose files are open or closed because of files with these hashes, or of each other. */
async function affectedMessages(statements: Statements, hashes: Iterable<string>): Promise<Set<number>> {
  const messages = new Set<number>();
  const seen = new Set(hashes);
  for (let next: readonly string[] = [...seen]; next.length > 0;) {
    const found = (await messagesWith(statements, next)).filter((message) => !messages.has(message));
    for (const message of found) messages.add(message);
    // A file without a redaction of its own can be closed because another message has its bytes as a container.
    const passing = await selectIn<{ sha256: string }>(
      statements,
      `SELECT DISTINCT sha256 FROM attachments
        WHERE (contains > 0 OR (redacted = 1 AND redaction IS NULL)) AND message IN ?`,
      found,
    );
    next = passing.map(({ sha256 }) => sha256).filter((sha256) => !seen.has(sha256));
    for (const sha256 of next) seen.add(sha256);
  }
  return messages;
}

async function messagesWith(statements: Statements, hashes: Iterable<string>): Promise<number[]> {
  const rows = await selectIn<{ message: number }>(
    statements,
    'SELECT DISTINCT message FROM attachments WHERE sha256 IN ?',
    hashes,
  );
  return rows.map(({ message }) => message);
}

/** Returns the hashes of files with a redaction, of files that contain one of them, of files that contain one of those, and so on. */
function closedHashes(ordered: readonly FileRow[]): ReadonlySet<string> {
  const closed = new Set(ordered.filter(({ redaction }) => redaction !== null).map(({ sha256 }) => sha256));
  const containers = containersByFile(ordered);
  for (const sha256 of closed) for (const around of containers.get(sha256) ?? []) closed.add(around);
  return closed;
}

/** Returns for each hash the hashes of the files around a file with it. */
function containersByFile(ordered: readonly FileRow[]): ReadonlyMap<string, ReadonlySet<string>> {
  const containers = new Map<string, Set<string>>();
  for (const { row, around } of withFilesAround(ordered)) {
    if (around.length === 0) continue;
    const known = containers.get(row.sha256) ?? new Set();
    for (const { sha256 } of around) known.add(sha256);
    containers.set(row.sha256, known);
  }
  return containers;
}

/** Returns the numbers of the rows that are inside a row with a redaction. */
function rowsInRedacted(ordered: readonly FileRow[]): ReadonlySet<number> {
  const inside = new Set<number>();
  for (const { row, around } of withFilesAround(ordered))
    if (around.some(({ redaction }) => redaction !== null)) inside.add(row.n);
  return inside;
}

/** Yields each row with the files around it, from the outermost on. */
function* withFilesAround(ordered: readonly FileRow[]): Generator<{ row: FileRow; around: FileRow[] }> {
  let around: FileRow[] = [];
  for (const row of ordered) {
    around = around.filter(
      ({ message, part, contains }) => message === row.message && row.part <= part + contains,
    );
    yield { row, around };
    if (row.contains > 0) around.push(row);
  }
}
