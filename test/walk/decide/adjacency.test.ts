// Each rule of the decision about an adjacency as a table: evidence in, accepted or not out.
import { describe, expect, test } from 'vitest';
import {
  isAccepted,
  isFirstRowAccepted,
  logOddsOf,
  thresholdsFor,
  thresholdsToFreeze,
  type Thresholds,
  type WalkEvidence,
} from '../../../src/walk/decide/adjacency.ts';
import { noClaims, noEvidence, type AdjacencyEvidence } from '../../../src/walk/evidence/claims.ts';
import { noStaleSigns, type StaleSigns } from '../../../src/walk/evidence/stale-answers.ts';

/** Thresholds in which only the number of votes decides. */
const votesOnly: Thresholds = {
  minVotes: 2,
  minVotesToFreeze: 2,
  minLogOdds: 0,
  insideLogOdds: 1,
  cursorLogOdds: 1,
  suspectLogOdds: 0,
  crossCheckLogOdds: 1,
  edgeLogOdds: 1,
  staleReadLogOdds: 0,
  independentCrossCheckLogOdds: 1,
  staleReadsPrevail: false,
  minVotesAcrossPositionGap: 0,
  minEndReads: 3,
};

type Case = [rule: string, Partial<AdjacencyEvidence>, Partial<Thresholds>, accepted: boolean];

const accepts = ([, evidence, thresholds]: Case) =>
  isAccepted({ ...noEvidence(false), ...evidence }, { ...votesOnly, ...thresholds });

describe('an adjacency is accepted', () => {
  test.each<Case>([
    ['no vote', {}, {}, false],
    ['one vote', { insideVotes: 1 }, {}, false],
    ['two votes of pages', { insideVotes: 2 }, {}, true],
    ['a page and a cursor', { insideVotes: 1, cursorVotes: 1 }, {}, true],
    ['a page and a cross-check', { insideVotes: 1, crossCheckVotes: 1 }, {}, true],
    ['reads that look stale are no votes', { suspectVotes: 5 }, {}, false],
    ['votes below a raised minimum', { insideVotes: 3 }, { minVotes: 4 }, false],
    ['votes that reach it', { insideVotes: 4 }, { minVotes: 4 }, true],
  ])('by enough votes: %s', (...entry) => expect(accepts(entry)).toBe(entry[3]));

  test.each<Case>([
    ['as many votes as a rival', { insideVotes: 3, rivalVotes: 3 }, {}, false],
    ['one vote more', { insideVotes: 4, rivalVotes: 3 }, {}, true],
    ['consecutive positions: as many', { isConsecutive: true, insideVotes: 3, rivalVotes: 3 }, {}, true],
    ['consecutive positions: fewer', { isConsecutive: true, insideVotes: 2, rivalVotes: 3 }, {}, false],
  ])('by more votes than the best rival: %s', (...entry) => expect(accepts(entry)).toBe(entry[3]));

  test.each<Case>([
    ['one more than reversed', { insideVotes: 3, reversedReads: 2 }, {}, false],
    ['two more than reversed', { insideVotes: 4, reversedReads: 2 }, {}, true],
    ['consecutive positions: one more', { isConsecutive: true, insideVotes: 3, reversedReads: 2 }, {}, true],
    ['consecutive positions: as many', { isConsecutive: true, insideVotes: 2, reversedReads: 2 }, {}, false],
  ])('by a lead over reads that show it reversed: %s', (...entry) => expect(accepts(entry)).toBe(entry[3]));

  test.each<Case>([
    ['one vote, whatever the log-odds', { isConsecutive: true, insideVotes: 1 }, { minLogOdds: 50 }, true],
    ['one vote of a read that looks stale', { isConsecutive: true, suspectVotes: 1 }, {}, true],
    ['no vote', { isConsecutive: true }, {}, false],
  ])('by consecutive positions: %s', (...entry) => expect(accepts(entry)).toBe(entry[3]));

  test.each<Case>([
    ['too few votes', { insideVotes: 2 }, { minVotesAcrossPositionGap: 3 }, false],
    ['enough votes', { insideVotes: 3 }, { minVotesAcrossPositionGap: 3 }, true],
  ])('across a gap in dense positions: %s', (...entry) => expect(accepts(entry)).toBe(entry[3]));

  const odds = { insideLogOdds: 3, cursorLogOdds: 2, crossCheckLogOdds: 5, minLogOdds: 10 };
  test.each<Case>([
    ['3 + 3 of 10', { insideVotes: 2 }, odds, false],
    ['3 × 3 of 10', { insideVotes: 3 }, odds, false],
    ['4 × 3 of 10', { insideVotes: 4 }, odds, true],
    ['3 + 5 + 2 of 10', { insideVotes: 1, crossCheckVotes: 1, cursorVotes: 1 }, odds, true],
    [
      'independent stale reads add theirs',
      { insideVotes: 2, suspectVotes: 4 },
      { ...odds, suspectLogOdds: 1 },
      true,
    ],
  ])('by its log-odds: %s', (...entry) => expect(accepts(entry)).toBe(entry[3]));

  const snapshot = { minVotes: 6, staleReadLogOdds: 2, independentCrossCheckLogOdds: 4 };
  test.each<Case>([
    [
      'two reads and two cross-checks weigh as six reads',
      { insideVotes: 2, crossCheckVotes: 2 },
      snapshot,
      true,
    ],
    ['two reads and one cross-check do not', { insideVotes: 2, crossCheckVotes: 1 }, snapshot, false],
    [
      'one read and three cross-checks are too few reads',
      { insideVotes: 1, crossCheckVotes: 3 },
      snapshot,
      false,
    ],
    [
      'cross-checks of the same snapshot count as votes only',
      { insideVotes: 2, crossCheckVotes: 2 },
      { ...snapshot, independentCrossCheckLogOdds: 0 },
      false,
    ],
  ])('against one stale snapshot: %s', (...entry) => expect(accepts(entry)).toBe(entry[3]));

  test('by reads in flight, as if they had agreed', () => {
    const evidence = { ...noEvidence(false), insideVotes: 1 };
    expect(isAccepted(evidence, votesOnly)).toBe(false);
    expect(isAccepted(evidence, votesOnly, 1)).toBe(true);
    expect(isAccepted(evidence, votesOnly, 0, 1)).toBe(true);
  });

  test('the log-odds are the sum over all votes', () => {
    const evidence = { ...noEvidence(false), insideVotes: 2, cursorVotes: 1, crossCheckVotes: 1 };
    expect(logOddsOf(evidence, { ...votesOnly, ...odds })).toBe(2 * 3 + 2 + 5);
  });
});

