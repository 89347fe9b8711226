// The write side of the attachment catalogue: rows of arriving files, and what their arrival says of earlier ones.
import { failedByAttachment } from '../import/checks.ts';
import type { Row, Statements } from './database.ts';
import { insertRows, selectIn } from './rows.ts';
import type { Arrival } from './threading.ts';

/**
 * Adds the files of the arrivals, numbered after `newest`; `held` are the hashes whose bytes the archive has. The
 * first row with a hash is the first visible one; a hash that comes back in another message belongs to the decorative
 * layer, from its first row on (interface 2.1). A redaction holds for all rows with the same bytes, whichever came first.
 */
export async function addToCatalogue(
  statements: Statements,
  arrivals: readonly Arrival[],
  held: ReadonlySet<string>,
  newest: number,
): Promise<void> {
  const hashes = arrivals.flatMap(({ message }) => message.attachments.map(({ sha256 }) => sha256));
  const stored = await selectIn<{ sha256: string; message: number; redaction: string | null }>(
    statements,
    `SELECT sha256, MIN(message) AS message, MAX(redaction) AS redaction FROM attachments
      WHERE sha256 IN ? GROUP BY sha256`,
    new Set(hashes),
  );
  const firstIn = new Map(stored.map(({ sha256, message }) => [sha256, message]));
  const redactions = new Map<string, string>();
  for (const { sha256, redaction } of [
    ...stored,
    ...arrivals.flatMap(({ message }) => message.attachments),
  ]) {
    if (redaction !== null) redactions.set(sha256, redaction);
  }
  const repeated = new Set<string>();
  const rows: Row[] = [];
  for (const { n, message } of arrivals) {
    for (const [part, file] of message.attachments.entries()) {
      const first = firstIn.get(file.sha256);
      if (first === undefined) firstIn.set(file.sha256, n);
      else if (first !== n) repeated.add(file.sha256);
      const isHeld = held.has(file.sha256);
      rows.push({
        n: newest + rows.length + 1,
        message: n,
        part,
        filename: file.filename,
        sha256: file.sha256,
        bytes: file.bytes,
        declared_type: file.declared_type,
        detected_type: file.detected_type,
        stored: Number(isHeld),
        redacted: Number(file.redaction !== null),
        redaction: file.redaction,
        decorative_layer: Number(file.inline),
        first_visible: Number(first === undefined),
        origin_city: file.origin_city,
        source: message.source,
        tier: message.tier,
        trailing_bytes: file.trailing_bytes,
        failed: failedByAttachment(file, isHeld),
      });
    }
  }
  await insertRows(statements, 'attachments', rows);
  for (const [sha256, redaction] of redactions) {
    await statements.run(
      'UPDATE attachments SET redacted = 1, redaction = $2 WHERE sha256 = $1 AND redacted = 0',
      [sha256, redaction],
    );
  }
  for (const sha256 of repeated) {
    await statements.run(
      `UPDATE attachments SET decorative_layer = 1
        WHERE sha256 = $1 AND decorative_layer = 0 AND decorative_by IS NULL`,
      [sha256],
    );
  }
}
