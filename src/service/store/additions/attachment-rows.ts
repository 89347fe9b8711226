// Writes the rows of arriving attachments, and updates earlier rows with the same bytes.
import { failedAttachmentChecks } from '../../records/integrity-checks.ts';
import { absentFileKey, type ImportedAttachment, type ImportedMessage } from '../../records/import-items.ts';
import type { Statements } from '../sql/database.ts';
import { ATTACHMENTS } from '../../records/attachment.ts';
import type { NewRow } from '../../records/table.ts';
import { insertRows, selectIn } from '../sql/bulk-statements.ts';
import { updateClosedFiles } from '../closed-files.ts';
import type { Arrival } from './conversations.ts';
import { markRepeated, occurrencesOf, updateSameBytes } from './same-bytes.ts';

/** The hash of a file, and why its bytes are redacted; null where they are not, or closed with another file. */
type Redaction = { sha256: string; redaction: string | null };

/**
 * Inserts the attachments of the arrivals, numbered after `newest`. `held`: the hashes whose bytes the archive has. The
 * first row with a hash is `first_visible`. When a hash occurs in another message too, all rows with it belong to the
 * decorative layer (interface 2.1). For both, only rows of the same tier or a lower one count. A redaction applies to all rows with the same bytes, whichever came first, and to what
 * contains them or is inside them.
 */
export async function addAttachmentRows(
  statements: Statements,
  arrivals: readonly Arrival[],
  held: ReadonlySet<string>,
  newest: number,
): Promise<void> {
  const keyOf = ({ sha256, absence }: ImportedAttachment): string =>
    held.has(sha256) || absence !== null ? sha256 : absentFileKey(sha256);
  const hashes = arrivals.flatMap(({ message }) => message.attachments.map(keyOf));
  const closed = await closedBytes(statements, new Set(hashes));
  const occurrences = await occurrencesOf(statements, hashes);
  const redactions = redactionsOf([
    ...closed,
    ...arrivals.flatMap(({ message }) =>
      message.attachments.map((file) => ({ sha256: keyOf(file), redaction: file.redaction })),
    ),
  ]);
  const rows: NewRow<typeof ATTACHMENTS>[] = [];
  for (const { n, message } of arrivals) {
    for (const [part, file] of message.attachments.entries()) {
      const sha256 = keyOf(file);
      const number = newest + rows.length + 1;
      const isFirst = occurrences.upTo(sha256, message.tier) === undefined;
      occurrences.add(sha256, message.tier, { n: number, message: n });
      const isHeld = held.has(file.sha256);
      rows.push({
        n: number,
        message: n,
        part,
        filename: file.filename,
        sha256,
        bytes: file.bytes,
        declared_type: file.declared_type,
        detected_type: file.detected_type,
        stored: Number(isHeld),
        redacted: Number(file.redaction !== null),
        redaction: file.redaction,
        decorative_layer: Number(file.inline),
        first_visible: Number(isFirst),
        origin_city: file.origin_city,
        source: message.source,
        tier: message.tier,
        trailing_bytes: file.trailing_bytes,
        failed: failedAttachmentChecks(file, isHeld),
        contains: file.contains ?? 0,
        absence: isHeld ? null : (file.absence ?? CHANGED_FILE),
      });
    }
  }
  await insertRows(statements, ATTACHMENTS, rows);
  await redactRows(statements, redactions);
  await markRepeated(statements, hashes, occurrences);
  const containers = rows.filter(({ contains }) => contains > 0).map(({ sha256 }) => sha256);
  const affected = new Set([...redactions.keys(), ...closed.map(({ sha256 }) => sha256), ...containers]);
  if (affected.size > 0) await updateClosedFiles(statements, affected);
}

/** A file too large for memory is hashed first and copied later. */
const CHANGED_FILE = 'changed while it was imported';

/** Returns which of these hashes are those of redacted or closed rows. */
function closedBytes(statements: Statements, hashes: Iterable<string>): Promise<Redaction[]> {
  return selectIn<Redaction>(
    statements,
    `SELECT sha256, MAX(redaction) AS redaction FROM attachments
      WHERE redacted = 1 AND sha256 IN ? GROUP BY sha256`,
    hashes,
  );
}

function redactionsOf(found: readonly Redaction[]): Map<string, string> {
  return new Map(
    found.flatMap(({ sha256, redaction }) => (redaction === null ? [] : [[sha256, redaction] as const])),
  );
}

/** Redacts all rows with a redacted hash. */
async function redactRows(statements: Statements, redactions: ReadonlyMap<string, string>): Promise<void> {
  for (const [sha256, redaction] of redactions) {
    await statements.run(
      'UPDATE attachments SET redacted = 1, redaction = $2 WHERE sha256 = $1 AND redaction IS NULL',
      [sha256, redaction],
    );
  }
}

/** A row without bytes, and the imported file that contains them. */
export type MissingBytes = { n: number; message: number; file: ImportedAttachment };

/** Returns the rows of known messages without bytes, each with the imported file that contains them. */
export async function rowsWithoutBytes(
  statements: Statements,
  messages: readonly ImportedMessage[],
): Promise<MissingBytes[]> {
  const byHash = new Map(messages.map((message) => [message.sha256, message]));
  const rows = await selectIn<{ n: number; message: number; part: number; raw_sha256: string }>(
    statements,
    `SELECT a.n, a.message, a.part, m.raw_sha256 FROM messages m JOIN attachments a ON a.message = m.n
      WHERE a.stored = 0 AND m.raw_sha256 IN ?`,
    byHash.keys(),
  );
  return rows.flatMap(({ n, message, part, raw_sha256 }) => {
    const file = byHash.get(raw_sha256)?.attachments[part];
    return file !== undefined && (file.content !== null || file.file !== undefined)
      ? [{ n, message, file }]
      : [];
  });
}

/**
 * Updates rows whose bytes the archive holds from now on, as if the bytes had come with their messages. The hash becomes
 * that of the bytes, so what applies to all rows with the same bytes is determined again. A redaction stays. Resolves to
 * the number of rows changed.
 */
export async function addMissingBytes(
  statements: Statements,
  missing: readonly MissingBytes[],
): Promise<number> {
  let changed = 0;
  for (const { n, file } of missing) {
    changed += await statements.run(
      `UPDATE attachments SET stored = 1, absence = NULL, sha256 = $2, bytes = $3, declared_type = $4, detected_type = $5,
        origin_city = $6, trailing_bytes = $7, failed = $8 WHERE n = $1 AND stored = 0`,
      [
        n,
        file.sha256,
        file.bytes,
        file.declared_type,
        file.detected_type,
        file.origin_city,
        file.trailing_bytes,
        failedAttachmentChecks(file, true),
      ],
    );
  }
  const hashes = new Set(missing.map(({ file }) => file.sha256));
  const known = await closedBytes(statements, hashes);
  await updateSameBytes(statements, hashes);
  await redactRows(statements, redactionsOf(known));
  await updateClosedFiles(
    statements,
    known.map(({ sha256 }) => sha256),
  );
  return changed;
}
