// A mail without the files that its reader must not have: which of its parts may be read at all.
import { createHash } from 'node:crypto';
import type { MimeLeaf } from './mime-structure.ts';
import { decodeTransferEncoding } from './transfer-encoding.ts';

/**
 * `hashes` are the sha256 of the decoded files. Every part with such content goes, also one that is no attachment.
 * Where one of them is not found (damaged bytes), nothing can be told from it, and no part may be read.
 */
export function withoutRedactedParts(
  leaves: readonly MimeLeaf[],
  hashes: ReadonlySet<string>,
): readonly MimeLeaf[] {
  if (hashes.size === 0) return leaves;
  const found = new Set<string>();
  const open = leaves.filter((leaf) => {
    const content = decodeTransferEncoding(
      leaf.body,
      leaf.header.fields.get('content-transfer-encoding') ?? '',
    );
    const sha256 = createHash('sha256').update(content).digest('hex');
    if (!hashes.has(sha256)) return true;
    found.add(sha256);
    return false;
  });
  return found.size < hashes.size ? [] : open;
}
