// Removes from a mail the parts that a reader must not see.
import { createHash } from 'node:crypto';
import type { MimeLeaf } from './mime-structure.ts';
import { decodeTransferEncoding } from './transfer-encoding.ts';

/**
 * Returns the parts without those whose decoded content has one of the hashes (sha256, lower-case hex), attachment or
 * not. Returns no part when one of the hashes is not found: the mail is then damaged, and any part could hold the file.
 */
export function withoutRedactedParts(
  leaves: readonly MimeLeaf[],
  hashes: ReadonlySet<string>,
): readonly MimeLeaf[] {
  if (hashes.size === 0) return leaves;
  const found = new Set<string>();
  const readable = leaves.filter((leaf) => {
    const content = decodeTransferEncoding(
      leaf.body,
      leaf.header.fields.get('content-transfer-encoding') ?? '',
    );
    const sha256 = createHash('sha256').update(content).digest('hex');
    if (!hashes.has(sha256)) return true;
    found.add(sha256);
    return false;
  });
  return found.size < hashes.size ? [] : readable;
}
