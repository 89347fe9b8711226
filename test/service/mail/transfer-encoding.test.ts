// Decoding transfer encodings, byte for byte.
import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { decodeTransferEncoding } from '../../../src/service/mail/transfer-encoding.ts';

test.each<[encoding: string, body: string, bytes: string]>([
  ['', 'as it\r\nstands\n', 'as it\r\nstands\n'],
  ['7bit', '=41', '=41'],
  ['BASE64', 'aGVs\r\nbG8=\r\n', 'hello'],
  ['base64', 'aGVsbG8', 'hello'],
  ['base64', 'aGVsbG8=\n\n-- \nlist footer', 'hello'],
  ['base64 (comment)', ' aGV !sbG8= ', 'hello'],
  ['base64', '', ''],
  ['Quoted-Printable', 'a=3Db=\r\nc=\nd =\t\ne\r\n', 'a=bcd e\r\n'],
  ['quoted-printable', '=C3=a9 = =4 =zz ==41 end=', '\xc3\xa9 = =4 =zz =A end'],
  ['x-uuencode', 'begin 644 cat.txt\n#0V%T\n`\nend\n', 'Cat'],
  ['x-uuencode', 'x\nbegin 644 cat.txt\r\n#0V%T\r\n`\r\nend\r\nM', 'Cat'],
  ['x-uuencode', 'begin 644 blanks\n#0V\n!!\nend\n', 'C`\0\x04'],
  ['x-uuencode', 'begin 644 no end\n#0V%T', 'Cat'],
  ['x-uuencode', 'begin here\nnothing to decode', 'begin here\nnothing to decode'],
  ['x-uuencode', 'nothing to decode', 'nothing to decode'],
  ['(quoted (7bit\\)) ;) base64 (here)', 'Q2F0', 'Cat'],
  ['(base64', 'Q2F0', 'Q2F0'],
])('%s: %j', (encoding, body, bytes) => {
  expect(decodeTransferEncoding(Buffer.from(body, 'latin1'), encoding).toString('latin1')).toBe(bytes);
});

test('base64 longer than one slice', () => {
  const bytes = Buffer.from(Uint8Array.from({ length: 2_500_000 }, (_, n) => (n * n) >> 3));
  const lines = bytes.toString('base64').replaceAll(/.{1,75}/g, '$&\n');
  expect(decodeTransferEncoding(Buffer.from(lines), 'base64').equals(bytes)).toBe(true);
});

property.prop([fc.uint8Array({ maxLength: 300 })])('decodes any uuencoded bytes', (bytes) => {
  const letter = (value: number) => String.fromCharCode(value === 0 ? 96 : value + 32);
  const lines = [
    ...Buffer.from(bytes)
      .toString('latin1')
      .matchAll(/[^]{1,45}/g),
  ].map(([line]) => {
    const six = Buffer.from(line.padEnd(Math.ceil(line.length / 3) * 3, '\0'), 'latin1').toString('base64');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    return (
      letter(line.length) +
      Array.from(six)
        .map((char) => letter(alphabet.indexOf(char)))
        .join('')
    );
  });
  const body = Buffer.from(['begin 644 x', ...lines, '`', 'end', ''].join('\n'), 'latin1');
  expect(Uint8Array.from(decodeTransferEncoding(body, 'uue'))).toEqual(bytes);
});

test('uuencode lines that declare too many bytes give no more bytes than the body has', () => {
  const body = Buffer.from(`begin 644 x\n${'M\n'.repeat(10_000)}`);
  const decoded = decodeTransferEncoding(body, 'x-uuencode');
  expect(decoded.length).toBe(body.length);
  expect(decoded.every((byte) => byte === 0)).toBe(true);
});

property.prop([fc.uint8Array()])('decodes any base64', (bytes) => {
  const lines = Buffer.from(bytes)
    .toString('base64')
    .replaceAll(/.{1,76}/g, '$&\r\n');
  expect(Uint8Array.from(decodeTransferEncoding(Buffer.from(lines), 'base64'))).toEqual(bytes);
});

property.prop([
  fc.constantFrom('base64', 'quoted-printable', 'x-uuencode', '8bit'),
  fc.string({ unit: 'binary' }),
])('any body decodes without an error and gets no longer', (encoding, text) => {
  const body = Buffer.from(text, 'latin1');
  expect(decodeTransferEncoding(body, encoding).length).toBeLessThanOrEqual(body.length);
});
