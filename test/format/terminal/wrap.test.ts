// Lines are wrapped at blanks; wide characters and long words included, and no character is lost.
import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { escapeText, textWidth } from '../../../src/format/terminal/escape.ts';
import { wrapMessage, wrapParts, wrapText } from '../../../src/format/terminal/wrap.ts';

test.each<[text: string, columns: number, lines: string[]]>([
  ['', 10, ['']],
  ['abc', 10, ['abc']],
  ['abc def', 5, ['abc', 'def']],
  ['abc def', 7, ['abc def']],
  ['  abc def', 6, ['  abc', 'def']],
  ['abcdefgh', 3, ['abc', 'def', 'gh']],
  ['a bcdefg', 3, ['a', 'bcd', 'efg']],
  ['日本語', 4, ['日本', '語']],
  ['a \u3000b', 2, ['a', '\u3000', 'b']],
  ['e\u0301e\u0301e\u0301', 2, ['e\u0301e\u0301', 'e\u0301']],
])('%j in %i columns', (text, columns, lines) => {
  expect(wrapText(text, columns)).toEqual(lines);
});

property.prop([fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 2, max: 40 })])(
  'no line is too wide, and no character is lost',
  (source, columns) => {
    const text = escapeText(source);
    const lines = wrapText(text, columns);
    for (const line of lines.map((each) => each.trimEnd()))
      // One grapheme may be wider than a line.
      if ([...new Intl.Segmenter().segment(line)].length > 1)
        expect(textWidth(line)).toBeLessThanOrEqual(columns);
    expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
  },
);

test('a word of a million characters', () => {
  expect(wrapText('a'.repeat(1_000_000), 80)).toHaveLength(12_500);
  expect(wrapText('ä'.repeat(100_000), 80)).toHaveLength(1_250);
});

const SUMMARY =
  'arx: 60 rows · 1 window · 0 disagreements · confidence 0.999991 · not complete · status stable';

test.each<[columns: number | undefined, lines: string[]]>([
  [undefined, [SUMMARY]],
  [200, [SUMMARY]],
  [60, ['arx: 60 rows · 1 window · 0 disagreements ·', 'confidence 0.999991 · not complete · status stable']],
  [
    20,
    [
      'arx: 60 rows ·',
      '1 window ·',
      '0 disagreements ·',
      'confidence 0.999991',
      'not complete ·',
      'status stable',
    ],
  ],
])('a summary in %s columns', (columns, lines) => {
  expect(wrapParts(SUMMARY, columns)).toEqual(lines);
});

property.prop([
  fc.array(fc.stringMatching(/^[a-zé日]{1,12}( [a-z0-9.]{1,12}){0,3}$/), { minLength: 1, maxLength: 12 }),
  fc.constantFrom(40, 60, 80, 100, 120, 200),
])('parts stay whole, and no line is too wide', (parts, columns) => {
  const lines = wrapParts(parts.join(' · '), columns);
  expect(lines.join(' ').replaceAll(' ·', '')).toBe(parts.join(' '));
  for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
  if (parts.every((part) => textWidth(part) <= columns - 2))
    expect(lines.slice(0, -1).every((line) => line.endsWith(' ·'))).toBe(true);
});

const COMMAND = 'arx attachments verify files --against catalogue';
test.each<[text: string, columns: number | undefined, lines: string[]]>([
  ['arx: all of it fits', 40, ['arx: all of it fits']],
  ['arx: without a terminal there is no width', undefined, ['arx: without a terminal there is no width']],
  // A word is not broken, and the next line is indented.
  ['arx: 45 files of this pull are in files', 20, ['arx: 45 files of', '  this pull are in', '  files']],
  ['  kept: one two three', 14, ['  kept: one', '    two three']],
  // A command is pasted as one line, so it is left whole.
  [`arx: check later: ${COMMAND}`, 60, ['arx: check later:', `  ${COMMAND}`]],
  [`arx: check later: ${COMMAND}; then go on`, 30, ['arx: check later:', `  ${COMMAND};`, '  then go on']],
  [
    `  hint: (${COMMAND}) or X=1 arx serve --port 0`,
    30,
    ['  hint:', `    (${COMMAND})`, '    or X=1 arx serve --port 0'],
  ],
  ['  hint: A=1 B=2 arx serve', 20, ['  hint:', '    A=1 B=2 arx serve']],
  // So is what an error is.
  ['arx: interrupted [signal, exit 130]', 30, ['arx: interrupted', '  [signal, exit 130]']],
  ['arx: a [b c] [usage, exit 2] end', 11, ['arx: a [b', '  c]', '  [usage, exit 2]', '  end']],
  // A word that is longer than a line is left to the terminal.
  ['arx: not in /a/very/long/path/of/a/file', 16, ['arx: not in', '  /a/very/long/path/of/a/file']],
])('a message %j in %j columns', (text, columns, lines) => {
  expect(wrapMessage(text, columns)).toEqual(lines);
});
