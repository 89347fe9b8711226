// The tag files of a BagIt bag as text: declaration, manifests, metadata and fetch list (RFC 8493, and drafts back to 0.93).
import { Fault } from '../faults.ts';
import { leavesFolder } from '../verify/checksum-list.ts';

/** As node:crypto names them; where a bag has several the first of these is shown. */
export const ALGORITHMS = ['sha256', 'sha512', 'sha384', 'sha224', 'sha1', 'md5'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

const DIGITS: Record<Algorithm, number> = {
  sha256: 64,
  sha512: 128,
  sha384: 96,
  sha224: 56,
  sha1: 40,
  md5: 32,
};

/** More lines than any bag has; a manifest that goes on is refused before it fills the memory. */
const MAX_LINES = 2_000_000;

export type Declaration = { version: string; encoding: string; isOld: boolean };

/**
 * bagit.txt. `isOld`: before 1.0, whose rules are looser. Fault `integrity` for anything but its two lines, `partial`
 * for a version that is not known here.
 */
export function parseDeclaration(bytes: Uint8Array): Declaration {
  const text = decode(bytes, 'UTF-8', 'bagit.txt');
  const damaged = (what: string) => new Fault('integrity', `bagit.txt ${what}`);
  // The decoder is told to leave it in place.
  if (text.startsWith('\uFEFF')) throw damaged('begins with a byte-order mark');
  const [first = '', second = '', ...rest] = linesOf(text);
  const [, version, major, minor] = /^BagIt-Version:[ \t]+((\d+)\.(\d+))[ \t]*$/i.exec(first) ?? [];
  if (version === undefined) throw damaged('does not name a version');
  const [, encoding] = /^Tag-File-Character-Encoding:[ \t]+(\S+)[ \t]*$/i.exec(second) ?? [];
  if (encoding === undefined) throw damaged('does not name an encoding');
  if (rest.some((line) => line.trim() !== '')) throw damaged('has more than two lines');
  const isOld = Number(major) === 0 && Number(minor) >= 93 && Number(minor) <= 97;
  if (!isOld && version !== '1.0') throw new Fault('partial', `BagIt ${version} is not known here`);
  return { version, encoding, isOld };
}

/** Fault `integrity` naming the file for bytes that are not of the encoding, `partial` for one that is not known. */
export function decode(bytes: Uint8Array, encoding: string, name: string): string {
  // Without its endianness a byte-order mark tells it.
  const label = /^utf-?16$/i.test(encoding) ? (bytes[0] === 0xfe ? 'utf-16be' : 'utf-16le') : encoding;
  let decoder;
  try {
    decoder = new TextDecoder(label, { fatal: true, ignoreBOM: name === 'bagit.txt' });
  } catch {
    throw new Fault('partial', `the encoding ${encoding} of the bag is not known here`);
  }
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Fault('integrity', `${name} is not ${encoding}`);
  }
}

/** `manifest-md5.txt` and `tagmanifest-md5.txt`, however the algorithm is spelled; undefined for other names. */
export function manifestName(path: string): { isTag: boolean; algorithm: string } | undefined {
  const [, tag, spelled] = /^(tag)?manifest-([^/]+)\.txt$/i.exec(path) ?? [];
  if (spelled === undefined) return undefined;
  return { isTag: tag !== undefined, algorithm: spelled.toLowerCase().replaceAll(/[^a-z0-9]/g, '') };
}

export function isKnownAlgorithm(algorithm: string): algorithm is Algorithm {
  return (ALGORITHMS as readonly string[]).includes(algorithm);
}

/** One line of a manifest; `isBinary`: with the mark of md5sum, which is no part of the name. */
export type ManifestLine = { line: number; hash: string; path: string; isBinary: boolean };

/**
 * The lines of a manifest, paths as they are written. Fault `integrity` naming the line for what is none, `unsafe` for
 * a path that leaves the bag (RFC 8493 5.1) and for a manifest without an end.
 */
export function* parseManifest(text: string, name: string, algorithm: string): Generator<ManifestLine> {
  const digits = isKnownAlgorithm(algorithm) ? DIGITS[algorithm] : undefined;
  for (const [index, line] of linesOf(text).entries()) {
    if (line.trim() === '') continue;
    if (index >= MAX_LINES) throw new Fault('unsafe', `${name} has more than ${MAX_LINES} lines`);
    const [, hash, mark, path] = /^([0-9a-fA-F]+)[ \t]+(\*?)(.+)$/s.exec(line) ?? [];
    if (hash === undefined || path === undefined || (digits !== undefined && hash.length !== digits))
      throw new Fault('integrity', `${name}: line ${index + 1} is damaged`);
    yield {
      line: index + 1,
      hash: hash.toLowerCase(),
      path: insideOnly(path, name, index + 1),
      isBinary: mark !== '',
    };
  }
}

export type FetchLine = { url: string; path: string; bytes: number | null };

/** fetch.txt; nothing of it is ever fetched. Faults as {@link parseManifest}. */
export function* parseFetch(text: string): Generator<FetchLine> {
  for (const [index, line] of linesOf(text).entries()) {
    if (line.trim() === '') continue;
    if (index >= MAX_LINES) throw new Fault('unsafe', `fetch.txt has more than ${MAX_LINES} lines`);
    const [, url, length, path] = /^(\S+)[ \t]+(\d{1,15}|-)[ \t]+(.+)$/s.exec(line) ?? [];
    if (url === undefined || path === undefined)
      throw new Fault('integrity', `fetch.txt: line ${index + 1} is damaged`);
    yield {
      url,
      path: insideOnly(path, 'fetch.txt', index + 1),
      bytes: length === '-' ? null : Number(length),
    };
  }
}

/** Without `./`, which says nothing. */
function insideOnly(written: string, name: string, line: number): string {
  const path = written.replace(/^(?:\.\/)+/, '').replaceAll(/\/(?:\.\/)+/g, '/');
  const leaves = (each: string) =>
    leavesFolder(each) || leavesFolder(each.replaceAll('\\', '/')) || /^(?:~|[a-z]:)/i.test(each);
  if (leaves(path) || leaves(unescapePath(path)))
    throw new Fault('unsafe', `${name}: line ${line} names a path outside the bag`);
  return path;
}

/** Only what cannot stand in a line is escaped in a path, and the percent sign itself (RFC 8493 2.1.3). */
export function escapePath(path: string): string {
  return path.replaceAll(
    /[%\r\n]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

export function unescapePath(path: string): string {
  return path.replaceAll(/%(0A|0D|25)/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/**
 * bag-info.txt: labels in lower case with their values, in order. Fault `integrity` naming the line for what is no
 * `Label: value`; before 1.0 white space around the colon is no matter (RFC 8493 2.2.2).
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
    const shape = isOld ? /^([^:]+?)[ \t]*:[ \t]*(.*)$/s : /^([^:\s](?:[^:]*[^:\s])?):[ \t](.*)$/s;
    const [, label, value] = shape.exec(line) ?? [];
    if (label === undefined || value === undefined)
      throw new Fault('integrity', `bag-info.txt: line ${index + 1} is damaged`);
    info.push([label.toLowerCase(), value.trim()]);
  }
  return info;
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}
