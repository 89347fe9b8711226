// How many reads must show the end of the list, and how many of them after everything else is settled.
import { expect, test } from 'vitest';
import type { Thresholds } from '../../../src/walk/decide/adjacency.ts';
import { endReadsNeeded, finalEndChecksNeeded } from '../../../src/walk/decide/end-of-list.ts';
import { noClaims } from '../../../src/walk/evidence/claims.ts';
import { noStaleSigns } from '../../../src/walk/evidence/stale-answers.ts';

test.each([
  [false, 3, 3],
  [false, 6, 6],
  [true, 3, 7],
])('empty %s: with a minimum of %i, %i reads', (isEmpty, minEndReads, needed) => {
  expect(endReadsNeeded({ minEndReads } as Thresholds, isEmpty)).toBe(needed);
});

const one = { claims: 10, wrong: 1 };
test.each([
  ['no fault', {}, {}, 1],
  ['a wrong row', { inside: one }, {}, 2],
  ['a wrong row beside a cursor', { cursor: one }, {}, 2],
  ['a wrong end', { edge: one }, {}, 2],
  ['a wrong cross-check alone', { crossCheck: one }, {}, 1],
  ['a stale read', {}, { staleReads: 1 }, 2],
  ['another faulty read', {}, { otherFaultyReads: 1 }, 2],
])('final checks after %s', (_, claims, signs, needed) => {
  expect(finalEndChecksNeeded({ ...noClaims(), ...claims }, { ...noStaleSigns(), ...signs })).toBe(needed);
});
