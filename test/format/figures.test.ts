import { expect, test } from 'vitest';
import { grouped, lasting, minute, percent, plural, sized } from '../../src/format/figures.ts';

test.each([
  [grouped(0), '0'],
  [grouped(999), '999'],
  [grouped(-1234567), '-1,234,567'],
  [grouped(1234.5678), '1,234.5678'],
  [plural(1, 'row'), '1 row'],
  [plural(4061, 'row'), '4,061 rows'],
  [sized(999), '999 B'],
  [sized(1000), '1.0 kB'],
  [sized(999_960), '1.0 MB'],
  [sized(1_234_567_890), '1.2 GB'],
  [lasting(400), '0.4 s'],
  [lasting(59_600), '1 min 0 s'],
  [lasting(200_000), '3 min 20 s'],
  [lasting(7_500_000), '2 h 5 min'],
  [lasting(349_200_000), '4 d 1 h'],
  [percent(0), '0 %'],
  [percent(0.0001), '0.1 %'],
  [percent(0.034), '3.4 %'],
  [percent(0.124), '12 %'],
  [percent(0.9999), '99.9 %'],
  [percent(1), '100 %'],
  [minute('2004-01-01T12:00:59.123Z'), '2004-01-01 12:00'],
  [minute('2004-01-01T12:00:00+02:00'), '2004-01-01T12:00:00+02:00'],
])('%s', (shown, expected) => expect(shown).toBe(expected));
