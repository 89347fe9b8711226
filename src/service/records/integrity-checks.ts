// The integrity checks of one message or attachment that are made once, on import. rules/integrity.ts describes each check.
import { ATTACHMENT, MESSAGE } from '../rules/integrity.ts';
import type { ImportedAttachment, ImportedMessage } from './import-items.ts';

const DAY_MS = 86_400_000;

/**
 * Returns whether a claimed date is possible: not before 1970 and at most a day after `now`. The day allows for wrong
 * clocks and time zones. Both are milliseconds since the epoch.
 */
export function isPlausibleDate(date: number | null, now: number): boolean {
  return date !== null && date >= 0 && date <= now + DAY_MS;
}

/** Returns the bits (`MESSAGE`) of the checks that a message fails by itself, whatever other messages there are. */
export function failedMessageChecks(message: ImportedMessage, now: number): number {
  return (
    (message.decodable ? 0 : MESSAGE.decodable) |
    (message.wellFormed ? 0 : MESSAGE.wellFormed) |
    (isPlausibleDate(message.date_ms, now) ? 0 : MESSAGE.datePlausible)
  );
}

/** Returns the bits (`ATTACHMENT`) of the checks that a file fails. `held`: whether the archive has its bytes. */
export function failedAttachmentChecks(file: ImportedAttachment, held: boolean): number {
  return (
    (held ? 0 : ATTACHMENT.bytesHeld) |
    (agreesWithDetectedType(file.declared_type, file.detected_type) ? 0 : ATTACHMENT.typeAgrees) |
    (isPortableFilename(file.filename) ? 0 : ATTACHMENT.nameSafe) |
    (file.trailing_bytes === 0 ? 0 : ATTACHMENT.nothingTrails)
  );
}

const MAX_NAME_BYTES = 200;
/** Device names of Windows, with any extension. */
const RESERVED_NAMES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Returns whether every operating system accepts the name unchanged as the name of a visible file. */
export function isPortableFilename(name: string): boolean {
  return (
    name.length > 0 &&
    Buffer.byteLength(name) <= MAX_NAME_BYTES &&
    !/[\p{Cc}\p{Cf}\p{Cs}<>:"/\\|?*]/u.test(name) &&
    !/^[.~ -]|[. ]$/.test(name) &&
    !RESERVED_NAMES.test(name)
  );
}

/** Declared types of formats that are never text: if the bytes are text, the types disagree. */
const BINARY_TYPES =
  /^(?:image|audio|video|font)\/(?!svg)|^application\/(?:pdf|x-?zip|zip|x-zip|gzip|x-gzip|x-bzip|x-tar|x-xz|msword|vnd\.ms-|vnd\.openxml|vnd\.oasis|vnd\.rar|x-rar)/;
/** Types whose files are zip archives. */
const ZIP_TYPES = /zip|openxmlformats|opendocument|oasis|epub|java-archive|android/;
/** Types whose files are OLE2 compound files. */
const OLE_TYPES = /msword|ms-|excel|powerpoint|visio|works|outlook|ole/;

/** Other names by which a format is declared, to its usual name. Both are without `x-`. */
const TYPE_ALIASES: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/tif': 'image/tiff',
  'image/ms-bmp': 'image/bmp',
  'image/icon': 'image/vnd.microsoft.icon',
  'audio/mp3': 'audio/mpeg',
  'audio/wave': 'audio/wav',
  'application/gunzip': 'application/gzip',
  'application/bzip': 'application/bzip2',
  'application/gtar': 'application/tar',
  'application/rar-compressed': 'application/vnd.rar',
  'application/rar': 'application/vnd.rar',
  'application/msdownload': 'application/vnd.microsoft.portable-executable',
  'application/dosexec': 'application/vnd.microsoft.portable-executable',
};

/**
 * Returns whether the type that the first bytes show supports the declared type. `application/octet-stream` claims
 * nothing, so it always agrees; so does an undetected type (null).
 */
export function agreesWithDetectedType(declared: string, detected: string | null): boolean {
  if (detected === null || declared === 'application/octet-stream') return true;
  const claim = canonicalType(declared);
  const found = canonicalType(detected);
  if (claim === found) return true;
  if (isTextType(found)) return !BINARY_TYPES.test(declared);
  if (ZIP_TYPES.test(found)) return ZIP_TYPES.test(claim);
  if (OLE_TYPES.test(found)) return OLE_TYPES.test(claim);
  return !BINARY_TYPES.test(declared) && !isTextType(claim) && claim.startsWith('application/');
}

function canonicalType(type: string): string {
  const withoutPrefix = type.replace('/x-', '/');
  return TYPE_ALIASES[withoutPrefix] ?? withoutPrefix;
}

function isTextType(type: string): boolean {
  return /^(?:text|message)\/|[/+](?:json|xml|mbox|postscript|pgp-[^/+]*)$/.test(type);
}
