// How many reads of the end are made after everything else is settled.
import { expect, test } from 'vitest';
import { finalEndChecksNeeded } from '../../../src/walk/decide/end-of-list.ts';
import { faultModel } from '../../../src/walk/decide/fault-model.ts';
import { FAULT_KINDS, type FaultStatistics } from '../../../src/walk/evidence/fault-counts.ts';
import { faultsOf } from './service-faults.ts';

const wrongCrossCheck: FaultStatistics = {
  ...faultsOf(10),
  crossCheck: { reads: 10, faulty: 1, matches: 0 },
};
const rowTwice: FaultStatistics = { ...faultsOf(10), any: { reads: 10, faulty: 1 } };

test.each([
  ['no fault', faultsOf(10), 1],
  ['a wrong cross-check alone', wrongCrossCheck, 1],
  ['a row twice in a page', rowTwice, 2],
  ...FAULT_KINDS.map((kind) => [`a fault: ${kind}`, faultsOf(10, { [kind]: { faulty: 1 } }), 2] as const),
] as const)('final checks after %s', (_, faults, needed) => {
  expect(finalEndChecksNeeded(faultModel(faults))).toBe(needed);
});
