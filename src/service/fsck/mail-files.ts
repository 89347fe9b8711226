// Compares the rows of the files of a mail with its stored bytes, parsed as the import parses them.
import type { ImportedAttachment } from '../records/import-items.ts';
import type { ATTACHMENTS } from '../records/attachment.ts';
import type { StoredRow } from '../records/table.ts';
import { parseMail } from '../mail/mail-record.ts';
import { storableMessage } from '../records/storable-text.ts';
import type { Findings } from './findings.ts';

/** The columns that are compared. */
export type FileRow = Pick<
  StoredRow<typeof ATTACHMENTS>,
  'n' | 'message' | 'part' | 'filename' | 'sha256' | 'bytes' | 'contains' | 'declared_type' | 'detected_type'
>;
/** Their names, for SQL. */
export const FILE_COLUMNS =
  'n, message, part, filename, sha256, bytes, contains, declared_type, detected_type';

/** Adds what differs. `rows` are all rows of the mail, in the order of their parts. `raw` has the hash of import. */
export async function checkMailFiles(
  raw: Buffer,
  rows: readonly FileRow[],
  findings: Findings,
): Promise<void> {
  const mail = await parseMail({ kind: 'raw', path: '', position: 0, raw, sha256: '' }, 'internal');
  const { attachments } = storableMessage(mail);
  for (const row of rows) {
    const file = attachments[row.part];
    const add = (problem: string, severity?: 'damage' | 'notice') =>
      findings.add('attachments', problem, `att_${row.n}`, severity);
    if (file === undefined) add('is no file of its stored mail');
    else for (const { problem, severity } of differences(row, file)) add(problem, severity);
  }
}

/** How names are decoded and types found may differ between versions, so those differences are notices. */
function* differences(
  row: FileRow,
  file: ImportedAttachment,
): Generator<{ problem: string; severity?: 'notice' }> {
  if (file.sha256 !== row.sha256) yield { problem: 'hash differs from the stored mail' };
  if (file.bytes !== row.bytes) yield { problem: 'size differs from the stored mail' };
  if ((file.contains ?? 0) !== row.contains) yield { problem: 'number of files inside it is wrong' };
  if (file.filename !== row.filename)
    yield /^[ -~]*$/.test(file.filename)
      ? { problem: 'name differs from the stored mail' }
      : { problem: 'name decodes differently now', severity: 'notice' };
  if (file.declared_type !== row.declared_type || file.detected_type !== row.detected_type)
    yield { problem: 'content type is read differently now', severity: 'notice' };
}
