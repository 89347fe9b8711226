import { expect, test } from 'vitest';
import {
  formatCount,
  formatDuration,
  formatMinute,
  formatPercent,
  partOf,
  plural,
  formatSignificant,
  formatBytes,
} from '../../src/format/numbers.ts';

test.each([
  [formatCount(0), '0'],
  [formatCount(999), '999'],
  [formatCount(-1234567), '-1,234,567'],
  [formatCount(1234.5678), '1,234.5678'],
  [plural(1, 'row'), '1 row'],
  [plural(4061, 'row'), '4,061 rows'],
  [formatBytes(999), '999 B'],
  [formatBytes(1000), '1.0 kB'],
  [formatBytes(999_960), '1.0 MB'],
  [formatBytes(1_234_567_890), '1.2 GB'],
  [formatDuration(400), '0.4 s'],
  [formatDuration(59_600), '1 min 0 s'],
  [formatDuration(200_000), '3 min 20 s'],
  [formatDuration(7_500_000), '2 h 5 min'],
  [formatDuration(349_200_000), '4 d 1 h'],
  [formatSignificant(0), '0'],
  [formatSignificant(0.20837), '0.208'],
  [formatSignificant(1234.5), '1230'],
  [formatSignificant(Number.MAX_VALUE), '1.80e+308'],
  [formatPercent(0), '0 %'],
  [formatPercent(0.0001), '0.1 %'],
  [formatPercent(0.034), '3.4 %'],
  [formatPercent(0.124), '12 %'],
  [formatPercent(0.9999), '99.9 %'],
  [formatPercent(1), '100 %'],
  [formatMinute('2004-01-01T12:00:59.123Z'), '2004-01-01 12:00'],
  [formatMinute('2004-01-01T12:00:00+02:00'), '2004-01-01T12:00:00+02:00'],
])('%s', (shown, expected) => expect(shown).toBe(expected));

test.each([
  [1, 1, '1 of 1 file is'],
  [1, 5, '1 of 5 files is'],
  [3, 5, '3 of 5 files are'],
])('partOf %i of %i: %s', (part, total, text) => {
  expect(partOf(part, total, 'file')).toBe(text);
});
