// The verdict about a whole walk, as a function of all its evidence.
import { describe, expect, test } from 'vitest';
import { faultModel } from '../../../src/walk/decide/fault-model.ts';
import { FrozenClaims } from '../../../src/walk/decide/frozen-claims.ts';
import { verdictOf, type WalkEvidence } from '../../../src/walk/decide/verdict.ts';
import { noEvidence, type AdjacencyEvidence } from '../../../src/walk/evidence/claims.ts';
import type { FaultKind } from '../../../src/walk/evidence/fault-counts.ts';
import { faultRate, faultsOf } from './service-faults.ts';

const PAGE_ROWS = 50;
const EPSILON = 0.001;

/** 200 rows in windows 1 and 2, all with this evidence. */
function rowsWith(evidence: Partial<AdjacencyEvidence>): FrozenClaims {
  const rows = new FrozenClaims();
  rows.add({ what: 'start', beginsAtZero: false, votes: 4, rivals: 0, position: undefined }, 1);
  for (let row = 0; row < 200; row++)
    rows.add({ what: 'adjacency', ...noEvidence(), insideVotes: 3, ...evidence }, row < 100 ? 1 : 2);
  return rows;
}

const judge = (changed: Partial<WalkEvidence> = {}) =>
  verdictOf({
    faults: faultsOf(200),
    frozenClaims: rowsWith({}),
    pageRows: PAGE_ROWS,
    endReads: 4,
    epsilon: EPSILON,
    contradictedWindows: [],
    changes: { rows: new Set(), readRows: 0 },
    hasBackwardReads: true,
    isCrossChecked: true,
    hasEarlierRuns: false,
    ...changed,
  });

describe('the verdict', () => {
  test('is met where the evidence suffices', () => {
    const verdict = judge();
    expect(verdict).toMatchObject({ isMet: true, doubtedWindows: [] });
    expect(verdict.confidence).toBeGreaterThanOrEqual(1 - EPSILON);
    expect(verdict.confidence).toBeLessThanOrEqual(1);
  });

  test('is not met where faults seen later make the frozen rows doubtful', () => {
    const verdict = judge({ faults: faultRate(200, 0.4, ['stale', 'omission'], 1) });
    expect(verdict.isMet).toBe(false);
    expect(verdict.confidence).toBeLessThan(1 - EPSILON);
    // The start stands in the first.
    expect(verdict.doubtedWindows).toEqual([1]);
  });

  test('turns from met to not met at the accepted probability', () => {
    const faults = faultRate(200, 0.1, ['stale'], 0.2);
    const frozenClaims = rowsWith({});
    const model = faultModel(faults);
    const error = frozenClaims.errorProbability(model, PAGE_ROWS);
    expect(error).toBeGreaterThan(0);
    const atEnd = { faults, frozenClaims, endReads: undefined };
    expect(judge({ ...atEnd, epsilon: error })).toMatchObject({ isMet: true, doubtedWindows: [] });
    expect(judge({ ...atEnd, epsilon: error * 0.999 })).toMatchObject({
      isMet: false,
      doubtedWindows: [1],
    });
  });

  test('is not met where an answer contradicts a window, however sure the rows are', () => {
    const verdict = judge({ contradictedWindows: [7, 3] });
    expect(verdict.isMet).toBe(false);
    expect(verdict.doubtedWindows).toEqual([3, 7]);
    expect(verdict.confidence).toBe(judge().confidence);
  });

  test('names contradicted windows and weak ones, each once, in order', () => {
    const faults = faultRate(200, 0.4, ['stale'], 1);
    expect(judge({ faults, contradictedWindows: [9, 2] }).doubtedWindows).toEqual([1, 2, 9]);
  });

  test.each([
    ['no read shows the end', 0, false],
    ['one read shows it', 1, false],
    ['four reads show it', 4, true],
    ['the caller gave it', undefined, true],
  ])('counts the end: %s', (_, endReads, isMet) => {
    expect(judge({ endReads }).isMet).toBe(isMet);
  });

  test('has no confidence at all where no read shows the end', () => {
    expect(judge({ endReads: 0 }).confidence).toBe(0);
  });

  test('gives the confidence rounded down', () => {
    const frozenClaims = rowsWith({});
    const faults = faultRate(200, 0.05, ['order'], 0);
    const error = frozenClaims.errorProbability(faultModel(faults), PAGE_ROWS);
    const { confidence } = judge({ faults, frozenClaims, endReads: undefined });
    expect(confidence).toBeLessThanOrEqual(1 - error);
    expect(1 - error - confidence).toBeLessThan(1e-6);
    expect(Number.isInteger(Math.round(confidence * 1e8) / 100)).toBe(true);
  });
});

describe('what the verdict assumes', () => {
  const faulty = (chances: number, kind: FaultKind = 'stale') =>
    faultsOf(200, { [kind]: { faulty: 10, chances, repeats: 0 } });
  type Case = [what: string, evidence: Partial<WalkEvidence>, assumes: string[]];
  test.each<Case>([
    ['all is checked, and faulty reads were compared', { faults: faulty(4) }, []],
    ['no read was faulty', {}, ['one_state']],
    ['hardly two faulty reads were at one place', { faults: faulty(3.5) }, ['independent_faults']],
    ['pairs of another kind count as well', { faults: faulty(4, 'order') }, []],
    ['pairs of wrong cursors do not', { faults: faulty(40, 'cursor') }, ['independent_faults']],
    [
      'most rows show consecutive positions',
      { faults: faulty(4), frozenClaims: rowsWith({ isConsecutive: true }) },
      ['positions'],
    ],
    ['there are no backward reads', { faults: faulty(4), hasBackwardReads: false }, ['forward_only']],
    ['there was no cross-check', { faults: faulty(4), isCrossChecked: false }, ['no_cross_check']],
    ['earlier runs froze rows', { faults: faulty(4), hasEarlierRuns: true }, ['earlier_runs']],
    [
      'several at once',
      { hasBackwardReads: false, isCrossChecked: false, hasEarlierRuns: true },
      ['one_state', 'forward_only', 'no_cross_check', 'earlier_runs'],
    ],
  ])('%s', (_, evidence, assumes) => {
    expect(judge(evidence).assumes).toEqual(assumes);
  });

  test('does not change whether it is met', () => {
    expect(judge({ hasBackwardReads: false, isCrossChecked: false, hasEarlierRuns: true }).isMet).toBe(true);
  });
});
