// Detects the content type of a file by its bytes, from a table of signatures of formats that occur in archives.
import { Buffer } from 'node:buffer';
import { ebmlType, isoMediaType, oggType, oleType, riffType, zipType } from './containers.ts';
import { detectTextType } from './text.ts';

/** A content type, or a function that decides it from the bytes; null means that the signature does not apply. */
type Found = string | ((bytes: Buffer) => string | null);
type Signature = readonly [at: number, magic: string, found: Found];

/** `magic` has one Latin-1 character per byte. The first signature that applies wins, so longer ones come first. */
const SIGNATURES: readonly Signature[] = [
  [0, '\xff\xd8\xff', 'image/jpeg'],
  [0, '\x89PNG\r\n\x1a\n', 'image/png'],
  [0, 'GIF87a', 'image/gif'],
  [0, 'GIF89a', 'image/gif'],
  [0, '%PDF-', 'application/pdf'],
  [0, 'PK\x03\x04', zipType],
  [0, 'PK\x05\x06', 'application/zip'],
  [0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', oleType],
  [0, 'RIFF', riffType],
  [0, 'OggS', oggType],
  [0, '\x1a\x45\xdf\xa3', ebmlType],
  [4, 'ftyp', isoMediaType],
  [4, 'moov', 'video/quicktime'],
  [4, 'mdat', 'video/quicktime'],
  [4, 'wide', 'video/quicktime'],
  [4, 'pnot', 'video/quicktime'],
  [0, 'II*\0', 'image/tiff'],
  [0, 'MM\0*', 'image/tiff'],
  [0, 'II+\0', 'image/tiff'],
  [0, 'MM\0+', 'image/tiff'],
  [0, 'IIRO', 'image/x-olympus-orf'],
  [
    0,
    'BM',
    (b) => (b.length > 18 && [12, 40, 52, 56, 64, 108, 124].includes(b[14] ?? 0) ? 'image/bmp' : null),
  ],
  [0, '8BPS', 'image/vnd.adobe.photoshop'],
  [0, '\0\0\x01\0', (b) => (b.length > 22 && (b[4] ?? 0) > 0 && b[5] === 0 ? 'image/x-icon' : null)],
  [0, '\0\0\0\x0cjP  \r\n\x87\n', 'image/jp2'],
  [0, '\xff\x4f\xff\x51', 'image/x-jp2-codestream'],
  [0, 'BA', (b) => (/^(CI|BM|IC|PT|CP)$/.test(b.toString('latin1', 14, 16)) ? 'image/x-os2-graphics' : null)],
  [1, '\0', targa],
  [0, '\xd7\xcd\xc6\x9a', 'image/wmf'],
  [40, ' EMF', (b) => (b.readUInt32LE(0) === 1 ? 'image/emf' : null)],
  [0, 'AT&TFORM', 'image/vnd.djvu'],
  [0, 'gimp xcf', 'image/x-xcf'],
  [0, '\x1f\x8b', 'application/gzip'],
  [0, 'BZh', (b) => (/^[1-9]$/.test(String.fromCharCode(b[3] ?? 0)) ? 'application/x-bzip2' : null)],
  [0, '\xfd7zXZ\0', 'application/x-xz'],
  [0, '\x28\xb5\x2f\xfd', 'application/zstd'],
  [0, '7z\xbc\xaf\x27\x1c', 'application/x-7z-compressed'],
  [0, 'Rar!\x1a\x07', 'application/vnd.rar'],
  [257, 'ustar', 'application/x-tar'],
  [0, '\x60\xea', (b) => ((b[10] ?? 99) <= 6 && b.length > 34 ? 'application/x-arj' : null)],
  [2, '-lh', (b) => (b[6] === 0x2d ? 'application/x-lzh-compressed' : null)],
  [0, '\x1f\x9d', 'application/x-compress'],
  [0, 'MSCF\0\0\0\0', 'application/vnd.ms-cab-compressed'],
  [0, '!<arch>\ndebian', 'application/vnd.debian.binary-package'],
  [0, '!<arch>\n', 'application/x-archive'],
  [0, '\xed\xab\xee\xdb', 'application/x-rpm'],
  [0, '{\\rtf', 'text/rtf'],
  [0, '%!PS', 'application/postscript'],
  [0, '\xc5\xd0\xd3\xc6', 'application/postscript'],
  [0, '\x04%!PS', 'application/postscript'],
  [0, '\xffWPC', 'application/vnd.wordperfect'],
  [0, '\0\0\x02\0', (b) => (b.length > 6 && b.readUInt16LE(4) !== 0 ? 'application/vnd.lotus-1-2-3' : null)],
  [0, '\0\0\x1a\0', 'application/vnd.lotus-1-2-3'],
  [60, 'BOOKMOBI', 'application/x-mobipocket-ebook'],
  [4, 'Standard Jet DB\0', 'application/x-msaccess'],
  [4, 'Standard ACE DB\0', 'application/x-msaccess'],
  [0, 'ITOLITLS', 'application/x-ms-reader'],
  [0, 'ITSF', 'application/vnd.ms-htmlhelp'],
  [0, '\x78\x9f\x3e\x22', 'application/ms-tnef'],
  [0, '\x31\xbe\0\0', 'application/msword'],
  [0, '\xdb\xa5-\0', 'application/msword'],
  [0, 'ID3', 'audio/mpeg'],
  [0, '\xff', mpegAudio],
  [0, 'fLaC', 'audio/flac'],
  [0, 'FORM', (b) => (/^AIF[FC]$/.test(b.toString('latin1', 8, 12)) ? 'audio/x-aiff' : null)],
  [0, '.snd', 'audio/basic'],
  [0, 'MThd', 'audio/midi'],
  [0, '#!AMR', 'audio/amr'],
  [0, '\0\0\x01\xba', 'video/mpeg'],
  [0, '\0\0\x01\xb3', 'video/mpeg'],
  [0, '\x30\x26\xb2\x75\x8e\x66\xcf\x11', 'video/x-ms-asf'],
  [0, 'FLV\x01', 'video/x-flv'],
  [0, 'FWS', shockwave],
  [0, 'CWS', shockwave],
  [0, 'ZWS', shockwave],
  [0, '\x7fELF', 'application/x-elf'],
  [0, 'MZ', (b) => (b.length >= 64 ? 'application/vnd.microsoft.portable-executable' : null)],
  [0, '\xfe\xed\xfa\xce', 'application/x-mach-binary'],
  [0, '\xfe\xed\xfa\xcf', 'application/x-mach-binary'],
  [0, '\xce\xfa\xed\xfe', 'application/x-mach-binary'],
  [0, '\xcf\xfa\xed\xfe', 'application/x-mach-binary'],
  [0, '\xca\xfe\xba\xbe', (b) => ((b[7] ?? 0) < 20 ? 'application/x-mach-binary' : 'application/java-vm')],
  [0, '\0asm', 'application/wasm'],
  [0, 'SQLite format 3\0', 'application/vnd.sqlite3'],
  [0, '\0\x01\0\0\0', 'font/ttf'],
  [0, 'OTTO', 'font/otf'],
  [0, 'ttcf', 'font/collection'],
  [0, 'wOFF', 'font/woff'],
  [0, 'wOF2', 'font/woff2'],
  [0, '\x30', signedData],
];

/**
 * Returns the content type of a file, lower case without parameters; null when it is unknown. `head` should be the whole
 * file if possible: zip and OLE2 formats are recognized by names further inside. Linear in the bytes. Never throws.
 */
export function detectContentType(head: Uint8Array): string | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  for (const [at, magic, found] of SIGNATURES) {
    if (!startsAt(bytes, at, magic)) continue;
    const type = typeof found === 'string' ? found : found(bytes);
    if (type !== null) return type;
  }
  return detectTextType(bytes);
}

