// The integrity checks that are made once, when a record arrives (rules/integrity.ts says what each one proves).
import { ATTACHMENT, MESSAGE } from '../rules/integrity.ts';
import type { ImportedAttachment, ImportedMessage } from './import-items.ts';

const DAY_MS = 86_400_000;

/** Whether a claimed date can be: from 1970 to a day after now, which forgives a clock or a time zone that is off. */
export function isPlausibleDate(date: number | null, now: number): boolean {
  return date !== null && date >= 0 && date <= now + DAY_MS;
}

/** Bits of the checks a message fails by itself, its place among others aside. */
export function failedMessageChecks(message: ImportedMessage, now: number): number {
  return (
    (message.decodable ? 0 : MESSAGE.decodable) |
    (message.wellFormed ? 0 : MESSAGE.wellFormed) |
    (isPlausibleDate(message.date_ms, now) ? 0 : MESSAGE.datePlausible)
  );
}

/** Bits of the checks a file fails; `held` is whether the archive has its bytes. */
export function failedAttachmentChecks(file: ImportedAttachment, held: boolean): number {
  return (
    (held ? 0 : ATTACHMENT.bytesHeld) |
    (agreesWithDetectedType(file.declared_type, file.detected_type) ? 0 : ATTACHMENT.typeAgrees) |
    (isPortableFilename(file.filename) ? 0 : ATTACHMENT.nameSafe) |
    (file.trailing_bytes === 0 ? 0 : ATTACHMENT.nothingTrails)
  );
}

const RESERVED_NAMES = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Whether a name can be a file's name as it stands on every system (faults C1 to C8). */
export function isPortableFilename(name: string): boolean {
  return (
    name.length > 0 &&
    Buffer.byteLength(name) <= 200 &&
    !/[\p{Cc}\p{Cf}\p{Cs}<>:"/\\|?*]/u.test(name) &&
    !/^[.~ -]|[. ]$/.test(name) &&
    !RESERVED_NAMES.test(name)
  );
}

/** Declared types of formats that are never text, so that text found in their place is a disagreement. */
const BINARY_TYPES =
  /^(?:image|audio|video|font)\/(?!svg)|^application\/(?:pdf|x-?zip|zip|x-zip|gzip|x-gzip|x-bzip|x-tar|x-xz|msword|vnd\.ms-|vnd\.openxml|vnd\.oasis|vnd\.rar|x-rar)/;
const ZIP_TYPES = /zip|openxmlformats|opendocument|oasis|epub|java-archive|android/;
const OLE_TYPES = /msword|ms-|excel|powerpoint|visio|works|outlook|ole/;

/** Other names by which a format is declared; the key is the name with `x-` taken away. */
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

/** Whether first bytes bear out a declared type. Octet-stream claims nothing, and bytes nobody knows deny nothing. */
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
  const bare = type.replace('/x-', '/');
  return TYPE_ALIASES[bare] ?? bare;
}

function isTextType(type: string): boolean {
  return /^(?:text|message)\/|[/+](?:json|xml|mbox|postscript|pgp-.*)$/.test(type);
}