describe('the first row of the list is accepted', () => {
  test.each([
    ['one vote more than other rows', 2, {}, false],
    ['one vote more than other rows', 3, {}, true],
    ['consecutive positions from 0 or 1', 1, { isConsecutive: true }, true],
    ['more votes than a rival', 3, { rivalVotes: 3 }, false],
    ['more votes than a rival', 4, { rivalVotes: 3 }, true],
  ])('%s: %i votes, %j: %s', (_, votes, evidence, accepted) => {
    expect(isFirstRowAccepted({ ...noEvidence(false), ...evidence }, votes, votesOnly)).toBe(accepted);
  });
});

describe('the thresholds', () => {
  const clean: WalkEvidence = {
    claims: noClaims(),
    staleSigns: noStaleSigns(),
    endReads: { size: 0 },
    hasDensePositions: false,
    positionGaps: 0,
  };
  const thresholds = (signs: Partial<StaleSigns> = {}, reads = 100, evidence: Partial<WalkEvidence> = {}) =>
    thresholdsFor({ ...clean, ...evidence, staleSigns: { ...noStaleSigns(), ...signs } }, 2000, reads, 0.001);

  test('of a walk without faults', () => {
    expect(thresholds()).toMatchObject({
      minVotes: 2,
      minVotesToFreeze: 2,
      staleReadLogOdds: 0,
      suspectLogOdds: 0,
      staleReadsPrevail: false,
      minVotesAcrossPositionGap: 0,
    });
  });

  test.each([
    [2000, 0.001],
    [1_000_000, 0.001],
    [2000, 0.1],
  ])('%i rows and ε = %d need ln(N / ε)', (rows, epsilon) => {
    expect(thresholdsFor(clean, rows, 100, epsilon).minLogOdds).toBeCloseTo(Math.log(rows / epsilon));
  });

  test('fewer than 100 rows need as much as 100', () => {
    expect(thresholdsFor(clean, 3, 100, 0.001).minLogOdds).toBeCloseTo(Math.log(100 / 0.001));
  });

  test('a vote is worth −ln of the fault rate seen, with half a fault assumed', () => {
    const claims = {
      ...noClaims(),
      inside: { claims: 1800, wrong: 19.5 },
      cursor: { claims: 39, wrong: 7.5 },
    };
    const { insideLogOdds, cursorLogOdds } = thresholds({}, 100, { claims });
    expect(insideLogOdds).toBeCloseTo(-Math.log(20 / 2000));
    expect(cursorLogOdds).toBeCloseTo(-Math.log(8 / 40));
  });

  test('a cursor that is wrong each time is worth next to nothing', () => {
    const claims = { ...noClaims(), cursor: { claims: 10, wrong: 10 } };
    expect(thresholds({}, 100, { claims }).cursorLogOdds).toBeLessThan(0.05);
  });

  type SignCase = [what: string, Partial<StaleSigns>, reads: number, Partial<Thresholds>];
  test.each<SignCase>([
    ['6 % of all reads or less', { staleReads: 5 }, 100, { minVotes: 2, staleReadsPrevail: false }],
    ['more than 6 %', { staleReads: 7 }, 100, { minVotes: 3, minVotesToFreeze: 4, staleReadsPrevail: true }],
    ['one read of few', { staleReads: 1 }, 10, { minVotes: 2, staleReadsPrevail: false }],
    ['one read of 24, no other fault', { staleReads: 1 }, 24, { minVotes: 3, staleReadsPrevail: true }],
    ['fewer than other faults', { staleReads: 20, otherFaultyReads: 20 }, 100, { minVotes: 2 }],
    [
      'independent: 12 chances to share an omission, one in ten used',
      { staleReads: 20, sharingChances: 20, sharedOmissions: 2 },
      100,
      { minVotes: 2, minVotesToFreeze: 2, staleReadLogOdds: 0, staleReadsPrevail: true },
    ],
    [
      'not independent yet: 11 chances',
      { staleReads: 20, sharingChances: 11, sharedOmissions: 0 },
      100,
      { minVotes: 3, minVotesToFreeze: 6 },
    ],
    [
      'shared: 4 common omissions and more than one in five',
      { staleReads: 4, otherFaultyReads: 30, sharingChances: 19, sharedOmissions: 4 },
      100,
      { minVotes: 4, minVotesToFreeze: 4, staleReadsPrevail: true },
    ],
  ])('stale reads, %s', (_, signs, reads, expected) => {
    expect(thresholds(signs, reads)).toMatchObject(expected);
  });

  test('with the end known, an open question asks for the votes that freezing needs', () => {
    const open = thresholds({ staleReads: 20 }, 100, { endReads: { size: 1 } });
    expect(open.minVotes).toBe(open.minVotesToFreeze);
    expect(thresholdsToFreeze(thresholds({ staleReads: 20 })).minVotes).toBe(6);
  });

  test('a cross-check source of the same snapshot is not independent', () => {
    expect(thresholds().independentCrossCheckLogOdds).toBeGreaterThan(0);
    expect(thresholds({ crossCheckMatches: 1 }).independentCrossCheckLogOdds).toBe(0);
  });

  test('independent stale reads are worth their own fault rate', () => {
    const claims = { ...noClaims(), suspect: { claims: 99, wrong: 9.5 } };
    const signs = { staleReads: 20, sharingChances: 20 };
    expect(thresholds(signs, 100, { claims }).suspectLogOdds).toBeCloseTo(-Math.log(0.1));
    expect(thresholds({ staleReads: 20 }, 100, { claims }).suspectLogOdds).toBe(0);
  });

  test.each([
    [false, 9, 0],
    [true, 3, 3],
    [true, 4, 6],
  ])('dense positions %s with %i gaps: %i votes across a gap', (hasDensePositions, positionGaps, votes) => {
    expect(thresholds({}, 100, { hasDensePositions, positionGaps }).minVotesAcrossPositionGap).toBe(votes);
  });

  test.each([
    ['an honest service', 100, { claims: 40, wrong: 0 }, 3],
    ['fewer than 16 reads', 15, { claims: 40, wrong: 0 }, 5],
    ['one end in three wrong', 100, { claims: 29, wrong: 9.5 }, 5],
    ['nearly every end wrong', 100, { claims: 29, wrong: 29 }, 6],
  ])('the end of the list, %s', (_, reads, edge, expected) => {
    const claims = { ...noClaims(), edge };
    expect(thresholds({}, reads, { claims }).minEndReads).toBe(expected);
  });
});
