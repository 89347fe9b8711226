// Distinguishes the formats that share a container format: zip, OLE2, RIFF, Ogg, Matroska and ISO base media.
import type { Buffer } from 'node:buffer';

/** Returns the type of a zip by the names of its entries: Office, OpenDocument, EPUB, Java, Android; else application/zip. */
export function zipType(bytes: Buffer): string | null {
  for (const { name, body } of localEntries(bytes)) {
    if (name === 'mimetype') return ZIP_FORMATS.test(body.trim()) ? body.trim() : 'application/zip';
    if (name.startsWith('word/')) return OOXML + 'wordprocessingml.document';
    if (name.startsWith('xl/')) return OOXML + 'spreadsheetml.sheet';
    if (name.startsWith('ppt/')) return OOXML + 'presentationml.presentation';
    if (name === 'META-INF/MANIFEST.MF') return 'application/java-archive';
    if (name === 'AndroidManifest.xml') return 'application/vnd.android.package-archive';
  }
  return 'application/zip';
}
/** Formats in zip files that name themselves in an entry. A zip that calls itself by the name of another format is a zip. */
const ZIP_FORMATS =
  /^(?:application\/(?:[a-z][a-z\d.-]{1,60}\+zip|vnd\.(?:oasis\.opendocument|sun\.xml)\.[a-z][a-z\d.-]{1,40}|vnd\.adobe\.indesign-idml-package|vnd\.recordare\.musicxml|x-krita)|image\/openraster)$/;
const OOXML = 'application/vnd.openxmlformats-officedocument.';

/** The first 24 entries by their local headers. A local header may lack the size, so the next header is searched for. */
function* localEntries(bytes: Buffer): Generator<{ name: string; body: string }> {
  let at = 0;
  for (let count = 0; count < 24 && at >= 0 && at + 30 < bytes.length; count += 1) {
    const nameLength = bytes.readUInt16LE(at + 26);
    const body = at + 30 + nameLength + bytes.readUInt16LE(at + 28);
    yield {
      name: bytes.toString('latin1', at + 30, at + 30 + nameLength),
      body: bytes.toString('latin1', body, Math.min(body + 80, body + bytes.readUInt32LE(at + 18))),
    };
    at = bytes.indexOf('PK\x03\x04', at + 30, 'latin1');
  }
}

/** Stream names that only one program writes. The directory has them in UTF-16. */
const OLE_STREAMS: ReadonlyArray<readonly [stream: string, type: string]> = [
  ['WordDocument', 'application/msword'],
  ['Workbook', 'application/vnd.ms-excel'],
  ['Book', 'application/vnd.ms-excel'],
  ['PowerPoint Document', 'application/vnd.ms-powerpoint'],
  ['VisioDocument', 'application/vnd.visio'],
  ['__properties_version1.0', 'application/vnd.ms-outlook'],
  ['MatOST', 'application/vnd.ms-works'],
];

/** Returns the type of an OLE2 file (Office before 2007) by its stream names; else application/x-ole-storage. */
export function oleType(bytes: Buffer): string | null {
  if (bytes.length < 512) return 'application/x-ole-storage';
  const sector = 1 << Math.min(bytes.readUInt16LE(30), 16);
  const directory = (bytes.readUInt32LE(48) + 1) * sector;
  for (let at = directory; at + 128 <= bytes.length && at < directory + 64 * 128; at += 128) {
    const length = bytes.readUInt16LE(at + 64);
    if (length < 2 || length > 64) continue;
    const name = bytes.toString('utf16le', at, at + length - 2);
    const found = OLE_STREAMS.find(([stream]) => stream === name);
    if (found !== undefined) return found[1];
  }
  return 'application/x-ole-storage';
}

/** Returns the type of a RIFF file by its form, or null. */
export function riffType(bytes: Buffer): string | null {
  const forms: Record<string, string> = {
    WAVE: 'audio/x-wav',
    'AVI ': 'video/x-msvideo',
    WEBP: 'image/webp',
    RMID: 'audio/midi',
  };
  return forms[bytes.toString('latin1', 8, 12)] ?? null;
}

/** Returns the type of an Ogg file by the codec of its first stream. */
export function oggType(bytes: Buffer): string | null {
  const codec = bytes.toString('latin1', 28, 36);
  const begins = (...magics: string[]) => magics.some((magic) => codec.startsWith(magic));
  if (begins('\x80theora', 'BBCD')) return 'video/ogg';
  return begins('\x01vorbis', 'OpusHead', 'Speex', '\x7fFLAC') ? 'audio/ogg' : 'application/ogg';
}

/** Returns the type of an EBML file, or null when it is neither WebM nor Matroska. */
export function ebmlType(bytes: Buffer): string | null {
  const head = bytes.subarray(0, 64);
  if (head.includes('webm')) return 'video/webm';
  return head.includes('matroska') ? 'video/x-matroska' : null;
}

/** Returns the type of an ISO base media file (ISO/IEC 14496-12): by the major brand, else by the first known compatible one. */
export function isoMediaType(bytes: Buffer): string | null {
  const end = Math.min(bytes.readUInt32BE(0), bytes.length, 64);
  for (let at = 8; at + 4 <= end; at += at === 8 ? 8 : 4) {
    const brand = bytes.toString('latin1', at, at + 4);
    const found = BRANDS.find(([shape]) => shape.test(brand));
    if (found !== undefined) return found[1];
  }
  return 'video/mp4';
}
const BRANDS: ReadonlyArray<readonly [brand: RegExp, type: string]> = [
  [/^(heic|heix|heim|heis)$/, 'image/heic'],
  [/^(mif1|msf1|hevc|hevx)$/, 'image/heif'],
  [/^avi[fs]$/, 'image/avif'],
  [/^qt {2}$/, 'video/quicktime'],
  [/^M4[AB] $/, 'audio/mp4'],
  [/^3g[a-z]\w$/, 'video/3gpp'],
  [/^crx $/, 'image/x-canon-cr3'],
  [/^(isom|iso\d|mp4\d|avc1|M4V |dash|MSNV)$/, 'video/mp4'],
];
