// Finds the parts of a mail that a reader must not see.
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
  const redacted = redactedParts(leaves, hashes);
  return redacted === undefined ? [] : leaves.filter((leaf) => !redacted.has(leaf));
}

/** Returns the parts with one of the hashes, each with its hash; undefined when one of the hashes is not found. */
export function redactedParts(
  leaves: readonly MimeLeaf[],
  hashes: ReadonlySet<string>,
): ReadonlyMap<MimeLeaf, string> | undefined {
  const redacted = new Map<MimeLeaf, string>();
  if (hashes.size === 0) return redacted;
  for (const leaf of leaves) {
    const encoding = leaf.header.fields.get('content-transfer-encoding') ?? '';
    const content = decodeTransferEncoding(leaf.body, encoding);
    const sha256 = createHash('sha256').update(content).digest('hex');
    if (hashes.has(sha256)) redacted.set(leaf, sha256);
  }
  return new Set(redacted.values()).size < hashes.size ? undefined : redacted;
}
