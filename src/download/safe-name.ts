// Names under which foreign files are kept: the same on every system, one path segment, never a way out of the folder.
import { Fault } from '../faults.ts';

/** Bytes of UTF-8 in a whole name, well below what file systems take, with room for a temporary's suffix. */
const MAX_NAME_BYTES = 200;
const MAX_EXTENSION_BYTES = 24;

/** Device names of Windows, with any extension. */
const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9\xb9\xb2\xb3]|lpt[0-9\xb9\xb2\xb3])(\.|$)/i;
/** Separators, drive and stream colons, wildcards and quotes of Windows. */
const FORBIDDEN = /[/\\:*?"<>|]/;
/** Controls, format characters (bidi, zero width), lone surrogates, private use, line and paragraph separators. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * The name for the file `filename` of record `id`. Names that are already safe on every system stay as they are;
 * others are reduced to a safe stem and prefixed by the id, so that two of them cannot meet (faults C1 to C8).
 * `changed` says that it is not the catalogue's name. Pass `exact` to get Fault `unsafe` instead of a change.
 */
export function safeName(
  id: string,
  filename: string,
  options: { exact?: boolean } = {},
): { name: string; changed: boolean } {
  const trouble = unsafeReason(filename);
  if (trouble === undefined) return { name: filename, changed: false };
  if (options.exact === true) throw new Fault('unsafe', `file name of ${id} ${trouble}`);
  const prefix = cutTo(reduce(id), 80) || 'file';
  const stem = reduce(filename);
  const name = stem === '' ? prefix : cutKeepingExtension(`${prefix}-${stem}`);
  // An id such as con.x would itself be a device name.
  return { name: RESERVED.test(name) ? cutKeepingExtension(`id-${name}`) : name, changed: true };
}

/**
 * {@link safeName}, but never a name that another record of the folder has: then the id is put before it. `taken` maps
 * {@link nameKey} to the id that has the name; the caller adds what it uses.
 */
export function uniqueName(
  id: string,
  filename: string,
  taken: ReadonlyMap<string, string>,
  options: { exact?: boolean } = {},
): { name: string; changed: boolean } {
  const isFree = (name: string) => (taken.get(nameKey(name)) ?? id) === id;
  const safe = safeName(id, filename, options);
  if (isFree(safe.name)) return safe;
  if (options.exact === true)
    throw new Fault('unsafe', `file name of ${id} is taken by ${taken.get(nameKey(safe.name))}`);
  for (let turn = 1; ; turn++) {
    const before = turn === 1 ? id : `${id}-${turn}`;
    const { name } = safeName(before, `/${safe.name}`);
    if (isFree(name)) return { name, changed: true };
  }
}

/** The key by which two names are one file on some system: case and Unicode form do not tell them apart there. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase();
}

/** Why a name is not safe on every system; undefined where it is. */
export function unsafeReason(name: string): string | undefined {
  if (name === '' || /^[\s.]*$/u.test(name)) return 'is empty';
  if (FORBIDDEN.test(name)) return 'holds a path separator or a forbidden character';
  if (UNPRINTABLE.test(name)) return 'holds control characters';
  if (/^[.~-]/.test(name)) return 'begins with a dot, a tilde or a dash';
  if (/^\s|[\s.]$/u.test(name)) return 'begins or ends with a space or a dot';
  if (RESERVED.test(name)) return 'is the name of a device';
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return 'is too long';
  return undefined;
}

function reduce(text: string): string {
  return text
    .replace(new RegExp(FORBIDDEN, 'g'), '_')
    .replace(new RegExp(UNPRINTABLE, 'gu'), '_')
    .replace(/\s/gu, ' ')
    .replace(/\.{2,}/g, '.')
    .replace(/^[\s._~-]+|[\s.]+$/gu, '');
}

function cutKeepingExtension(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 ? name.slice(dot) : '';
  const kept = Buffer.byteLength(extension) <= MAX_EXTENSION_BYTES ? extension : '';
  return cutTo(name.slice(0, kept === '' ? undefined : dot), MAX_NAME_BYTES - Buffer.byteLength(kept)) + kept;
}

/** Cut on a code point, and so that it does not end in a space or a dot. */
function cutTo(text: string, bytes: number): string {
  let size = 0;
  let kept = '';
  for (const point of text) {
    size += Buffer.byteLength(point);
    if (size > bytes) break;
    kept += point;
  }
  return kept.replace(/[\s.]+$/u, '');
}
