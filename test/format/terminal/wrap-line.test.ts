// Lines of spans in the width of a terminal: broken at blanks, with their styles, and below what they belong to.
import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { textWidth } from '../../../src/format/terminal/escape.ts';
import { alignColumns, plainText, type Line } from '../../../src/format/terminal/styled-line.ts';
import { wrapLine } from '../../../src/format/terminal/wrap-line.ts';

const HASH = '0'.repeat(64);

test.each<[line: Line, columns: number, lines: string[]]>([
  ['short', 40, ['short']],
  [
    [{ text: 'fixity ok', style: 'good' }, ', 45 files checked, completeness incomplete'],
    30,
    ['fixity ok, 45 files checked,', 'completeness incomplete'],
  ],
  // No break between a span and the comma after it.
  [[{ text: 'fixity ok', style: 'good' }, ', more'], 9, ['fixity', 'ok, more']],
  [
    [{ text: '│  ├─ ', style: 'dim' }, 'att_1', { text: '  embargoed until noon', style: 'dim' }],
    24,
    ['│  ├─ att_1  embargoed', '│  │  until noon'],
  ],
  ['   └─ att_1  embargoed until noon', 24, ['   └─ att_1  embargoed', '      until noon']],
  ['`- att_1  embargoed until noon', 20, ['`- att_1  embargoed', '   until noon']],
  [
    alignColumns([
      [{ text: 'id', style: 'dim' }, 'a'],
      [{ text: 'subject', style: 'dim' }, 'First plates of the dome'],
    ])[1]!,
    20,
    ['subject  First', '         plates of', '         the dome'],
  ],
  // Below the last column, beside the trunk of the tree.
  [
    ['├─ requests', '   ', '42 = 24 for new rows'],
    30,
    ['├─ requests   42 = 24 for new', '│             rows'],
  ],
  // A line of a difference, or a command to copy.
  [{ text: '+one two three', isWhole: true }, 9, ['+one two three']],
  [`sha256 ${HASH} ok`, 20, ['sha256', HASH, 'ok']],
])('%j in %i columns', (line, columns, lines) => {
  expect(wrapLine(line, columns).map(plainText)).toEqual(lines);
});

test('a word that is broken begins beside its label', () => {
  const [line] = alignColumns([
    [{ text: 'sha256', style: 'dim' }, '0123456789abcdefghijkl'],
    [{ text: 'bytes', style: 'dim' }, '12'],
  ]);
  expect(wrapLine(line!, 18, { breaksWords: true }).map(plainText)).toEqual([
    'sha256  0123456789',
    '        abcdefghij',
    '        kl',
  ]);
});

test('a word that fits a line of its own is not broken beside its label', () => {
  const [line] = alignColumns([
    [{ text: 'sha256', style: 'dim' }, '0123456789abcdef'],
    [{ text: 'bytes', style: 'dim' }, '12'],
  ]);
  expect(wrapLine(line!, 21, { breaksWords: true }).map(plainText)).toEqual([
    'sha256',
    '     0123456789abcdef',
  ]);
});

test('a word that stays whole, and is too long beside its label, begins where it needs no indent', () => {
  const lines = alignColumns([
    [{ text: 'archive', style: 'dim' }, 'local:/data/0123456789'],
    [{ text: 'stored in', style: 'dim' }, '/home/a/.config/arx/tokens.json'],
  ]);
  expect(lines.flatMap((line) => wrapLine(line, 24)).map(plainText)).toEqual([
    'archive',
    '  local:/data/0123456789',
    // Wider than the terminal, which breaks it itself.
    'stored in  /home/a/.config/arx/tokens.json',
  ]);
});

test('each part keeps its style and its link', () => {
  const line: Line = [{ text: 'one two', style: 'bad', link: 'https://a.example' }, ' three'];
  expect(wrapLine(line, 6)).toEqual([
    [{ text: 'one', style: 'bad', link: 'https://a.example' }],
    [{ text: 'two', style: 'bad', link: 'https://a.example' }],
    ['three'],
  ]);
  // One colour sequence for all words of a part.
  const long: Line = [{ text: 'one two three four', style: 'bad' }];
  expect(wrapLine(long, 9)).toEqual([
    [{ text: 'one two', style: 'bad' }],
    [{ text: 'three', style: 'bad' }],
    [{ text: 'four', style: 'bad' }],
  ]);
});

property.prop([
  fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 6 }),
  fc.constantFrom(12, 40, 60, 80, 100, 120, 200),
  fc.boolean(),
])('no character is lost, and no line is too wide', (spans, columns, breaksWords) => {
  const lines = wrapLine(spans, columns, { breaksWords }).map(plainText);
  expect(lines.join('').replaceAll(/[ │|├└─`-]/g, '')).toBe(plainText(spans).replaceAll(/[ │|├└─`-]/g, ''));
  for (const line of lines)
    if (breaksWords || line.trim().includes(' '))
      expect(textWidth(line.trimEnd())).toBeLessThanOrEqual(columns);
});
