// A frozen walk in a terminal: both pictures on the same windows, on any screen.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlotReport } from '../../../src/contract/reports/walk.ts';
import { plainText } from '../../../src/format/terminal/styled-line.ts';
import { textWidth } from '../../../src/format/terminal/escape.ts';
import { walkPlot } from '../../../src/format/plot/walk-plot.ts';

type Figures = [reads: number, disagreements: number, drift: number | null];

function reportOf(windows: readonly Figures[]): PlotReport {
  const drifts = windows.flatMap(([, , drift]) => (drift === null ? [] : [drift]));
  return {
    version: 1,
    walk: {
      dir: 'walk1',
      base_url: 'https://archive.example',
      list: 'conversations',
      tier: null,
      after: null,
      before: null,
      head: null,
      windows: windows.length,
      conversations: windows.length * 10,
      complete: windows.length !== 1,
      finished_at: null,
      confidence: null,
      late: [],
      unplaced: [],
      torn: false,
    },
    reads: windows.reduce((sum, [reads]) => sum + reads, 0),
    disagreements: windows.reduce((sum, [, disagreements]) => sum + disagreements, 0),
    drift: {
      first: drifts[0] ?? null,
      last: drifts.at(-1) ?? null,
      max: drifts.length === 0 ? null : Math.max(...drifts),
    },
    windows: windows.map(([reads, disagreements, drift_ratio], index) => ({
      window: index + 1,
      after: null,
      conversations: 10,
      reads,
      disagreements,
      drift_ratio,
    })),
  };
}

const drawn = (windows: readonly Figures[], columns: number, unicode: boolean) =>
  walkPlot(reportOf(windows), { columns, unicode }).map(plainText);

test('drift above, reads and disagreements below, a gap where no drift was reported', () => {
  const windows: Figures[] = [
    [2, 0, 0.1],
    [3, 1, null],
    [6, 2, 0.2],
    [0, 0, 0],
  ];
  expect(drawn(windows, 80, true)).toStrictEqual([
    'walk1: 40 rows in 4 windows, complete',
    'drift reported: 0.1 first, 0 last, 0.2 highest',
    ' 0.2 ┤        ███',
    '     │        ███',
    '     │▄▄▄     ███',
    '     │███     ███',
    '     │███     ███',
    '   0 ┼────    ────────',
    '      1              4',
    '      window',
    '',
    '11 reads, 3 disagreements',
    '   6 ┤        ▄▄▄',
    '     │        ███',
    '     │        ███',
    '     │    ███ ███',
    '     │███ ███ ███',
    '     │███ ███ ███',
    '   0 ┼────────────────',
    '     │    ███ ███',
    '   2 ┤        ███',
    '      1              4',
    '      window',
    '▲ reads   ▼ disagreements',
  ]);
});

test('plots of equal bars are left out, in ASCII too', () => {
  expect(drawn([[1, 0, null]], 20, false)).toStrictEqual([
    'walk1: 10 rows in 1 window, end not recorded',
    'drift: none reported',
    '1 read, 0 disagreements',
  ]);
  const alike: Figures[] = [
    [2, 1, 0.5],
    [2, 1, 0.5],
  ];
  expect(drawn(alike, 80, true).slice(1)).toStrictEqual([
    'drift reported: 0.5 throughout',
    '4 reads, 2 disagreements; 2 reads in each window',
  ]);
  const costs: Figures[] = [
    [1, 0, 0.5],
    [2, 0, 0.5],
  ];
  expect(drawn(costs, 20, false).slice(1)).toStrictEqual([
    'drift reported: 0.5 throughout',
    '3 reads, 0 disagreements',
    ' 2 +    ###',
    '   |### ###',
    ' 0 +--------',
    '    1      2',
    '    window',
    '^ reads',
  ]);
  expect(drawn([], 80, true)).toStrictEqual(['walk1: 0 rows in 0 windows, complete']);
});

test('a log with all reads at the first of several windows: the total alone', () => {
  const together: Figures[] = [
    [27, 3, 0],
    [0, 0, 0],
  ];
  expect(drawn(together, 80, true).slice(1)).toStrictEqual([
    'drift reported: 0 throughout',
    '27 reads, 3 disagreements; the log does not say in which windows',
  ]);
});

const figures = fc.tuple(fc.nat(40), fc.nat(9), fc.option(fc.double({ min: -1, max: 1e308, noNaN: true })));

test('fits every screen from 20 columns on, with the same margin for both pictures', () => {
  fc.assert(
    fc.property(
      fc.array(figures, { minLength: 1, maxLength: 300 }),
      fc.integer({ min: 20, max: 200 }),
      fc.boolean(),
      (windows, columns, unicode) => {
        const lines = drawn(windows, columns, unicode);
        expect(lines.length).toBeLessThanOrEqual(24);
        const pictures = lines.filter((line) => /^ *\S* [┤│┼+|]/.test(line));
        for (const line of columns >= 80 ? lines : pictures)
          expect(textWidth(line)).toBeLessThanOrEqual(columns);
        const axes = pictures.map((line) => line.search(/[┤│┼|]|\+(?!\d)/));
        expect(new Set(axes).size).toBeLessThanOrEqual(1);
        // oxlint-disable-next-line no-control-regex
        if (!unicode) expect(lines.join('')).toMatch(/^[\u0000-\u007f]*$/);
      },
    ),
  );
});
