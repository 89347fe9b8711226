// A bag in a zip file, as the check reads it: entries are unpacked in memory and never written.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Entry, ZipFile } from 'yauzl';
import { diskFault } from '../disk/disk-fault.ts';
import { Fault } from '../faults.ts';
import { tooLarge, type BagSource } from './folder-source.ts';
import type { HashPoolOptions, HashFailure, FileHashes } from '../verify/hash-pool.ts';
import { leavesFolder } from '../verify/checksum-list.ts';

/** More than any real bag has. A directory that claims more is refused before it fills the memory. */
const MAX_ENTRIES = 2_000_000;

/** A deflated byte becomes at most 1,032, plus a few for the frame. More is false, or bytes are used twice. */
const MAX_EXPANSION = 1033;

/** Unix mode bits in the attributes of an entry: the file type, and a symlink. */
const KIND = 0o170000;
const LINK = 0o120000;

/** Only these fields are kept of each entry, since there may be very many. */
type EntryLocation = Pick<
  Entry,
  'compressedSize' | 'uncompressedSize' | 'compressionMethod' | 'relativeOffsetOfLocalHeader'
>;
/** By name; undefined for an entry that cannot be read. */
type EntryLocations = ReadonlyMap<string, EntryLocation | undefined>;

/**
 * Opens the bag at the top of a zip, or in its one folder with a bagit.txt. Throws Fault 'unsafe' for names that lead out of
 * the zip, duplicate names, symlinks, overlapping entries, and sizes that are not possible in this zip; 'integrity' for a
 * damaged zip, 'not_found' if it has no bag.
 */
export async function openZipSource(path: string): Promise<BagSource> {
  const { default: yauzl } = await import('yauzl');
  const { size } = await stat(path);
  let zip: ZipFile | undefined;
  const locations = new Map<string, EntryLocation | undefined>();
  let compressed = 0;
  try {
    zip = await yauzl.openPromise(path, { autoClose: false, decodeStrings: false });
    if (zip.entryCount > MAX_ENTRIES) throw new Fault('unsafe', 'the zip names too many files');
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry);
      if (locations.has(name)) throw new Fault('unsafe', `the zip holds ${name} twice`);
      checkGrowth(entry, name);
      compressed += entry.compressedSize;
      // Entries that do not overlap cannot be longer than the zip.
      if (compressed > size) throw new Fault('unsafe', 'the entries of the zip overlap');
      locations.set(name, locationOf(entry));
    }
  } catch (error) {
    zip?.close();
    throw zipFault(error);
  }
  const base = baseOf(locations.keys());
  if (base === undefined) {
    zip.close();
    throw new Fault('not_found', `${path} has no bagit.txt`);
  }
  const { Entry } = yauzl;
  return sourceOver(zip, locations, base, (location) =>
    Object.assign(new Entry(), { generalPurposeBitFlag: 0 }, location),
  );
}

function sourceOver(
  zip: ZipFile,
  locations: EntryLocations,
  base: string,
  entryAt: (location: EntryLocation) => Entry,
): BagSource {
  const files = new Set<string>();
  const others = new Map<string, HashFailure>();
  let outside = 0;
  for (const [name, location] of locations) {
    if (!name.startsWith(base)) outside += 1;
    else if (name.endsWith('/')) continue;
    else if (location !== undefined) files.add(name.slice(base.length));
    else others.set(name.slice(base.length), 'unreadable');
  }
  const named = (path: string): EntryLocation => locations.get(`${base}${path}`)!;
  return {
    files,
    others,
    // An empty payload directory need not have an entry in a zip.
    hasPayload: true,
    oddities: outside > 0 ? [`files in the zip outside the bag, not checked: ${outside}`] : [],
    async read(path, maxBytes) {
      const location = named(path);
      if (location.uncompressedSize > maxBytes) throw tooLarge(path, maxBytes);
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of await zip.openReadStreamPromise(entryAt(location)))
          chunks.push(chunk as Buffer);
        return Buffer.concat(chunks);
      } catch (error) {
        throw zipFault(error);
      }
    },
    octets: async (paths) => paths.reduce((sum, path) => sum + named(path).uncompressedSize, 0),
    async hash(paths, options) {
      const found: FileHashes = { hashes: [], bytes: [] };
      for (const path of paths) {
        const { hashes, bytes } = await hashEntry(zip, entryAt(named(path)), options);
        found.hashes.push(hashes);
        found.bytes.push(bytes);
      }
      return found;
    },
    close: () => zip.close(),
  };
}

async function hashEntry(
  zip: ZipFile,
  entry: Entry,
  { algorithms, signal, onBytes }: HashPoolOptions,
): Promise<{ hashes: string; bytes: number }> {
  const hashes = algorithms.map((name) => createHash(name));
  let bytes = 0;
  try {
    // yauzl ends the stream with an error as soon as it is longer than the entry declares.
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      signal.throwIfAborted();
      for (const each of hashes) each.update(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      onBytes?.((chunk as Buffer).length);
    }
    return { hashes: hashes.map((each) => each.digest('hex')).join(' '), bytes };
  } catch {
    signal.throwIfAborted();
    return { hashes: 'unreadable', bytes };
  }
}

function locationOf(entry: Entry): EntryLocation | undefined {
  const { compressedSize, uncompressedSize, compressionMethod, relativeOffsetOfLocalHeader } = entry;
  const isReadable = !entry.isEncrypted() && (compressionMethod === 0 || compressionMethod === 8);
  return isReadable
    ? { compressedSize, uncompressedSize, compressionMethod, relativeOffsetOfLocalHeader }
    : undefined;
}

function nameOf(entry: Entry): string {
  const { fileNameRaw: raw, generalPurposeBitFlag: flags } = entry;
  // Many tools write UTF-8 without setting the flag for it.
  if ((flags & 0x800) !== 0 && !isUtf8(raw))
    throw new Fault('integrity', 'the zip has a name that is not UTF-8');
  const name = raw.toString(isUtf8(raw) ? 'utf8' : 'latin1');
  const inside = (each: string) => !leavesFolder(each) && !/^[a-z]:/i.test(each);
  if (!inside(name) || !inside(name.replaceAll('\\', '/')))
    throw new Fault('unsafe', `the zip names a path outside itself, ${name}`);
  if (((entry.externalFileAttributes >>> 16) & KIND) === LINK)
    throw new Fault('unsafe', `the zip has a symbolic link, ${name}`);
  return name;
}

/** Throws Fault 'unsafe' for an entry that claims more bytes than its compressed bytes can become. */
function checkGrowth({ uncompressedSize, compressedSize }: Entry, name: string): void {
  if (uncompressedSize > MAX_EXPANSION * (compressedSize + 1))
    throw new Fault('unsafe', `the zip claims ${uncompressedSize} bytes for ${name}`);
}

/** Returns the prefix of the bag's files, '' at the top; undefined if there is no bag, or more than one. */
function baseOf(names: Iterable<string>): string | undefined {
  const bases: string[] = [];
  for (const name of names) {
    const [, base] = /^((?:[^/]+\/)?)bagit\.txt$/.exec(name) ?? [];
    if (base === '') return base;
    if (base !== undefined) bases.push(base);
  }
  return bases.length === 1 ? bases[0] : undefined;
}

function zipFault(error: unknown): unknown {
  const fault = diskFault(error, 'the zip');
  if (fault instanceof Fault || !(fault instanceof Error)) return fault;
  const [text = ''] = fault.message.split('. ', 1);
  return new Fault('integrity', `the zip is damaged (${text.charAt(0).toLowerCase()}${text.slice(1)})`);
}
