// Checks the stored bytes of every message against their hash, their size and, for mails, the row and those of its files.
import { createHash, hash as hashAtOnce } from 'node:crypto';
import type { MessageSummary } from '../records/import-items.ts';
import type { MESSAGES } from '../records/message.ts';
import type { StoredRow } from '../records/table.ts';
import type { Archive } from '../store/archive.ts';
import { storedBytes, storedPiece } from '../store/lists/messages.ts';
import type { Findings } from './findings.ts';
import { containsHeader, headerDifferences } from './header-fields.ts';
import { checkMailFiles, FILE_COLUMNS, type FileRow } from './mail-files.ts';

/** Messages up to this size are read with their row, larger ones in pieces. */
const MAX_SMALL_BYTES = 256 * 1024;
const PIECE_BYTES = 1024 * 1024;
const ROWS_PER_READ = 64;

type CheckedRow = MessageSummary &
  Pick<StoredRow<typeof MESSAGES>, 'n' | 'format'> & {
    sha256: string;
    /** The size in the row, and that of the stored bytes. */
    bytes: number;
    size: number;
    content: Uint8Array | null;
  };

/** Checks the messages with numbers above `after`, up to `to`. */
export async function checkStoredMessages(
  { database }: Archive,
  { after, to }: { after: number; to: number },
  findings: Findings,
): Promise<void> {
  for (let from = after; from < to; from += ROWS_PER_READ) {
    const rows = await database.all<CheckedRow>(
      `SELECT m.n, m.raw_sha256 AS sha256, m.raw_bytes AS bytes, length(r.content) AS size,
          m.format, m.message_key AS key, m.date_ms, m.sender, m.subject,
          CASE WHEN length(r.content) <= $3 THEN r.content END AS content
        FROM messages m JOIN raws r ON r.n = m.n WHERE m.n > $1 AND m.n <= $2 ORDER BY m.n`,
      [from, Math.min(from + ROWS_PER_READ, to), MAX_SMALL_BYTES],
    );
    const files = await database.all<FileRow>(
      `SELECT ${FILE_COLUMNS} FROM attachments WHERE message > $1 AND message <= $2 ORDER BY n`,
      [from, Math.min(from + ROWS_PER_READ, to)],
    );
    for (const row of rows)
      await checkRow(
        database,
        row,
        files.filter(({ message }) => message === row.n),
        findings,
      );
    findings.checked('stored messages', rows.length);
  }
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

async function checkRow(
  database: Archive['database'],
  row: CheckedRow,
  files: readonly FileRow[],
  findings: Findings,
): Promise<void> {
  const { n, sha256, bytes, size, content } = row;
  let start = content;
  let hashed: string;
  if (content === null) {
    const hash = createHash('sha256');
    for (let at = 0; at < size; at += PIECE_BYTES) {
      const piece = await storedPiece(database, n, at, PIECE_BYTES);
      start ??= piece;
      hash.update(piece);
    }
    hashed = hash.digest('hex');
  } else hashed = hashAtOnce('sha256', content, 'hex');
  findings.hashed(size);
  const add = (problem: string, severity?: 'damage' | 'notice') =>
    findings.add('stored messages', problem, `msg_${n}`, severity);
  if (hashed !== sha256) return add('bytes have another hash');
  if (bytes !== size) return add('row has another size');
  switch (row.format) {
    case 'rfc822': {
      if (start === null) return undefined;
      const isEnough = start.length === size || (files.length === 0 && containsHeader(start));
      const raw = isEnough ? start : await storedBytes(database, n);
      for (const { problem, severity } of headerDifferences(raw, row)) add(problem, severity);
      if (files.length > 0) await checkMailFiles(bufferOf(raw), files, findings);
      return undefined;
    }
    case 'slack':
    case 'mattermost':
    case 'zulip':
    case 'file':
      return undefined;
    default:
      row.format satisfies never;
      return add('unknown format');
  }
}
