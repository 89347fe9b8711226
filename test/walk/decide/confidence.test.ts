// The confidence of a walk: the error probabilities of its rows added up, rounded down.
import { describe, expect, test } from 'vitest';
import type { Thresholds } from '../../../src/walk/decide/adjacency.ts';
import { Confidence, frozenLogOdds } from '../../../src/walk/decide/confidence.ts';
import { noEvidence } from '../../../src/walk/evidence/claims.ts';

describe('the confidence', () => {
  test.each([
    ['no read', [], 0, 0, 0],
    ['no row', [], 3, 0, 1],
    ['one row with an error probability of 1 %', [-Math.log(0.01)], 3, 0, 0.99],
    ['two such rows', [-Math.log(0.01), -Math.log(0.01)], 3, 0, 0.98],
    ['rounded down', [-Math.log(0.00001)], 3, 0, 0.9999],
    ['never 1 after a faulty read', [40], 3, 1, 0.9999],
    ['never below 0', [0, 0], 3, 0, 0],
  ])('%s', (_, logOdds, reads, disagreements, expected) => {
    const confidence = new Confidence();
    for (const odds of logOdds) confidence.add(odds);
    expect(confidence.value(reads, disagreements)).toBeCloseTo(expected, 10);
  });
});

test.each([
  ['the sum over its votes', { insideVotes: 2, cursorVotes: 1 }, undefined, 7],
  ['fixed for consecutive positions', { isConsecutive: true, insideVotes: 1 }, undefined, 18],
  ['for the first row, one vote more than it has', {}, 2, 3],
])('the log-odds of a frozen row: %s', (_, evidence, startVotes, expected) => {
  const thresholds = { insideLogOdds: 3, cursorLogOdds: 1, suspectLogOdds: 0, crossCheckLogOdds: 0 };
  const found = frozenLogOdds({ ...noEvidence(false), ...evidence }, startVotes, thresholds as Thresholds);
  expect(found).toBe(expected);
});
