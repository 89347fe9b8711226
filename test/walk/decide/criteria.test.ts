// What claims must reach: the votes needed after the faults seen so far, and the fewest votes that are ever enough.
import { describe, expect, test } from 'vitest';
import { criteriaFor, isSettled, isStartSettled, MAX_VOTES } from '../../../src/walk/decide/criteria.ts';
import { faultModel } from '../../../src/walk/decide/fault-model.ts';
import { noEvidence, type AdjacencyEvidence } from '../../../src/walk/evidence/claims.ts';
import { noFaults, type FaultKind, type FaultStatistics } from '../../../src/walk/evidence/fault-counts.ts';
import { faultRate, faultsOf } from './service-faults.ts';

const size = {
  epsilon: 0.001,
  pageRows: 50,
  frozenRows: 0,
  openRows: 500,
  isEndKnown: false,
  spent: 0,
};
const criteria = (faults: FaultStatistics, changed: Partial<typeof size> = {}, isEmpty = false) =>
  criteriaFor(faultModel(faults), { ...size, ...changed }, [], isEmpty);
const evidence = (changed: Partial<AdjacencyEvidence>) => ({ ...noEvidence(), ...changed });

const rows: FaultKind[] = ['omission', 'stale', 'order', 'cursor'];

describe('the votes needed', () => {
  test.each([
    ['before any read', noFaults(), 6, MAX_VOTES],
    ['no fault in 10 reads', faultsOf(10), 3, 4],
    ['no fault in 100 reads', faultsOf(100), 2, 2],
    ['no fault in 10,000 reads', faultsOf(10_000), 2, 2],
    ['5 % faulty, rarely alike', faultRate(100, 0.05, rows, 0), 2, 3],
    ['21 % faulty, rarely alike', faultRate(200, 0.21, rows, 0.03), 3, 4],
    ['5 % stale, always alike', faultRate(200, 0.05, ['stale', 'omission'], 1), 4, 5],
    ['21 % stale, always alike', faultRate(200, 0.21, ['stale', 'omission'], 1), 6, 8],
    ['half of the reads stale, always alike', faultRate(200, 0.5, ['stale', 'omission'], 1), 12, MAX_VOTES],
    ['all reads faulty, always alike', faultRate(200, 1, ['stale', 'omission'], 1), MAX_VOTES, MAX_VOTES],
  ])('%s', (_, faults, least, most) => {
    const { votesNeeded } = criteria(faults);
    expect(votesNeeded).toBeGreaterThanOrEqual(least);
    expect(votesNeeded).toBeLessThanOrEqual(most);
  });

  test('rise with the accepted error and never above the limit', () => {
    const faults = faultRate(200, 0.21, ['stale'], 0.5);
    const needed = [0.1, 0.01, 0.001, 1e-6, 1e-12].map(
      (epsilon) => criteria(faults, { epsilon }).votesNeeded,
    );
    expect(needed).toEqual(needed.toSorted((a, b) => a - b));
    expect(needed[0]).toBeLessThan(needed.at(-1)!);
    expect(needed.at(-1)).toBeLessThanOrEqual(MAX_VOTES);
  });

  test('settle an adjacency without contradictions, and one fewer do not', () => {
    for (const faults of [
      faultsOf(10),
      faultRate(200, 0.21, rows, 0.03),
      faultRate(200, 0.21, ['stale'], 1),
    ]) {
      const reached = criteria(faults);
      expect(reached.votesNeeded).toBeGreaterThan(2);
      expect(isSettled(evidence({ insideVotes: reached.votesNeeded }), reached)).toBe(true);
      expect(isSettled(evidence({ insideVotes: reached.votesNeeded - 1 }), reached)).toBe(false);
    }
  });
});

