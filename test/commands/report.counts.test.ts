// The counts of a report: bounded memory whatever the values are, and sums that stay right.
import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { IntegrityCounts } from '../../src/commands/report/integrity-counts.ts';
import { MonthCounts } from '../../src/commands/report/month-counts.ts';
import { SequenceDrift } from '../../src/commands/report/sequence-drift.ts';
import { ValueCounts } from '../../src/commands/report/value-counts.ts';

const countsOf = (values: Iterable<string | null>) => {
  const counts = new ValueCounts();
  for (const value of values) counts.add(value);
  return counts.most((value, { rows }) => ({ value, rows }));
};

test('the most frequent values are shown, the others are counted together', () => {
  const values = Array.from({ length: 30 }, (_, at) => Array<string>(at + 1).fill(`v${at}`)).flat();
  const { values: shown, others } = countsOf([...values, null, null]);
  expect(shown).toHaveLength(25);
  expect(shown[0]).toEqual({ value: 'v29', rows: 30 });
  // Rows without a value are no other value, however few they are.
  expect(shown.at(-1)).toEqual({ value: null, rows: 2 });
  expect(others).toEqual({ values: 6, rows: 1 + 2 + 3 + 4 + 5 + 6 });
});

test('rows without a value come last', () => {
  expect(countsOf([null, null, 'a']).values).toEqual([
    { value: 'a', rows: 1 },
    { value: null, rows: 2 },
  ]);
});

test('of more values than can be told apart every row is still counted', () => {
  function* many(): Generator<string> {
    for (let at = 0; at < 12_000; at += 1) yield `v${at}`;
  }
  const { values, others } = countsOf(many());
  expect(others).toEqual({ values: null, rows: 12_000 - 25 });
  expect(values).toHaveLength(25);
});

test('a long value is cut, not inside of a character', () => {
  const [{ value } = { value: '' }] = countsOf([`${'x'.repeat(199)}😀 and more`]).values;
  expect(value).toBe(`${'x'.repeat(199)}…`);
});

test('integrity: 1 has a group of its own, and what is none is not stated', () => {
  const counts = new IntegrityCounts();
  for (const value of [0, 0.05, 0.1, 0.3, 0.95, 1, 1, 1.5, -1, Number.NaN, undefined, 'much'])
    counts.add(value);
  const { groups, lowest, not_stated } = counts.report();
  expect(groups.map(({ rows }) => rows)).toEqual([2, 1, 0, 1, 0, 0, 0, 0, 0, 1, 2]);
  expect(groups[10]).toMatchObject({ from: 1, to: 1 });
  expect({ lowest, not_stated }).toEqual({ lowest: 0, not_stated: 5 });
});

test('months are in order, and dates that no calendar has are none', () => {
  const months = new MonthCounts();
  const dates = ['2004-02-29', '1999-12-31T23:59:59Z', '2004-02-01', '0001-01-01', '9999-12-31'];
  for (const date of dates) months.add(Date.parse(date));
  for (const instant of [undefined, Number.NaN, 8.64e15, -8.64e15]) months.add(instant);
  expect(months.report()).toEqual({
    undated: 4,
    by_month: [
      { month: '0001-01', messages: 1 },
      { month: '1999-12', messages: 1 },
      { month: '2004-02', messages: 2 },
      { month: '9999-12', messages: 1 },
    ],
  });
});

test('a sequence of any length becomes few groups without gaps, and its sums are those of its entries', () => {
  const offsets = fc.array(fc.option(fc.integer({ min: -9, max: 9 }), { nil: undefined }), {
    maxLength: 3000,
  });
  fc.assert(
    fc.property(offsets, (entries) => {
      const drift = new SequenceDrift();
      for (const offset of entries) drift.add(offset);
      const report = drift.report('s');
      const known = entries.filter((offset) => offset !== undefined);
      expect(report).toMatchObject({
        entries: entries.length,
        compared: known.length,
        displaced: known.filter((offset) => offset !== 0).length,
        ahead: Math.max(0, ...known),
        behind: Math.max(0, ...known.map((offset) => -offset)),
      });
      expect(report.groups.length).toBeLessThanOrEqual(200);
      let next = 1;
      for (const { first, last } of report.groups) {
        expect(first).toBe(next);
        next = last + 1;
      }
      expect(next).toBe(entries.length + 1);
    }),
    { numRuns: 30 },
  );
});
