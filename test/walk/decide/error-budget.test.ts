// The division of the accepted error among pages and ends: all shares together never exceed it.
import { describe, expect, test } from 'vitest';
import {
  requiredForAdjacency,
  requiredForEdge,
  type ListSize,
} from '../../../src/walk/decide/error-budget.ts';

const size: ListSize = {
  epsilon: 0.001,
  pageRows: 50,
  frozenRows: 0,
  openRows: 500,
  isEndKnown: false,
  spent: 0,
};
const required = (changed: Partial<ListSize>, openLogOdds: number[] = []) =>
  requiredForAdjacency({ ...size, ...changed }, () => openLogOdds);

describe('while the end is unknown', () => {
  test.each([0.1, 0.001, 1e-6])('the shares of all pages add up to four fifths of ε = %d', (epsilon) => {
    let sum = 0;
    for (let page = 0; page < 200_000; page++)
      sum += Math.exp(-required({ epsilon, frozenRows: page * size.pageRows }));
    expect(sum).toBeLessThanOrEqual(0.8 * epsilon);
    // No share of it is kept back.
    expect(sum).toBeGreaterThan(0.799 * epsilon);
  });

  test('later pages must be surer, by no jump', () => {
    for (let page = 0; page < 500; page++) {
      const [now, next] = [page, page + 1].map((count) => required({ frozenRows: count * size.pageRows }));
      expect(next!).toBeGreaterThan(now!);
      expect(next! - now!).toBeLessThan(0.05);
    }
  });

  test('open adjacencies change nothing', () => {
    expect(required({}, [1, 2, 3])).toBe(required({}));
    expect(required({ openRows: 5 })).toBe(required({}));
  });

  test('half the error needs ln 2 more', () => {
    expect(required({ epsilon: 0.0005 }) - required({})).toBeCloseTo(Math.log(2), 10);
  });
});

describe('with a known end', () => {
  const known = { isEndKnown: true, openRows: 500, epsilon: 0.001 };
  /** Error of all adjacencies that the required log-odds accept, as one of `pageRows` each. */
  const acceptedError = (logOdds: number[], least: number) =>
    logOdds.filter((odds) => odds >= least).reduce((sum, odds) => sum + Math.exp(-odds), 0) / size.pageRows;

  test('10 open pages get a tenth of 80 % of the error each', () => {
    expect(required(known)).toBeCloseTo(-Math.log(0.0008 / 10), 10);
  });

  test('what was spent is not spent again', () => {
    expect(required({ ...known, spent: 0.0004 })).toBeCloseTo(-Math.log(0.0004 / 10), 10);
    expect(required({ ...known, spent: 0.0004 })).toBeGreaterThan(required(known));
  });

  test('one that is spent altogether asks for what a page of an endless list needs', () => {
    expect(required({ ...known, spent: 0.001 })).toBe(required({}));
    expect(required({ ...known, spent: 0.001 }, [20, 9, 3])).toBe(required({}));
  });

  test('fewer rows than a page count as a page', () => {
    expect(required({ ...known, openRows: 3 })).toBe(required({ ...known, openRows: 50 }));
  });

  test('what sure adjacencies do not need goes to a weak one', () => {
    const strong = Array.from({ length: 499 }, () => 20);
    expect(required(known, [...strong, 5])).toBe(5);
    expect(required(known, [...strong, 3])).toBe(required(known));
    expect(Math.exp(-5)).toBeLessThan(0.0008 * size.pageRows);
    expect(Math.exp(-3)).toBeGreaterThan(0.0008 * size.pageRows);
  });

  test('equal adjacencies are accepted together or not at all', () => {
    const few = Array.from({ length: 3 }, () => 5);
    const many = Array.from({ length: 10 }, () => 5);
    expect(required(known, few)).toBe(5);
    expect(required(known, many)).toBeGreaterThan(5);
  });

  test('what is accepted never adds up to more than the budget', () => {
    let random = 1;
    const next = () => (random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fffffff) / 0x80000000;
    let saved = 0;
    for (let list = 0; list < 200; list++) {
      const logOdds = Array.from({ length: 500 }, () => 2 + 14 * next());
      const spent = 0.0008 * next();
      const least = required({ ...known, spent }, logOdds);
      const even = required({ ...known, spent });
      if (least < even) saved++;
      // Where nothing is saved, each page has its even share.
      const bound = least < even ? 0.0008 - spent : 10 * Math.exp(-even);
      expect(acceptedError(logOdds, least)).toBeLessThanOrEqual(bound + 1e-12);
    }
    expect(saved).toBeGreaterThan(20);
  });
});

test('start and end share the rest of the error', () => {
  expect(2 * Math.exp(-requiredForEdge(0.001)) + 0.8 * 0.001).toBeCloseTo(0.001, 12);
});
