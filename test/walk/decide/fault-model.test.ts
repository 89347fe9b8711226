// What the walk expects of a service after the faults that it saw.
import { describe, expect, test } from 'vitest';
import { faultModel } from '../../../src/walk/decide/fault-model.ts';
import { noFaults } from '../../../src/walk/evidence/fault-counts.ts';
import { faultsOf } from './service-faults.ts';

describe('the probability that so many reads are all faulty', () => {
  test.each([
    ['no read', 0, 0, 1, 0.5],
    ['no fault in 9 reads', 9, 0, 1, 0.5 / 10],
    ['two reads after none in 9', 9, 0, 2, (0.5 / 10) * (1.5 / 11)],
    ['every read faulty', 9, 9, 1, 9.5 / 10],
    ['half of 100', 100, 50, 3, (50.5 / 101) * (51.5 / 102) * (52.5 / 103)],
  ])('%s', (_, reads, faulty, votes, expected) => {
    const { omission } = faultModel(faultsOf(reads, { omission: { faulty } }));
    expect(omission.allFaulty(votes)).toBeCloseTo(Math.log(expected), 10);
  });

  test('is 1 for no vote, and falls with each vote, evenly after the last prepared one', () => {
    const { stale } = faultModel(faultsOf(50, { stale: { faulty: 5, chances: 10, repeats: 4 } }));
    for (const logs of [stale.allFaulty, stale.allRepeat]) {
      expect(logs(0)).toBe(0);
      expect(logs(-1)).toBe(0);
      for (let votes = 0; votes < 60; votes++) expect(logs(votes + 1)).toBeLessThan(logs(votes));
    }
    const { allFaulty } = stale;
    expect(allFaulty(40) - allFaulty(39)).toBeCloseTo(allFaulty(30) - allFaulty(29), 10);
    expect(allFaulty(25) - allFaulty(24)).toBeCloseTo(allFaulty(24) - allFaulty(23), 10);
  });

  test('is higher than by the mean rate alone, and the more so the fewer reads there are', () => {
    const excess = (reads: number, faulty: number) => {
      const { order } = faultModel(faultsOf(reads, { order: { faulty } }));
      return order.allFaulty(4) - 4 * order.allFaulty(1);
    };
    expect(excess(1000, 100)).toBeGreaterThan(0);
    expect(excess(100, 10)).toBeGreaterThan(excess(1000, 100));
    expect(excess(10, 1)).toBeGreaterThan(excess(100, 10));
  });
});

describe('the probability that faulty reads agree', () => {
  test('is 1 in 16, or 15 in 16 if they share one state, before two faulty reads were seen at one place', () => {
    const expected = 0.98 * (0.5 / 8) + 0.02 * (7.5 / 8);
    expect(faultModel(faultsOf(100)).stale.repeated).toBeCloseTo(expected, 10);
    expect(faultModel(faultsOf(100)).stale.allRepeat(1)).toBeCloseTo(Math.log(expected), 10);
  });

  test('is soon that of independent faults, or that of one state, once pairs were seen', () => {
    const repeated = (chances: number, repeats: number) =>
      faultModel(faultsOf(100, { stale: { faulty: 20, chances, repeats } })).stale.repeated;
    expect(repeated(4, 0)).toBeCloseTo(0.5 / 12, 3);
    expect(repeated(4, 4)).toBeCloseTo(11.5 / 12, 1);
  });

  test('rises with repeated claims and falls with pairs that make others', () => {
    const repeated = (chances: number, repeats: number) =>
      faultModel(faultsOf(100, { stale: { faulty: 20, chances, repeats } })).stale.repeated;
    expect(repeated(10, 5)).toBeCloseTo(5.5 / 18, 1);
    expect(repeated(10, 10)).toBeGreaterThan(repeated(10, 5));
    expect(repeated(100, 0)).toBeLessThan(repeated(10, 0));
    expect(repeated(10, 0)).toBeLessThan(repeated(0, 0));
  });

  test('a given wrong claim is forged by the rate of the fault and the share that repeats', () => {
    const { stale } = faultModel(faultsOf(99, { stale: { faulty: 19.5, chances: 10, repeats: 5 } }));
    expect(stale.forged).toBeCloseTo(0.2 * stale.repeated, 10);
  });
});

describe('where few reads could show a fault', () => {
  test('a kind that no read could show has the rate of all faults', () => {
    const faults = faultsOf(100, { cursor: { faulty: 30 } });
    faults.kinds.omission = { reads: 0, faulty: 0, chances: 0, repeats: 0 };
    const { omission, cursor, order } = faultModel(faults);
    expect(omission.allFaulty(1)).toBe(cursor.allFaulty(1));
    expect(order.allFaulty(1)).toBeLessThan(omission.allFaulty(1));
  });

  test('an end that no read has shown has the rate of all faults, and so does the first one that is shown', () => {
    const edgeAfter = (reads: number, faulty: number, wrongEnds = 0) => {
      const faults = faultsOf(100, { order: { faulty } });
      faults.kinds.edge = { reads, faulty: wrongEnds, chances: 0, repeats: 0 };
      return Math.exp(faultModel(faults).edge.allFaulty(1));
    };
    expect(edgeAfter(1, 50)).toBeCloseTo((8 * 0.5) / 9, 10);
    expect(edgeAfter(1, 50)).toBeGreaterThan(edgeAfter(1, 10));
    expect(edgeAfter(40, 50)).toBeLessThan(0.1);
    expect(edgeAfter(40, 0, 20)).toBeGreaterThan(0.4);
  });
});

describe('what else it says', () => {
  test('of a service without any read', () => {
    expect(faultModel(noFaults())).toMatchObject({
      hasFaults: false,
      staleReads: 0,
      showsGoneRows: false,
      crossCheckShares: false,
    });
  });

  test('of faults, stale reads, rows that are gone, and a cross-check of the same snapshot', () => {
    const faults = faultsOf(20, { stale: { faulty: 3 } });
    faults.gone.rows = 1;
    faults.crossCheck = { reads: 10, faulty: 2, matches: 1 };
    const model = faultModel(faults);
    expect(model).toMatchObject({
      hasFaults: true,
      staleReads: 3,
      showsGoneRows: true,
      crossCheckShares: true,
    });
    expect(model.crossCheckWrong(1)).toBeCloseTo(Math.log(2.5 / 11), 10);
  });
});
