// windows-1252 by the Encoding Standard, in every version of Node.
import { describe, expect, test } from 'vitest';
import { decodeWords } from 'postal-mime';
import { StandardTextDecoder } from '../src/windows-1252.ts';
import { decodeText } from '../src/service/mail/charset.ts';

/** The characters of the bytes 80 to 9F, from the table of the Encoding Standard. */
const SPECIAL =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';
const ALL = Array.from({ length: 256 }, (_, byte) =>
  byte < 0x80 || byte > 0x9f ? String.fromCharCode(byte) : SPECIAL[byte - 0x80],
).join('');
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);

describe.each(['windows-1252', 'iso-8859-1', 'latin1', 'us-ascii', 'cp1252'])('%s', (label) => {
  test('has the characters of the standard', () => {
    expect(new StandardTextDecoder(label).decode(BYTES)).toBe(ALL);
    expect(new StandardTextDecoder(label, { fatal: true }).decode(BYTES)).toBe(ALL);
  });
  test('in pieces, too', () => {
    const decoder = new StandardTextDecoder(label);
    const pieces = Array.from(BYTES, (byte) => decoder.decode(Uint8Array.of(byte), { stream: true }));
    expect(pieces.join('') + decoder.decode()).toBe(ALL);
  });
});

test('other charsets keep their control characters', () => {
  expect(new StandardTextDecoder().decode(Uint8Array.of(0xc2, 0x80))).toBe('\u0080');
  expect(new StandardTextDecoder('iso-8859-2').decode(Uint8Array.of(0x80, 0xa1))).toBe('\u0080Ą');
});

test('texts and fields of mails are decoded so', () => {
  const smart = Buffer.from([0x93, 0x80, 0x94]);
  for (const charset of ['windows-1252', 'iso-8859-1', 'us-ascii', 'unknown-8bit'])
    expect(decodeText(smart, charset)).toBe('“€”');
  expect(decodeWords('=?windows-1252?Q?=93=80=94?=')).toBe('“€”');
});
