// Which rows the cross-check source must confirm, by mode.
import { expect, test } from 'vitest';
import type { Thresholds } from '../../../src/walk/decide/adjacency.ts';
import { confirmationsWanted, mustBeConfirmed } from '../../../src/walk/decide/confirmation.ts';
import { noEvidence } from '../../../src/walk/evidence/claims.ts';

const calm = { staleReadsPrevail: false } as Thresholds;
const stale = { staleReadsPrevail: true } as Thresholds;

test.each([
  ['off', 'the first row', {}, true, stale, false],
  ['full', 'any row', {}, false, calm, true],
  ['boundary', 'a row that all reads agree on', {}, false, calm, false],
  ['boundary', 'the first row', {}, true, calm, true],
  ['boundary', 'a row that some read shows reversed', { reversedReads: 1 }, false, calm, true],
  ['boundary', 'a row that one read omits', { omittingReads: 1 }, false, calm, false],
  ['boundary', 'a row that two reads omit', { omittingReads: 2 }, false, calm, true],
  ['boundary', 'any row while stale reads prevail', {}, false, stale, true],
  ['boundary', 'a row with a consecutive position', { isConsecutive: true }, true, stale, false],
] as const)('%s: %s', (mode, _, evidence, isFirstRow, thresholds, expected) => {
  expect(mustBeConfirmed(mode, { ...noEvidence(false), ...evidence }, isFirstRow, thresholds)).toBe(expected);
});

test.each([
  [false, 0, 0],
  [true, 0, 1],
  [false, 2.5, 2],
  [true, 2.5, 2],
])('required %s, stale reads worth %d: %i cross-checks', (isRequired, staleReadLogOdds, expected) => {
  expect(confirmationsWanted(isRequired, { staleReadLogOdds } as Thresholds)).toBe(expected);
});