describe('the reads of the end', () => {
  test.each([
    ['no fault in 100 reads', faultsOf(100), false, 3, 3],
    ['no fault in 10,000 reads', faultsOf(10_000), false, 3, 3],
    ['an empty list', faultsOf(100), true, 7, 7],
    [
      'an empty list of a service that is often wrong',
      faultRate(200, 0.6, ['stale', 'edge'], 1),
      true,
      8,
      MAX_VOTES,
    ],
    [
      '3 wrong ends, rarely alike',
      faultsOf(100, { edge: { faulty: 3, chances: 10, repeats: 0 } }),
      false,
      3,
      4,
    ],
    ['every other end wrong, always alike', faultRate(40, 0.5, ['edge'], 1), false, 9, MAX_VOTES],
    ['21 % stale, always alike', faultRate(200, 0.21, ['stale'], 1), false, 5, 7],
  ])('%s', (_, faults, isEmpty, least, most) => {
    const { endReadsNeeded } = criteria(faults, {}, isEmpty);
    expect(endReadsNeeded).toBeGreaterThanOrEqual(least);
    expect(endReadsNeeded).toBeLessThanOrEqual(most);
  });
});

describe('an adjacency is settled', () => {
  // A service without a fault in a million reads: any vote is worth more than is required.
  const trusted = criteria(faultsOf(1_000_000));

  test.each<[string, Partial<AdjacencyEvidence>, boolean]>([
    ['one vote alone', { insideVotes: 1 }, false],
    ['one cursor vote', { cursorVotes: 1 }, false],
    ['one cross-check', { crossCheckVotes: 1 }, false],
    ['two votes', { insideVotes: 2 }, true],
    ['a vote and a cursor vote', { insideVotes: 1, cursorVotes: 1 }, true],
    ['a vote and a cross-check', { insideVotes: 1, crossCheckVotes: 1 }, true],
    ['one vote and consecutive positions', { insideVotes: 1, isConsecutive: true, numberingVotes: 3 }, true],
    ['consecutive positions without a vote', { isConsecutive: true, numberingVotes: 30 }, false],
    ['two votes and a row in doubt', { insideVotes: 2, isInDoubt: true }, false],
    ['many votes and a row in doubt', { insideVotes: 12, crossCheckVotes: 4, isInDoubt: true }, false],
    ['as many rivals', { insideVotes: 5, rivalVotes: 5 }, false],
    ['as many reversed reads', { insideVotes: 5, reversedReads: 5 }, false],
  ])('%s', (_, changed, expected) => {
    expect(isSettled(evidence(changed), trusted)).toBe(expected);
  });

  test('by one vote alone under no circumstances but consecutive positions', () => {
    const careless = { ...trusted, adjacency: 0 };
    expect(isSettled(evidence({ insideVotes: 1 }), careless)).toBe(false);
    expect(isSettled(evidence({ insideVotes: 2 }), careless)).toBe(true);
  });

  test('by answers on their way as if they had agreed', () => {
    const one = evidence({ insideVotes: 1 });
    expect(isSettled(one, trusted, 1)).toBe(true);
    expect(isSettled(one, trusted, 0, 1)).toBe(true);
    expect(isSettled({ ...one, isInDoubt: true }, trusted, 5, 5)).toBe(false);
    expect(isSettled(noEvidence(), trusted, 1)).toBe(false);
  });
});

describe('the start is settled', () => {
  const reached = criteria(faultsOf(100));
  const numbered = evidence({ isConsecutive: true, numberingVotes: 4, insideVotes: 1 });

  test.each([
    ['by enough votes', 3, 0, evidence({}), true],
    ['not by one vote', 1, 0, evidence({}), false],
    ['by two votes for a row with position 1', 2, 0, numbered, true],
    ['not by one vote for it, since positions may begin at 0', 1, 0, numbered, false],
    ['not with as many rivals', 4, 4, evidence({}), false],
    ['not while its row is in doubt', 9, 0, evidence({ isInDoubt: true }), false],
    ['not while a numbered row is in doubt', 9, 0, { ...numbered, isInDoubt: true }, false],
  ])('%s', (_, votes, rivals, position, expected) => {
    expect(isStartSettled(votes, rivals, position, false, reached)).toBe(expected);
  });

  test('by one vote for a row with position 0', () => {
    expect(isStartSettled(1, 0, numbered, true, reached)).toBe(true);
  });
});
