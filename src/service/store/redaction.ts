// The keeper's hand on the catalogue: withholding a file's bytes, and giving them free again.
import type { Archive } from './archive.ts';
import { numberOf } from '../rules/identifier.ts';
import { invalidateSummary } from './meta-table/summary.ts';

/**
 * Withholds the file from every reader from now on, under every name: all rows with the same bytes are redacted.
 * False where the archive has no such attachment.
 */
export function redact(archive: Archive, attachmentId: string, reason: string): Promise<boolean> {
  return mark(archive, attachmentId, 1, reason);
}

/** Lifts a redaction, whoever set it, from all rows with these bytes. False where the archive has no such attachment. */
export function unredact(archive: Archive, attachmentId: string): Promise<boolean> {
  return mark(archive, attachmentId, 0, null);
}

async function mark(archive: Archive, id: string, redacted: 0 | 1, reason: string | null): Promise<boolean> {
  const n = numberOf('att', id);
  if (n === undefined) return false;
  return archive.database.transaction(async (statements) => {
    await invalidateSummary(statements);
    const changed = await statements.run(
      `UPDATE attachments SET redacted = $1, redaction = $2
        WHERE sha256 = (SELECT sha256 FROM attachments WHERE n = $3)`,
      [redacted, reason, n],
    );
    return changed > 0;
  });
}
