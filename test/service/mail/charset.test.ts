// Text by the charset that a mail declares.
import { fc, test as property } from '@fast-check/vitest';
import { expect } from 'vitest';
import { decodeText, decoderFor } from '../../../src/service/mail/charset.ts';

const CHARSETS = [
  undefined,
  'utf-8',
  'UTF8',
  'US-ASCII',
  'iso-8859-1',
  'ISO-8859-15',
  'Windows-1252',
  'utf-16le',
  'iso-2022-jp',
  'none',
];

property.prop([
  fc.constantFrom(...CHARSETS),
  fc.oneof(
    fc.uint8Array(),
    fc.string({ unit: 'binary-ascii' }).map((text) => new TextEncoder().encode(text)),
  ),
])('is what the decoder of the charset makes of the bytes', (charset, bytes) => {
  expect(decodeText(Buffer.from(bytes), charset)).toBe(decoderFor(charset).decode(bytes));
});
