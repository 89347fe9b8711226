// Redacts attachments, and lifts redactions, on behalf of the operator.
import type { Archive } from './archive.ts';
import { numberOf } from '../rules/identifier.ts';
import { updateClosedFiles } from './closed-files.ts';
import { invalidateSummary } from './meta-table/summary.ts';

/**
 * Withholds the bytes of an attachment from all readers: all rows with the same bytes are redacted, files that contain
 * them, and files inside them. Resolves to false when the archive has no such attachment.
 */
export function redact(archive: Archive, attachmentId: string, reason: string): Promise<boolean> {
  return mark(archive, attachmentId, 1, reason);
}

/**
 * Returns how many attachments have the bytes of this one, itself among them, and how many of them are redacted; 0 where the archive
 * has no such attachment.
 */
export async function rowsOfSameFile(
  { database }: Archive,
  attachmentId: string,
): Promise<{ rows: number; redacted: number }> {
  const n = numberOf('att', attachmentId);
  const found =
    n === undefined
      ? undefined
      : await database.get<{ rows: number; redacted: number }>(
          `SELECT COUNT(*) AS rows, COUNT(CASE WHEN redacted = 1 THEN 1 END) AS redacted FROM attachments
           WHERE sha256 = (SELECT sha256 FROM attachments WHERE n = $1)`,
          [n],
        );
  return found ?? { rows: 0, redacted: 0 };
}

/**
 * Lifts the redaction of all rows with these bytes, whoever set it. A row stays closed while a file inside it or around it
 * is redacted. Resolves to false without such an attachment.
 */
export function unredact(archive: Archive, attachmentId: string): Promise<boolean> {
  return mark(archive, attachmentId, 0, null);
}

async function mark(archive: Archive, id: string, redacted: 0 | 1, reason: string | null): Promise<boolean> {
  const n = numberOf('att', id);
  if (n === undefined) return false;
  return archive.database.transaction(async (statements) => {
    const file = await statements.get<{ sha256: string }>('SELECT sha256 FROM attachments WHERE n = $1', [n]);
    if (file === undefined) return false;
    await invalidateSummary(statements);
    await statements.run('UPDATE attachments SET redacted = $1, redaction = $2 WHERE sha256 = $3', [
      redacted,
      reason,
      file.sha256,
    ]);
    await updateClosedFiles(statements, [file.sha256]);
    return true;
  });
}