function startsAt(bytes: Buffer, at: number, magic: string): boolean {
  if (bytes.length < at + magic.length) return false;
  for (let i = 0; i < magic.length; i += 1) if (bytes[at + i] !== magic.charCodeAt(i)) return false;
  return true;
}

/** TGA has no magic number. Accepts a header without colour map and identifier whose fields all have valid values. */
function targa(bytes: Buffer): string | null {
  if (bytes.length < 18 || ![2, 3, 10, 11].includes(bytes[2] ?? 0) || bytes.readUInt32LE(3) !== 0)
    return null;
  const filled = bytes.readUInt16LE(12) > 0 && bytes.readUInt16LE(14) > 0;
  return filled && [8, 16, 24, 32].includes(bytes[16] ?? 0) && (bytes[17] ?? 0) < 0x40 ? 'image/x-tga' : null;
}

/** Accepts a frame only if the next frame begins where its length says. Two magic bytes alone match too many files. */
function mpegAudio(bytes: Buffer): string | null {
  const [, b1 = 0, b2 = 0] = bytes;
  if ((b1 & 0xe0) !== 0xe0 || (b1 & 0x06) !== 0x02 || (b1 & 0x18) === 0x08) return null;
  const version1 = (b1 & 0x18) === 0x18;
  const rates = version1
    ? [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    : [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
  const kbits = rates[b2 >> 4] ?? 0;
  const hertz = ([44100, 48000, 32000][(b2 >> 2) & 3] ?? 0) / (version1 ? 1 : (b1 & 0x18) === 0x10 ? 2 : 4);
  if (kbits === 0 || hertz === 0) return null;
  const next = Math.floor(((version1 ? 144_000 : 72_000) * kbits) / hertz) + ((b2 >> 1) & 1);
  if (next >= bytes.length) return null;
  return bytes[next] === 0xff && bytes[next + 1] === b1 ? 'audio/mpeg' : null;
}

function shockwave(bytes: Buffer): string | null {
  return (bytes[3] ?? 0) > 0 && (bytes[3] ?? 0) < 60 && bytes.length > 8
    ? 'application/vnd.adobe.flash.movie'
    : null;
}

/** Accepts a DER sequence that begins with the object identifier of PKCS #7 signed or enveloped data. */
function signedData(bytes: Buffer): string | null {
  const at = bytes.subarray(0, 20).indexOf('\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07', 0, 'latin1');
  if (at < 0) return null;
  return bytes[at + 10] === 2 ? 'application/pkcs7-signature' : 'application/pkcs7-mime';
}
