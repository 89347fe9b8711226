// A conversation over time: a bar for each unit of time that fits the screen.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textWidth } from '../../../src/format/terminal/escape.ts';
import { plainText } from '../../../src/format/terminal/styled-line.ts';
import { timeline } from '../../../src/format/plot/timeline.ts';

const drawn = (
  rows: readonly (readonly [date: string | null, from?: string])[],
  columns: number,
  unicode = true,
) =>
  timeline(
    'Storm',
    rows.map(([date, from], at) => ({ id: `msg_${at}`, date, from: from ?? null })),
    { columns, unicode },
  ).map(plainText);

test('a bar a day, and who wrote how many', () => {
  const rows = [
    ['2026-01-05T10:00:00Z', 'Ana'],
    ['2026-01-05T23:59:59Z', 'Ben'],
    ['2026-01-06T00:30:00+02:00', 'Ana'],
    ['2026-01-08T09:00:00Z', 'Ana'],
    ['no date', 'Ana'],
  ] as const;
  expect(drawn(rows, 80)).toStrictEqual([
    'Storm: 5 messages, 1 without a date',
    ' 3 ┤███',
    '   │███',
    '   │███         ███',
    ' 0 ┼────────────────',
    '    2026-01-05 2026-01-08',
    '    messages a day, UTC',
    '',
    `Ana  4  ${'█'.repeat(60)}`,
    `Ben  1  ${'█'.repeat(15)}`,
  ]);
});

test('hours, weeks, months and years, as the screen has room', () => {
  const named = (first: string, last: string, columns = 80): string =>
    drawn([[first], [last]], columns).at(-1) ?? '';
  expect(named('2026-01-05T10:00:00Z', '2026-01-06T10:00:00Z')).toBe('    messages an hour, UTC');
  expect(named('2026-01-01', '2026-06-01')).toBe('    messages a week, UTC');
  expect(named('2026-01-01', '2026-06-01', 20)).toBe('    messages a month, UTC');
  expect(named('2022-01-01', '2026-06-01')).toBe('    messages a month, UTC');
  expect(named('1990-01-01', '2026-06-01')).toBe('    messages a year, UTC');
  expect(named('0001-01-01', '9999-06-01')).toMatch(/messages a year, UTC, about \d+ a column/);
});

test('no chart of one bar', () => {
  expect(drawn([['2026-01-05T10:00:00Z'], ['2026-01-05T10:30:00Z']], 80)).toStrictEqual([
    'Storm: 2 messages',
    'all in the hour of 2026-01-05 10 UTC',
  ]);
  expect(drawn([], 80)).toStrictEqual(['Storm: 0 messages']);
  expect(drawn([[null]], 80)).toStrictEqual(['Storm: 1 message, 1 without a date']);
});

test('fits screens from 20 columns on, and is ASCII where there is no Unicode', () => {
  const date = fc
    .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((at) => at.toISOString());
  const row = fc.tuple(date, fc.constantFrom('Ana', 'Ben', 'Cleo'));
  fc.assert(
    fc.property(fc.array(row, { maxLength: 60 }), fc.integer({ min: 20, max: 200 }), (rows, columns) => {
      const lines = drawn(rows, columns, false);
      expect(lines.length).toBeLessThanOrEqual(20);
      for (const line of lines.filter((each) => /[#|+]/.test(each)))
        expect(textWidth(line)).toBeLessThanOrEqual(columns);
      // oxlint-disable-next-line no-control-regex
      expect(lines.join('')).toMatch(/^[\u0000-\u007f]*$/);
    }),
  );
});
