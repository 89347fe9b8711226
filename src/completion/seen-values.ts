// The values that completion proposes: ids, cities, types, sources, senders and names of files that were printed on this machine lately, by archive.
import { join } from 'node:path';
import { readCacheFile, writeCacheFile } from '../disk/cache-file.ts';
import { escapeText } from '../format/terminal/escape.ts';
import type { Settings } from '../config/settings.ts';

/** Kinds of values that are kept. */
export const SEEN_KINDS = [
  'attachments',
  'conversations',
  'messages',
  'events',
  'cities',
  'types',
  'sources',
  'senders',
  'names',
] as const;
/** One of {@link SEEN_KINDS}. */
export type SeenKind = (typeof SEEN_KINDS)[number];
/** A value with what it is, such as the subject of a message; '' where nothing is known. */
export type SeenValue = readonly [value: string, label: string];
/** Values by kind, the latest first. */
export type SeenValues = { [K in SeenKind]?: readonly SeenValue[] };
/** Where the file is, and whose archive is meant. */
export type SeenPlace = {
  /** The cache folder of arx. */
  cache: string;
  /** The archive as a profile sees it: see {@link archiveKey}. */
  archive: string;
  uid: number | undefined;
  pid: number;
};

/** A file of this size is read in about a millisecond. The limits below keep it smaller: 8 × 9 × 50 values of some 90 bytes. */
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_ARCHIVES = 8;
const MAX_VALUES = 50;
const MAX_VALUE_LENGTH = 200;
const MAX_LABEL_LENGTH = 60;
const VERSION = 1;

type Archive = { archive: string; values: SeenValues };

/** Returns the name of the archive that a run with these settings reads. Another profile may see other rows of it. */
export function archiveKey({ base_url: base, data_dir: data, profile }: Settings): string {
  return JSON.stringify([base.value ?? data.value, profile.value]);
}

/** Returns what was seen of an archive, nothing where the file is missing, damaged or not ours. Never throws. */
export function readSeenValues(place: Omit<SeenPlace, 'pid'>): SeenValues {
  return load(place).find(({ archive }) => archive === place.archive)?.values ?? {};
}

/**
 * Puts values before those that the archive has. The file is left as it is where nothing is new, and where it cannot be
 * written. Two runs that end together may lose the values of one. Never throws.
 */
export function addSeenValues(place: SeenPlace, seen: SeenValues): void {
  const before = load(place);
  const own = before.find(({ archive }) => archive === place.archive)?.values ?? {};
  const values: { [K in SeenKind]?: readonly SeenValue[] } = {};
  for (const kind of SEEN_KINDS) {
    const merged = new Map<string, string>();
    for (const [value, label] of [...(seen[kind] ?? []), ...(own[kind] ?? [])]) {
      // A row that shows only the id must not remove what another row said about it.
      if (isProposable(value)) merged.set(value, merged.get(value) || shortLabel(label));
    }
    if (merged.size > 0) values[kind] = [...merged].slice(0, MAX_VALUES);
  }
  const others = before.filter(({ archive }) => archive !== place.archive);
  const archives = [{ archive: place.archive, values }, ...others].slice(0, MAX_ARCHIVES);
  if (Object.keys(values).length === 0 || JSON.stringify(archives) === JSON.stringify(before)) return;
  const text = JSON.stringify({ version: VERSION, archives });
  writeCacheFile(pathOf(place.cache), Buffer.from(text), place);
}

/**
 * Returns whether a value can be typed as it is shown. A value with control or invisible characters cannot, and one that
 * begins with a hyphen would be read as an option.
 */
export function isProposable(value: string): boolean {
  return (
    value !== '' &&
    value.length <= MAX_VALUE_LENGTH &&
    !value.startsWith('-') &&
    value.trim() === value &&
    escapeText(value) === value
  );
}

function shortLabel(label: string): string {
  return escapeText(label.slice(0, MAX_LABEL_LENGTH).trim()).slice(0, MAX_LABEL_LENGTH);
}

function pathOf(cache: string): string {
  return join(cache, 'completion', 'seen.json');
}

function load({ cache, uid }: Pick<SeenPlace, 'cache' | 'uid'>): Archive[] {
  try {
    const bytes = readCacheFile(pathOf(cache), { uid, maxBytes: MAX_FILE_BYTES });
    const found = JSON.parse(bytes?.toString('utf8') ?? 'null') as Partial<{
      version: unknown;
      archives: unknown;
    }> | null;
    return found?.version === VERSION && Array.isArray(found.archives)
      ? found.archives.flatMap(readArchive)
      : [];
  } catch {
    return [];
  }
}

/** Anything may stand in a damaged file: only what fits is used. */
function readArchive(entry: unknown): Archive[] {
  if (typeof entry !== 'object' || entry === null) return [];
  const { archive, values } = entry as Partial<Record<'archive' | 'values', unknown>>;
  if (typeof archive !== 'string' || typeof values !== 'object' || values === null) return [];
  const kept: { [K in SeenKind]?: SeenValue[] } = {};
  for (const kind of SEEN_KINDS) {
    const list = (values as Partial<Record<SeenKind, unknown>>)[kind];
    if (Array.isArray(list)) kept[kind] = list.flatMap(readValue);
  }
  return [{ archive, values: kept }];
}

function readValue(pair: unknown): SeenValue[] {
  if (!Array.isArray(pair)) return [];
  const [value, label] = pair as unknown[];
  return typeof value === 'string' && typeof label === 'string' && isProposable(value)
    ? [[value, label]]
    : [];
}
