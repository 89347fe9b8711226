// Content types by first bytes, and bytes after a format's own end.
import { Buffer } from 'node:buffer';
import { deflateRawSync } from 'node:zlib';
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { detectContentType } from '../../../src/service/file-type/content-type.ts';
import { countTrailingBytes } from '../../../src/service/file-type/trailing-bytes.ts';
import { pdfPage, jpegWithPosition, pngStarChart } from '../../../src/service/sample/files.ts';
import { zipOf } from '../../support/zip.ts';

const bin = (text: string) => Buffer.from(text, 'latin1');
const at = (offset: number, text: string, size = 600) => {
  const bytes = Buffer.alloc(size);
  bytes.write(text, offset, 'latin1');
  return bytes;
};
const half = () => 0.5;

const ole = (stream: string) => {
  const bytes = Buffer.alloc(2048);
  bytes.write('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 0, 'latin1');
  bytes.writeUInt16LE(9, 30);
  bytes.writeUInt32LE(1, 48);
  for (const [index, name] of ['Root Entry', stream].entries()) {
    bytes.write(name, 1024 + index * 128, 'utf16le');
    bytes.writeUInt16LE(name.length * 2 + 2, 1024 + index * 128 + 64);
  }
  return bytes;
};
const brand = (name: string) => bin(`\0\0\0\x18ftyp${name}\0\0\0\0${name}isom`);

describe('detectContentType', () => {
  test.each<[string | null, Buffer]>([
    ['image/jpeg', jpegWithPosition(1, 2, half)],
    ['image/png', pngStarChart(8, 8, 3, half)],
    ['application/pdf', pdfPage(['one'])],
    ['application/pdf', bin('  %PDF-1.4\n%rest')],
    ['image/webp', bin('RIFF\0\0\0\0WEBPVP8 ')],
    ['audio/x-wav', bin('RIFF\0\0\0\0WAVEfmt ')],
    ['video/x-msvideo', bin('RIFF\0\0\0\0AVI LIST')],
    ['image/heic', brand('heic')],
    ['image/avif', brand('avif')],
    ['video/quicktime', brand('qt  ')],
    ['audio/mp4', brand('M4A ')],
    ['video/mp4', brand('isom')],
    ['video/webm', bin('\x1a\x45\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm')],
    ['video/x-matroska', bin('\x1a\x45\xdf\xa3\xa3B\x82\x88matroska')],
    ['audio/ogg', at(28, '\x01vorbis').fill('OggS', 0, 4)],
    ['application/gzip', bin('\x1f\x8b\x08\0')],
    ['application/x-bzip2', bin('BZh91AY')],
    ['application/x-tar', at(257, 'ustar\0')],
    ['application/zip', zipOf({ 'a.txt': 'a' })],
    [
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      zipOf({ '[Content_Types].xml': '', 'word/document.xml': 'x' }),
    ],
    [
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      zipOf({ '_rels/.rels': 'x', 'xl/workbook.xml': 'x' }),
    ],
    ['application/epub+zip', zipOf({ mimetype: 'application/epub+zip' }, { store: true })],
    ['application/epub+zip', zipOf({ mimetype: 'application/epub+zip\r\n' }, { store: true })],
    ['image/openraster', zipOf({ mimetype: 'image/openraster' }, { store: true })],
    // What a zip says of itself is believed only for formats that are zips.
    ...[
      '../K,(',
      'image/png',
      'application/pdf',
      'text/html',
      'Application/Zip',
      'application/x y+zip',
      '',
    ].map((type): [string, Buffer] => ['application/zip', zipOf({ mimetype: type }, { store: true })]),
    [
      'application/vnd.oasis.opendocument.text',
      zipOf({ mimetype: 'application/vnd.oasis.opendocument.text' }, { store: true }),
    ],
    ['application/java-archive', zipOf({ 'META-INF/MANIFEST.MF': 'x' })],
    ['application/msword', ole('WordDocument')],
    ['application/vnd.ms-excel', ole('Workbook')],
    ['application/vnd.ms-outlook', ole('__properties_version1.0')],
    ['application/x-ole-storage', ole('Something')],
    ['application/vnd.sqlite3', bin('SQLite format 3\0')],
    ['application/pkcs7-signature', bin('\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x80')],
    ['application/pgp-signature', bin('-----BEGIN PGP SIGNATURE-----\n')],
    ['text/html', bin('\n<!DOCTYPE html><p>x')],
    ['image/svg+xml', bin('<?xml version="1.0"?>\n<svg xmlns="x"/>')],
    ['text/xml', bin('<?xml version="1.0"?><a/>')],
    ['application/json', bin('{"a": [1]}')],
    ['text/plain', bin('{not json}')],
    ['message/rfc822', bin('Received: from a\n\tby b\nSubject: x\n\nbody')],
    ['application/mbox', bin('From a@b Sat Jan  3 01:05:34 1996\nSubject: x\n')],
    ['text/x-diff', bin('diff --git a/x b/x\n')],
    ['text/calendar', bin('BEGIN:VCALENDAR\r\n')],
    ['text/plain', Buffer.from('Grüße, 世界\n')],
    ['text/plain', Buffer.from('Gr\xfc\xdfe aus M\xfcnchen, older than UTF-8', 'latin1')],
    ['text/plain', Buffer.from('\ufeffsixteen', 'utf16le')],
    ['text/plain', Buffer.from('ü'.repeat(40_000)).subarray(0, 65_537)],
    ['application/vnd.microsoft.portable-executable', bin('MZ'.padEnd(80, '\0'))],
    ['text/plain', bin('MZ')],
    [null, bin('\0\x01\x02\x03')],
    [null, Buffer.alloc(0)],
  ])('%s', (type, bytes) => {
    expect(detectContentType(bytes)).toBe(type);
  });

  property.prop([
    fc.uint8Array({ maxLength: 400 }),
    fc.constantFrom(
      '',
      '\xff',
      'PK\x03\x04',
      '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
      '\0\0\0\x20ftyp',
      'RIFF',
      'OggS',
      '\x30\x82',
    ),
  ])('any bytes give a type or null', (rest, magic) => {
    const bytes = Buffer.concat([bin(magic), rest]);
    const type = detectContentType(bytes);
    expect(type === null || /^[\w.+-]+\/[\w.+-]+$/.test(type)).toBe(true);
    expect(countTrailingBytes(bytes, type)).toBeGreaterThanOrEqual(0);
  });

  test('bytes far inside do not change the type of text', () => {
    const bytes = Buffer.alloc(1024 * 1024, 'text and more ');
    bytes[bytes.length - 1] = 0;
    expect(detectContentType(bytes)).toBe('text/plain');
    bytes[100] = 0;
    expect(detectContentType(bytes)).toBeNull();
  });
});

const gif = Buffer.concat([
  bin('GIF89a\x02\0\x01\0\x80\0\0'),
  Buffer.alloc(6),
  bin('\x21\xf9\x04\0\0\0\0\0,\0\0\0\0\x02\0\x01\0\0\x02\x02\x0c\x0a\0;'),
]);

describe('countTrailingBytes', () => {
  test.each<[string, string, Buffer]>([
    ['jpeg', 'image/jpeg', jpegWithPosition(1, 2, half)],
    [
      'jpeg with an end mark in its thumbnail',
      'image/jpeg',
      bin('\xff\xd8\xff\xe1\0\x08\xff\xd8\xff\xd9..\xff\xda\0\x02a\xff\0b\xff\xd0c\xff\xd9'),
    ],
    ['png', 'image/png', pngStarChart(8, 8, 3, half)],
    ['gif', 'image/gif', gif],
    ['zip', 'application/zip', zipOf({ a: 'b' })],
    [
      'docx',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      zipOf({ 'word/a': 'b' }),
    ],
    ['pdf', 'application/pdf', pdfPage(['one'])],
  ])('%s', (_, type, whole) => {
    expect(countTrailingBytes(whole, type)).toBe(0);
    expect(countTrailingBytes(Buffer.concat([whole, bin('hidden')]), type)).toBe(6);
    expect(countTrailingBytes(whole.subarray(0, whole.length - 8), type)).toBe(0);
  });

  test('other types have no end', () => {
    expect(countTrailingBytes(bin('text;;;'), 'text/plain')).toBe(0);
    expect(countTrailingBytes(bin('\x1f\x8b'), 'application/gzip')).toBe(0);
    expect(countTrailingBytes(deflateRawSync('x'), null)).toBe(0);
  });

  property.prop([
    fc.uint8Array({ maxLength: 300 }),
    fc.constantFrom('image/jpeg', 'image/png', 'image/gif', 'application/zip', 'application/pdf'),
  ])('any bytes of any type give a number', (bytes, type) => {
    const trailing = countTrailingBytes(bytes, type);
    expect(trailing).toBeGreaterThanOrEqual(0);
    expect(trailing).toBeLessThanOrEqual(bytes.length);
  });
});
