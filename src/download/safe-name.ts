// Makes file names safe: one path segment, valid on every system, that cannot lead out of the folder.
import { Fault } from '../faults.ts';

/** Of UTF-8. Below what file systems allow, with room for a suffix. */
const MAX_NAME_BYTES = 200;
const MAX_EXTENSION_BYTES = 24;

/** Device names of Windows; they are reserved with any extension. */
const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9\xb9\xb2\xb3]|lpt[0-9\xb9\xb2\xb3])(\.|$)/i;
/** As {@link nameKey}: the files that `arx attachments verify` reads to learn what a folder should hold. */
const REFERENCE =
  /^(?:sha256sums|(?:bagit|bag-info|fetch)\.txt|(?:tag)?manifest-(?:md5|sha(?:3-?)?-?(?:1|224|256|384|512))\.txt)$/;
/** Separators, drive and stream colons, wildcards and quotes of Windows. */
const FORBIDDEN = /[/\\:*?"<>|]/g;
/** Bags escape the percent sign (RFC 8493 2.1.3), and bagit-python does not decode it: it finds no such file. */
const PERCENT = /%/g;
/** Controls, format characters (bidi, zero width), lone surrogates, private use, line and paragraph separators. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Returns the name for the file `filename` of the row `id`. A name that is safe on every system stays as it is. Another
 * one is reduced to safe characters and prefixed with the id, so that no two rows get the same; then `changed` is true.
 * So is a name with a percent sign, which other programs do not find in a bag, unless `exact` is set. Throws Fault 'unsafe'
 * for any other unsafe name if `exact` is set.
 */
export function safeName(
  id: string,
  filename: string,
  options: { exact?: boolean } = {},
): { name: string; changed: boolean } {
  const trouble = unsafeReason(filename);
  const isKept = trouble === undefined && (options.exact === true || filename.search(PERCENT) < 0);
  if (isKept) return { name: filename, changed: false };
  if (options.exact === true) throw new Fault('unsafe', `file name of ${id} ${trouble}`);
  const prefix = cutTo(reduce(id), 80) || 'file';
  const stem = reduce(filename);
  const name = stem === '' ? prefix : cutKeepingExtension(`${prefix}-${stem}`);
  // An id such as con.x is itself a device name.
  return { name: hasMeaning(name) ? cutKeepingExtension(`id-${name}`) : name, changed: true };
}

/**
 * As {@link safeName}, but prefixes the id also if another row of the folder has the name. `taken` maps {@link nameKey} to
 * the id that has the name; the caller adds the name that it uses. `folder`: of a folder inside the target folder, which is
 * safe; then keys and the result begin with it.
 */
export function uniqueName(
  id: string,
  filename: string,
  taken: ReadonlyMap<string, string>,
  options: { exact?: boolean; folder?: string } = {},
): { name: string; changed: boolean } {
  const { folder = '' } = options;
  const inFolder = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
  const isFree = (name: string) => (taken.get(nameKey(inFolder(name))) ?? id) === id;
  const safe = safeName(id, filename, options);
  if (isFree(safe.name)) return { ...safe, name: inFolder(safe.name) };
  if (options.exact === true)
    throw new Fault('unsafe', `file name of ${id} is taken by ${taken.get(nameKey(inFolder(safe.name)))}`);
  for (let turn = 1; ; turn++) {
    const before = turn === 1 ? id : `${id}-${turn}`;
    const { name } = safeName(before, `/${safe.name}`);
    if (isFree(name)) return { name: inFolder(name), changed: true };
  }
}

/** Returns the same key for two names that are one file on some system, where case and Unicode form do not matter. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase();
}

/** Returns why a name is not safe on every system, as a verb phrase; undefined where it is safe. */
export function unsafeReason(name: string): string | undefined {
  if (name === '' || /^[\s.]*$/u.test(name)) return 'is empty';
  if (name.search(FORBIDDEN) >= 0) return 'holds a path separator or a forbidden character';
  if (name.search(UNPRINTABLE) >= 0) return 'holds control characters';
  if (/^[.~-]/.test(name)) return 'begins with a dot, a tilde or a dash';
  if (/^\s|[\s.]$/u.test(name)) return 'begins or ends with a space or a dot';
  if (RESERVED.test(name)) return 'is the name of a device';
  if (REFERENCE.test(nameKey(name))) return 'is that of a list of checksums or part of a bag';
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return 'is too long';
  return undefined;
}

function hasMeaning(name: string): boolean {
  return RESERVED.test(name) || REFERENCE.test(nameKey(name));
}

function reduce(text: string): string {
  const reduced = text
    .replace(FORBIDDEN, '_')
    .replace(PERCENT, '_')
    .replace(UNPRINTABLE, '_')
    .replace(/\s/gu, ' ')
    .replace(/\.{2,}/g, '.')
    .replace(/^[\s._~-]+/u, '');
  return withoutFinalDots(reduced);
}

function cutKeepingExtension(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 ? name.slice(dot) : '';
  const kept = Buffer.byteLength(extension) <= MAX_EXTENSION_BYTES ? extension : '';
  return cutTo(name.slice(0, kept === '' ? undefined : dot), MAX_NAME_BYTES - Buffer.byteLength(kept)) + kept;
}

/** Cuts between code points. The result does not end in a space or a dot. */
function cutTo(text: string, bytes: number): string {
  let size = 0;
  let kept = '';
  for (const point of text) {
    size += Buffer.byteLength(point);
    if (size > bytes) break;
    kept += point;
  }
  return withoutFinalDots(kept);
}

function withoutFinalDots(text: string): string {
  let end = text.length;
  while (/[\s.]/u.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
