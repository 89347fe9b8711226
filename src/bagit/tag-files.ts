// Parses the tag files of a BagIt bag: declaration, manifests, metadata and fetch list (RFC 8493, and drafts back to 0.93).
import { Fault } from '../faults.ts';
import { leavesFolder } from '../verify/checksum-list.ts';

/** Names of node:crypto. If a bag has several, the first of these is shown. */
export const ALGORITHMS = ['sha256', 'sha512', 'sha384', 'sha224', 'sha1', 'md5'] as const;
/** A hash algorithm that a manifest of a bag may use. */
export type Algorithm = (typeof ALGORITHMS)[number];

const DIGITS: Record<Algorithm, number> = {
  sha256: 64,
  sha512: 128,
  sha384: 96,
  sha224: 56,
  sha1: 40,
  md5: 32,
};

/** More than any real bag has. A longer manifest is refused before it fills the memory. */
const MAX_LINES = 2_000_000;

/** What bagit.txt declares. `isOld`: a draft from 0.93 to 0.97, whose rules are less strict than those of 1.0. */
export type Declaration = { version: string; encoding: string; isOld: boolean };

/**
 * Parses bagit.txt. `isOld`: before 1.0, with less strict rules. Throws Fault 'integrity' for anything but its two lines,
 * 'partial' for an unknown version.
 */
export function parseDeclaration(bytes: Uint8Array): Declaration {
  const text = decode(bytes, 'UTF-8', 'bagit.txt');
  const damaged = (what: string) => new Fault('integrity', `bagit.txt ${what}`);
  // For this file the decoder leaves it in place.
  if (text.startsWith('\uFEFF')) throw damaged('begins with a byte-order mark');
  const [first = '', second = '', ...rest] = linesOf(text);
  const [, version, major, minor] = /^BagIt-Version:[ \t]+((\d+)\.(\d+))[ \t]*$/i.exec(first) ?? [];
  if (version === undefined) throw damaged('does not name a version');
  const [, encoding] = /^Tag-File-Character-Encoding:[ \t]+(\S+)[ \t]*$/i.exec(second) ?? [];
  if (encoding === undefined) throw damaged('does not name an encoding');
  if (rest.some((line) => line.trim() !== '')) throw damaged('has more than two lines');
  const isOld = Number(major) === 0 && Number(minor) >= 93 && Number(minor) <= 97;
  if (!isOld && version !== '1.0') throw new Fault('partial', `BagIt ${version} is not supported`);
  return { version, encoding, isOld };
}

/** Returns a tag file as text. Throws Fault 'integrity' for bytes that are not of the encoding, 'partial' for an unknown one. */
export function decode(bytes: Uint8Array, encoding: string, name: string): string {
  // UTF-16 without an endianness has a byte-order mark.
  const label = /^utf-?16$/i.test(encoding) ? (bytes[0] === 0xfe ? 'utf-16be' : 'utf-16le') : encoding;
  let decoder;
  try {
    decoder = new TextDecoder(label, { fatal: true, ignoreBOM: name === 'bagit.txt' });
  } catch {
    throw new Fault('partial', `the encoding ${encoding} of the bag is not supported`);
  }
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Fault('integrity', `${name} is not ${encoding}`);
  }
}

/** Parses a name such as `manifest-md5.txt` or `tagmanifest-sha-256.txt`; returns undefined for other names. */
export function manifestName(path: string): { isTag: boolean; algorithm: string } | undefined {
  const [, tag, spelled] = /^(tag)?manifest-([^/]+)\.txt$/i.exec(path) ?? [];
  if (spelled === undefined) return undefined;
  return { isTag: tag !== undefined, algorithm: spelled.toLowerCase().replaceAll(/[^a-z0-9]/g, '') };
}

/** Returns whether hashes of this algorithm can be checked. */
export function isKnownAlgorithm(algorithm: string): algorithm is Algorithm {
  return (ALGORITHMS as readonly string[]).includes(algorithm);
}

/**
 * `isBinary`: the path is marked with a star, as md5sum does. `isDotted`: the path is written with `./` or `//`, which other
 * programs take for another path.
 */
export type ManifestLine = { line: number; hash: string; path: string; isBinary: boolean; isDotted: boolean };

/**
 * Yields the lines of a manifest, with paths as they are written, but without `./` and `//`. Throws Fault 'integrity' for a damaged line, 'unsafe' for
 * a path that leads out of the bag (RFC 8493 5.1) and for too many lines.
 */
