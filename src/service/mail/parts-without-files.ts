// The parts of a mail for a reader who may not have all of its files: every text at its place, and of each file only its id.
import { MAX_TEXT_BYTES, type MailPart } from '../../contract/content.ts';
import { parseMimeStructure, type MimeLeaf } from './mime-structure.ts';
import { readableLeaves, type ReadablePart } from './readable-mail.ts';
import { redactedParts } from './redacted-parts.ts';

/** A file of a message as the catalogue has it. */
export type KnownFile = { id: string; sha256: string };

/**
 * Returns the parts of a mail. Parts with a `withheld` hash (sha256, lower-case hex) and files are only a place; what is inside
 * a withheld file is left out. All texts together take at most MAX_TEXT_BYTES. Returns undefined where a withheld hash is not
 * found: the mail is then damaged, and any part could hold the file.
 */
export async function partsWithoutFiles(
  mail: Buffer,
  files: readonly KnownFile[],
  withheld: ReadonlySet<string>,
): Promise<MailPart[] | undefined> {
  const { leaves } = parseMimeStructure(mail);
  const closed = redactedParts(leaves, withheld);
  if (closed === undefined) return undefined;
  const inside = leavesInside(leaves, closed);
  const takeId = idsByHash(files);
  const placed = new Set<MimeLeaf>();
  const texts = limitedTexts();
  const parts: MailPart[] = [];
  for (const { leaf, part } of await readableLeaves(leaves)) {
    if (inside.has(leaf)) continue;
    const sha256 = closed.get(leaf) ?? part.sha256;
    if (sha256 === undefined) parts.push(texts(part));
    else if (!placed.has(leaf)) {
      placed.add(leaf);
      const id = takeId(sha256);
      const { forwarded } = part;
      if (id !== undefined) parts.push({ kind: 'file', type: null, id, ...(forwarded && { forwarded }) });
    }
  }
  return parts;
}

/** Returns the leaves inside messages that are withheld. */
function leavesInside(
  leaves: readonly MimeLeaf[],
  closed: ReadonlyMap<MimeLeaf, string>,
): ReadonlySet<MimeLeaf> {
  let end = 0;
  return new Set(
    leaves.filter((leaf, index) => {
      if (index < end) return true;
      if (closed.has(leaf)) end = index + 1 + leaf.contains;
      return false;
    }),
  );
}

/** Files of the same bytes are taken in their order. */
function idsByHash(files: readonly KnownFile[]): (sha256: string) => string | undefined {
  const ids = new Map<string, string[]>();
  for (const { id, sha256 } of files.toReversed()) {
    const same = ids.get(sha256);
    if (same === undefined) ids.set(sha256, [id]);
    else same.push(id);
  }
  return (sha256) => ids.get(sha256)?.pop();
}

/** Returns what leaves out texts that are too long together, and malformed multiparts, which may hold a file that was not found in them. */
function limitedTexts(): (part: ReadablePart) => MailPart {
  let room = MAX_TEXT_BYTES;
  return ({ kind, type, text = '', links = [], bytes, forwarded, warnings = [] }) => {
    const around = { kind, type, ...(forwarded && { forwarded }) };
    if (kind !== 'text') return { ...around, ...(bytes !== undefined && { bytes }) };
    const size = Buffer.byteLength(JSON.stringify([text, links]));
    const isText = type.startsWith('text/');
    if (!isText || size > room) {
      const why = isText
        ? 'it is too long to be sent without the stored bytes'
        : `${type} without readable parts is only in the stored bytes, which are not sent`;
      return { ...around, text: '', warnings: [...warnings, why] };
    }
    room -= size;
    return {
      ...around,
      text,
      ...(links.length > 0 && { links }),
      ...(warnings.length > 0 && { warnings }),
    };
  };
}
