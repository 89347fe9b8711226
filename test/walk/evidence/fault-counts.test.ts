// How often two faulty reads made the same wrong claim, and the counts that more reads would have.
import { describe, expect, test } from 'vitest';
import {
  addFaults,
  countPairs,
  countPairsWithin,
  extrapolated,
  noFaults,
  type FaultKind,
  type FaultyRead,
} from '../../../src/walk/evidence/fault-counts.ts';

/** A stale read of the indexes `low` to `high` with wrong claims about some of them. */
const read = (low: number, high: number, wrong: number[], kind: FaultKind = 'stale'): FaultyRead => ({
  kind,
  low,
  high,
  claims: new Map(wrong.map((index) => [`row ${index}`, index])),
});

const pairsWithin = (...reads: FaultyRead[]) => {
  const { kinds } = noFaults();
  countPairsWithin(kinds, reads);
  return { chances: kinds.stale.chances, repeats: kinds.stale.repeats };
};

describe('a pair of faulty reads', () => {
  test.each<[string, FaultyRead, FaultyRead, number, number]>([
    ['all claims are shared', read(0, 9, [2, 5]), read(0, 9, [2, 5]), 1, 1],
    ['no claim is shared', read(0, 9, [2]), read(0, 9, [5]), 1, 0],
    ['half of the claims are shared', read(0, 9, [2, 5]), read(0, 9, [2, 7]), 1, 0.5],
    ['one makes one claim more', read(0, 9, [2, 5]), read(0, 9, [2]), 1, 0.75],
    ['the reads do not overlap', read(0, 4, [2]), read(5, 9, [7]), 0, 0],
    ['they overlap where neither is wrong', read(0, 5, [2]), read(4, 9, [7]), 0, 0],
    ['only one is wrong where they overlap', read(0, 5, [2, 5]), read(4, 9, [7]), 0.5, 0],
    ['claims outside of the overlap do not count', read(0, 5, [1, 5]), read(4, 9, [5, 8]), 1, 1],
  ])('%s', (_, one, two, chances, repeats) => {
    expect(pairsWithin(one, two)).toEqual({ chances, repeats });
    expect(pairsWithin(two, one)).toEqual({ chances, repeats });
  });

  test('of different kinds is none', () => {
    expect(pairsWithin(read(0, 9, [2]), read(0, 9, [2], 'omission'))).toEqual({ chances: 0, repeats: 0 });
  });

  test('is counted under its kind', () => {
    const { kinds } = noFaults();
    countPairsWithin(kinds, [read(0, 9, [2], 'order'), read(0, 9, [2], 'order')]);
    expect(kinds.order).toMatchObject({ chances: 1, repeats: 1 });
    expect(kinds.stale).toMatchObject({ chances: 0, repeats: 0 });
  });
});

test('each pair is counted once, and no read with itself', () => {
  expect(pairsWithin(read(0, 9, [2]))).toEqual({ chances: 0, repeats: 0 });
  const four = Array.from({ length: 4 }, () => read(0, 9, [2]));
  expect(pairsWithin(...four)).toEqual({ chances: 6, repeats: 6 });
});

test('pairs of two sets and pairs within each add up to those of all', () => {
  const reads = [read(0, 9, [2, 3]), read(2, 12, [3, 11]), read(1, 8, [2]), read(3, 12, [3, 4, 11])];
  for (let cut = 0; cut <= reads.length; cut++) {
    const { kinds } = noFaults();
    const [one, two] = [reads.slice(0, cut), reads.slice(cut)];
    countPairsWithin(kinds, one);
    countPairsWithin(kinds, two);
    countPairs(kinds, one, two);
    const all = pairsWithin(...reads);
    expect(kinds.stale.chances).toBeCloseTo(all.chances, 12);
    expect(kinds.stale.repeats).toBeCloseTo(all.repeats, 12);
  }
});

test('only the newest 48 reads of a kind are compared', () => {
  const old = Array.from({ length: 30 }, () => read(0, 9, [7]));
  const newest = Array.from({ length: 48 }, () => read(0, 9, [2]));
  expect(pairsWithin(...old, ...newest)).toEqual({ chances: (48 * 47) / 2, repeats: (48 * 47) / 2 });
});

const seen = () => {
  const faults = noFaults();
  faults.kinds.stale = { reads: 10, faulty: 4, chances: 6, repeats: 3 };
  faults.kinds.edge = { reads: 2, faulty: 1, chances: 0, repeats: 0 };
  faults.any = { reads: 12, faulty: 5 };
  faults.crossCheck = { reads: 8, faulty: 2, matches: 1 };
  faults.gone = { rows: 1 };
  return faults;
};

test('counts are added by kind', () => {
  const sum = seen();
  addFaults(sum, seen());
  expect(sum.kinds.stale).toEqual({ reads: 20, faulty: 8, chances: 12, repeats: 6 });
  expect(sum.kinds.edge).toEqual({ reads: 4, faulty: 2, chances: 0, repeats: 0 });
  expect(sum.kinds.order).toEqual({ reads: 0, faulty: 0, chances: 0, repeats: 0 });
  expect(sum).toMatchObject({
    any: { reads: 24, faulty: 10 },
    crossCheck: { reads: 16, faulty: 4, matches: 2 },
    gone: { rows: 2 },
  });
});

describe('counts of more reads', () => {
  test('have the same shares', () => {
    const more = extrapolated(seen(), 36);
    expect(more.any).toEqual({ reads: 36, faulty: 15 });
    expect(more.kinds.stale).toEqual({ reads: 30, faulty: 12, chances: 18, repeats: 9 });
    expect(more.crossCheck).toEqual({ reads: 24, faulty: 6, matches: 3 });
    expect(more.gone).toEqual({ rows: 3 });
  });

  test('stay as they are where there are as many already, and nothing stays nothing', () => {
    expect(extrapolated(seen(), 12)).toEqual(seen());
    expect(extrapolated(seen(), 5)).toEqual(seen());
    expect(extrapolated(noFaults(), 40)).toEqual(noFaults());
  });

  test('leave the given ones unchanged', () => {
    const faults = seen();
    extrapolated(faults, 120);
    expect(faults).toEqual(seen());
  });
});