export function* parseManifest(text: string, name: string, algorithm: string): Generator<ManifestLine> {
  const digits = isKnownAlgorithm(algorithm) ? DIGITS[algorithm] : undefined;
  for (const [index, line] of linesOf(text).entries()) {
    if (line.trim() === '') continue;
    if (index >= MAX_LINES) throw new Fault('unsafe', `${name} has more than ${MAX_LINES} lines`);
    const [, hash, mark, path] = /^([0-9a-fA-F]+)[ \t]+(?![ \t])(\*?)(.+)$/s.exec(line) ?? [];
    if (hash === undefined || path === undefined || (digits !== undefined && hash.length !== digits))
      throw new Fault('integrity', `${name}: line ${index + 1} is damaged`);
    const inside = insideOnly(path, name, index + 1);
    const isDotted = inside !== path;
    yield { line: index + 1, hash: hash.toLowerCase(), path: inside, isBinary: mark !== '', isDotted };
  }
}

/** A line of fetch.txt: a payload file that must still be downloaded. `bytes` is null where the line gives no length. */
export type FetchLine = { url: string; path: string; bytes: number | null };

/** Yields the lines of fetch.txt. arx never downloads them. Throws as {@link parseManifest}. */
export function* parseFetch(text: string): Generator<FetchLine> {
  for (const [index, line] of linesOf(text).entries()) {
    if (line.trim() === '') continue;
    if (index >= MAX_LINES) throw new Fault('unsafe', `fetch.txt has more than ${MAX_LINES} lines`);
    const [, url, length, path] = /^(\S+)[ \t]+(\d{1,15}|-)[ \t]+(?![ \t])(.+)$/s.exec(line) ?? [];
    if (url === undefined || path === undefined)
      throw new Fault('integrity', `fetch.txt: line ${index + 1} is damaged`);
    yield {
      url,
      path: insideOnly(path, 'fetch.txt', index + 1),
      bytes: length === '-' ? null : Number(length),
    };
  }
}

/** Returns the path without `./` and doubled slashes. */
function insideOnly(written: string, name: string, line: number): string {
  const path = written.replace(/^(?:\.\/)+/, '').replaceAll(/\/(?:\.?\/)+/g, '/');
  const leaves = (each: string) =>
    leavesFolder(each) || leavesFolder(each.replaceAll('\\', '/')) || /^(?:~|[a-z]:)/i.test(each);
  if (leaves(path) || leaves(unescapePath(path)))
    throw new Fault('unsafe', `${name}: line ${line} names a path outside the bag`);
  return path;
}

/** Escapes line breaks and the percent sign (RFC 8493 2.1.3). */
export function escapePath(path: string): string {
  return path.replaceAll(
    /[%\r\n]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** Reverses {@link escapePath}. */
export function unescapePath(path: string): string {
  return path.replaceAll(/%(0A|0D|25)/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/**
 * Labels of bag-info.txt by which our bags say what they lack: numbers of files, `unknown` where a pull could not tell of all rows whether
 * they match, and `no` for a walk that did not end.
 */
export const LACKS = {
  withheld: 'Files-Withheld',
  absent: 'Files-Absent',
  undecided: 'Files-Complete',
  walk: 'Walk-Complete',
};

/**
 * Parses bag-info.txt: labels in lower case with their values, in order. Throws Fault 'integrity' for a line that is not
 * `Label: value`. Before 1.0 white space is allowed around the colon (RFC 8493 2.2.2).
 */
export function parseInfo(text: string, isOld: boolean): [label: string, value: string][] {
  const info: [string, string][] = [];
  for (const [index, line] of linesOf(text).entries()) {
    if (line.trim() === '') continue;
    const last = info.at(-1);
    if (/^[ \t]/.test(line) && last !== undefined) {
      last[1] += ` ${line.trim()}`;
      continue;
    }
    const shape = isOld ? /^([^:]+):(.*)$/s : /^([^:\s](?:[^:]*[^:\s])?):[ \t](.*)$/s;
    const [, label, value] = shape.exec(line) ?? [];
    if (label === undefined || value === undefined)
      throw new Fault('integrity', `bag-info.txt: line ${index + 1} is damaged`);
    info.push([label.trimEnd().toLowerCase(), value.trim()]);
  }
  return info;
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}
