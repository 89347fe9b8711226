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
 * what contains them, what is inside them, and files with the same bytes as such a container. The messages of these files
 * leave the search index, until they are indexed again.
 */
export async function updateClosedFiles(statements: Statements, hashes: Iterable<string>): Promise<void> {
  const messages = await messagesWith(statements, hashes);
  const containers = await selectIn<{ sha256: string }>(
    statements,
    'SELECT DISTINCT sha256 FROM attachments WHERE contains > 0 AND message IN ?',
    messages,
  );
  if (containers.length === 0) return withdraw(statements, messages);
  for (const n of await messagesWith(
    statements,
    containers.map(({ sha256 }) => sha256),
  ))
    messages.add(n);
  await withdraw(statements, messages);
  const rows = await selectIn<FileRow>(statements, `${FILES} WHERE message IN ?`, messages);
  const related = relatedToRedacted(rows);
  const closedContainers = new Set(
    rows.filter((row) => row.contains > 0 && related.has(row.n)).map(({ sha256 }) => sha256),
  );
  for (const { n, sha256, redacted, redaction } of rows) {
    const closed = Number(redaction !== null || related.has(n) || closedContainers.has(sha256));
    if (closed !== redacted)
      await statements.run('UPDATE attachments SET redacted = $1 WHERE n = $2', [closed, n]);
  }
}

async function messagesWith(statements: Statements, hashes: Iterable<string>): Promise<Set<number>> {
  const rows = await selectIn<{ message: number }>(
    statements,
    'SELECT DISTINCT message FROM attachments WHERE sha256 IN ?',
    hashes,
  );
  return new Set(rows.map(({ message }) => message));
}

/** Returns the numbers of the rows that contain a row with a redaction, or are inside one. */
function relatedToRedacted(rows: readonly FileRow[]): Set<number> {
  const related = new Set<number>();
  const ordered = rows.toSorted((a, b) => a.message - b.message || a.part - b.part);
  // The files around the current one, from the outermost on.
  let around: FileRow[] = [];
  for (const row of ordered) {
    around = around.filter(
      ({ message, part, contains }) => message === row.message && row.part <= part + contains,
    );
    if (around.some(({ redaction }) => redaction !== null)) related.add(row.n);
    if (row.redaction !== null) for (const { n } of around) related.add(n);
    if (row.contains > 0) around.push(row);
  }
  return related;
}
