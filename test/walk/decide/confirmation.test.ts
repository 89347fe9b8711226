// Which rows the cross-check source must confirm, by mode, and how often.
import { expect, test } from 'vitest';
import { confirmationsWanted, mustBeConfirmed } from '../../../src/walk/decide/confirmation.ts';
import { faultModel, type FaultModel } from '../../../src/walk/decide/fault-model.ts';
import { noEvidence } from '../../../src/walk/evidence/claims.ts';
import { faultsOf } from './service-faults.ts';

const staleReads = (faulty: number, chances: number, repeats: number, matches = 0): FaultModel => {
  const faults = faultsOf(100, { stale: { faulty, chances, repeats } });
  faults.crossCheck.matches = matches;
  return faultModel(faults);
};
const calm = faultModel(faultsOf(100));
const snapshot = staleReads(10, 20, 20);

test.each([
  ['off', 'the first row', {}, true, false],
  ['full', 'any row', {}, false, true],
  ['boundary', 'a row that all reads agree on', {}, false, false],
  ['boundary', 'the first row', {}, true, true],
  ['boundary', 'a row that some read shows reversed', { reversedReads: 1 }, false, true],
  ['boundary', 'a row that one read omits', { omittingReads: 1 }, false, false],
  ['boundary', 'a row that two reads omit', { omittingReads: 2 }, false, true],
  ['boundary', 'a row with a consecutive position', { isConsecutive: true }, true, false],
  ['full', 'a row with a consecutive position', { isConsecutive: true }, false, true],
] as const)('%s: %s', (mode, _, evidence, isFirstRow, expected) => {
  expect(mustBeConfirmed(mode, { ...noEvidence(), ...evidence }, isFirstRow)).toBe(expected);
});

test.each([
  ['not required', false, calm, 0],
  ['required', true, calm, 1],
  ['not required, stale reads repeat each other', false, snapshot, 2],
  ['required, stale reads repeat each other', true, snapshot, 2],
  ['not required, the cross-checks share the snapshot', false, staleReads(10, 20, 20, 1), 0],
  ['required, the cross-checks share the snapshot', true, staleReads(10, 20, 20, 1), 1],
])('cross-checks that are worth it: %s', (_, isRequired, model, expected) => {
  expect(confirmationsWanted(isRequired, model)).toBe(expected);
});
