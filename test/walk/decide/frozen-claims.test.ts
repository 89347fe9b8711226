// The evidence of frozen rows, judged again by the fault rates at the end of the walk.
import { describe, expect, test } from 'vitest';
import { logOddsOf, type Claim } from '../../../src/walk/decide/claim.ts';
import { faultModel } from '../../../src/walk/decide/fault-model.ts';
import { FrozenClaims } from '../../../src/walk/decide/frozen-claims.ts';
import { noEvidence, type AdjacencyEvidence } from '../../../src/walk/evidence/claims.ts';
import { faultRate, faultsOf } from './service-faults.ts';

const PAGE_ROWS = 50;
const correct = faultModel(faultsOf(100));
const stale = faultModel(faultRate(100, 0.3, ['stale'], 1));

const adjacency = (evidence: Partial<AdjacencyEvidence>): Claim => ({
  what: 'adjacency',
  ...noEvidence(),
  ...evidence,
});
const errorOf = (claim: Claim, model = correct) => Math.exp(-logOddsOf(claim, model));
const frozen = (...claims: [claim: Claim, window: number][]) => {
  const all = new FrozenClaims();
  for (const [claim, window] of claims) all.add(claim, window);
  return all;
};

describe('the error probability', () => {
  test('is 0 for nothing', () => {
    expect(new FrozenClaims().errorProbability(correct, PAGE_ROWS)).toBe(0);
  });

  test('adds up adjacencies as parts of a page, and the start as a whole', () => {
    const two = adjacency({ insideVotes: 2 });
    const start: Claim = { what: 'start', beginsAtZero: false, votes: 3, rivals: 0, position: undefined };
    const all = frozen([start, 1], [two, 1], [two, 1], [adjacency({ insideVotes: 3 }), 2]);
    const expected = errorOf(start) + (2 * errorOf(two) + errorOf(adjacency({ insideVotes: 3 }))) / PAGE_ROWS;
    expect(all.errorProbability(correct, PAGE_ROWS)).toBeCloseTo(expected, 15);
  });

  test('of one claim is at most 1', () => {
    const denied = adjacency({ insideVotes: 1, rivalVotes: 6 });
    expect(errorOf(denied)).toBeGreaterThan(1);
    expect(frozen([denied, 1]).errorProbability(correct, PAGE_ROWS)).toBe(1 / PAGE_ROWS);
  });

  test('rises where the faults that were seen since make the same evidence worth less', () => {
    const all = frozen([adjacency({ insideVotes: 3 }), 1]);
    const [before, after] = [correct, stale].map((model) => all.errorProbability(model, PAGE_ROWS));
    expect(after! / before!).toBeGreaterThan(100);
    expect(after).toBeCloseTo(errorOf(adjacency({ insideVotes: 3 }), stale) / PAGE_ROWS, 12);
  });
});

describe('the weakest windows', () => {
  const strong = adjacency({ insideVotes: 6 });
  const weak = adjacency({ insideVotes: 2 });

  test('are those of the weakest evidence', () => {
    const all = frozen([strong, 1], [strong, 2], [weak, 3], [strong, 4], [weak, 7]);
    expect(all.weakestWindows(correct, PAGE_ROWS)).toEqual([3, 7]);
  });

  test('are others where other faults were seen', () => {
    const byCursors = adjacency({ cursorVotes: 3 });
    const all = frozen([byCursors, 4], [weak, 5]);
    const wrongCursors = faultModel(faultRate(100, 0.4, ['cursor'], 0.5));
    const wrongOrder = faultModel(faultRate(100, 0.4, ['order'], 0.5));
    expect(all.weakestWindows(wrongCursors, PAGE_ROWS)).toEqual([4]);
    expect(all.weakestWindows(wrongOrder, PAGE_ROWS)).toEqual([5]);
  });

  test('hold half of the error, and each window is named once', () => {
    const middle = adjacency({ insideVotes: 2, crossCheckVotes: 1 });
    const all = frozen([middle, 1], [weak, 2], [weak, 2], [weak, 2], [weak, 9]);
    expect(all.weakestWindows(correct, PAGE_ROWS)).toEqual([2]);
  });

  test('are none of nothing, and 20 at most', () => {
    expect(new FrozenClaims().weakestWindows(correct, PAGE_ROWS)).toEqual([]);
    const all = frozen(...Array.from({ length: 100 }, (_, at) => [weak, at + 1] as [Claim, number]));
    expect(all.weakestWindows(correct, PAGE_ROWS)).toHaveLength(20);
  });
});

test('evidence that differs only in what is not judged is counted together', () => {
  const all = new FrozenClaims();
  // Counted together, the 20 windows that come first are remembered; apart, 20 for each of the two.
  for (let window = 40; window >= 1; window--)
    all.add(
      adjacency({
        insideVotes: 2,
        omittingReads: window,
        confirmations: window % 3,
        numberingVotes: 24 + window,
        numberingRivals: 100 + window,
      }),
      window,
    );
  expect(all.weakestWindows(correct, PAGE_ROWS)).toEqual(Array.from({ length: 20 }, (_, at) => 21 + at));
  const one = errorOf(adjacency({ insideVotes: 2 })) / PAGE_ROWS;
  expect(all.errorProbability(correct, PAGE_ROWS)).toBeCloseTo(40 * one, 15);
});

test.each([
  ['no row', [], 0],
  ['one row in four', [true, false, false, false], 0.25],
  ['three rows in four', [true, true, false, true], 0.75],
])('the share of consecutive positions: %s', (_, rows, share) => {
  const claims = rows.map((isConsecutive): [Claim, number] => [
    adjacency({ insideVotes: 2, isConsecutive }),
    1,
  ]);
  expect(frozen(...claims).consecutiveShare).toBe(share);
});
