import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainText } from '../../../src/format/terminal/styled-line.ts';
import { bars, driftPlot } from '../../../src/format/plot/bar-chart.ts';
import { textWidth } from '../../../src/format/terminal/escape.ts';
import { treeLines } from '../../../src/format/terminal/tree.ts';

const canvas = { columns: 60, unicode: true };
const positions = (offsets: readonly number[]) =>
  offsets.map((offset, index) => ({ checked: index + 1, offset }));

test('bars: more than a call takes as arguments', () => {
  const lines = bars(
    Array.from({ length: 300_000 }, (_, index) => ({ label: `sender ${index}`, value: index })),
    canvas,
  );
  expect(lines).toHaveLength(300_000);
});

describe('driftPlot', () => {
  test('a short sequence', () => {
    const lines = driftPlot('arc_reconstruction', positions([0, 0, 3, -1, -1, -1, 0, 0]), canvas).map(
      plainText,
    );
    expect(lines).toStrictEqual([
      'arc_reconstruction: 8 positions, 4 displaced (50 %)',
      ' +3 ┤        ███',
      '    │        ███',
      '    │        ███',
      '  0 ┼────────────────────────────────',
      ' -1 ┤            ███ ███ ███',
      '     1                              8',
      '     checked position',
      '▲ reported after its place   ▼ reported before its place',
    ]);
  });
  test('nothing displaced', () => {
    expect(driftPlot('x', positions([0, 0]), canvas).map(plainText)).toStrictEqual([
      'x: 2 positions, each at its reported place',
      ' 0 ┼────────',
      '    1      2',
      '    checked position',
    ]);
  });
  test('no positions, and a name from the archive', () => {
    expect(driftPlot('x\u001b', [], canvas).map(plainText)).toStrictEqual(['x\\u{1b}: no positions']);
  });
  test('long: the largest of a bucket shows, however rare', () => {
    const offsets = Array.from({ length: 100_000 }, (_, n) =>
      n === 50_000 ? 40_000 : n === 7 ? -1 : n === 99_999 ? 1 : 0,
    );
    const lines = driftPlot('x', positions(offsets), { columns: 40, unicode: false }).map(plainText);
    expect(lines[1]).toMatch(/^ \+40,000 \+ +#$/);
    expect(lines).toContain("      -1 +'");
    expect(lines).toContain(`         |${' '.repeat(14)}#${' '.repeat(13)}.`);
    expect(lines.join('')).toMatch(/about 3,448 a column/);
  });
  test('fits any screen, says how many are displaced, ASCII where asked', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 300 }),
        fc.constantFrom(0, 1, 30, 80, 10_000, undefined),
        fc.boolean(),
        (offsets, columns, unicode) => {
          const lines = driftPlot('name', positions(offsets), { columns, unicode }).map(plainText);
          expect(lines.length).toBeLessThanOrEqual(20);
          if ((columns ?? 80) >= 80)
            for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(100);
          // oxlint-disable-next-line no-control-regex
          if (!unicode) expect(lines.join('')).toMatch(/^[\u0000-\u007f]*$/);
          if (offsets.some((offset) => offset > 0)) expect(lines[1]).toMatch(unicode ? /[█▄]/ : /[#.]/);
        },
      ),
    );
  });
});

test('bars', () => {
  const items = [
    { label: 'lisbon', value: 1200 },
    { label: '東京', value: 13 },
    { label: 'none', value: 0 },
  ];
  expect(bars(items, { columns: 30, unicode: true }).map(plainText)).toStrictEqual([
    'lisbon  1,200  ███████████████',
    '東京       13  ▏',
    'none        0  ',
  ]);
  expect(bars(items, { columns: 30, unicode: false }).map(plainText)[1]).toBe('東京       13  #');
  expect(bars([], canvas)).toStrictEqual([]);
});

test('treeLines', () => {
  const branches = [
    { line: 'a', children: [{ line: 'b', children: [{ line: 'c' }] }, { line: 'd' }] },
    { line: 'e' },
  ];
  expect(treeLines(branches, { unicode: true }).map(plainText)).toStrictEqual([
    '├─ a',
    '│  ├─ b',
    '│  │  └─ c',
    '│  └─ d',
    '└─ e',
  ]);
  expect(treeLines(branches, { unicode: false }).map(plainText)).toStrictEqual([
    '|- a',
    '|  |- b',
    '|  |  `- c',
    '|  `- d',
    '`- e',
  ]);
});
