// A mail without the files that its reader must not have: their bodies are cut out before anything reads it.
import { createHash } from 'node:crypto';
import { structureOf } from '../import/parts.ts';
import { decodeTransfer } from '../import/transfer.ts';

/**
 * `hashes` are the sha256 of the decoded files. Every part with such content goes, also one that is no attachment.
 * Where one of them is not found (damaged bytes), nothing can be told from it, and only the head of the mail is left.
 */
export function withoutFiles(mail: Uint8Array, hashes: ReadonlySet<string>): Uint8Array {
  const bytes = Buffer.from(mail.buffer, mail.byteOffset, mail.byteLength);
  const { header, leaves } = structureOf(bytes);
  const found = new Set<string>();
  const kept: Buffer[] = [];
  let from = 0;
  for (const leaf of leaves) {
    const content = decodeTransfer(leaf.body, leaf.header.fields.get('content-transfer-encoding') ?? '');
    const sha256 = createHash('sha256').update(content).digest('hex');
    if (!hashes.has(sha256)) continue;
    found.add(sha256);
    const at = leaf.body.byteOffset - bytes.byteOffset;
    kept.push(bytes.subarray(from, at));
    from = at + leaf.body.byteLength;
  }
  if (found.size < hashes.size) return bytes.subarray(0, header.bodyAt);
  return Buffer.concat([...kept, bytes.subarray(from)]);
}
