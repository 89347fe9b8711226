// Injected drift: what each fault does to a page, how often faults occur, and the rules that none breaks.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createDrift,
  DRIFT_FAULTS,
  EXPLICIT_DRIFT_FAULTS,
  RAMP_READS,
  SNAPSHOT_FAULTS,
  type DriftFault,
  type DriftOptions,
} from '../../../src/service/fault-injection/drift.ts';
import { parseDrift } from '../../../src/service/fault-injection/options.ts';
import { DRIFT_MODES } from '../../../src/contract/injected-faults.ts';
import type { ListPage, ListWindow } from '../../../src/service/handlers/list-source.ts';
import {
  driftedRead,
  numbersOf as ids,
  plainList,
  plainRows,
  type PlainRow,
} from '../../support/plain-list.ts';

const drifting = (options: DriftOptions) => createDrift(options, () => 0);
const rows = plainRows(60);
const list = plainList(rows);
const WINDOWS: Record<string, ListWindow> = {
  start: { limit: 10 },
  forward: { starting_after: 'row_20', limit: 10 },
  backward: { ending_before: 'row_40', limit: 10 },
  closed: { starting_after: 'row_20', ending_before: 'row_28', limit: 10 },
  full: { starting_after: 'row_20', ending_before: 'row_50', limit: 10 },
  end: { starting_after: 'row_53', limit: 10 },
};

/** Answers of many reads of one window with one fault kind only. */
async function answers(fault: DriftFault, window: ListWindow, seed = 7): Promise<ListPage<PlainRow>[]> {
  const drift = drifting({ from: 1, to: 1, seed, faults: [fault] });
  const pages: ListPage<PlainRow>[] = [];
  for (let read = 0; read < 200; read++) pages.push(await driftedRead(drift, list, window));
  return pages;
}

describe('parseDrift', () => {
  test.each([
    ['0', 0, 0],
    ['0.13', 0.13, 0.13],
    ['0.13:0.21', 0.13, 0.21],
    ['1', 1, 1],
    ['1.0:0', 1, 0],
    ['.5', 0.5, 0.5],
  ])('%s', (text, from, to) => {
    expect(parseDrift(text)).toEqual({ from, to, seed: 0, faults: DRIFT_FAULTS, mode: 'each' });
  });

  test('seed and faults', () => {
    expect(parseDrift('0.2', 4294967295, 'dup, shift,dup')).toEqual({
      from: 0.2,
      to: 0.2,
      seed: 4294967295,
      faults: ['shift', 'dup'],
      mode: 'each',
    });
    expect(parseDrift('0.2', 1, 'oversize,shift').faults).toEqual(['shift', 'oversize']);
  });

  test('mode collude injects only stale answers unless more faults are named', () => {
    expect(parseDrift('0.2', 1, undefined, 'collude').faults).toEqual(['stale']);
    expect(parseDrift('0.2', 1, 'dup,stale', 'collude').faults).toEqual(['dup', 'stale']);
    expect(() => parseDrift('0.2', 1, 'dup', 'collude')).toThrow(
      'mode collude needs a fault with a snapshot: add one of stale, phantom, renumber',
    );
    for (const fault of SNAPSHOT_FAULTS) {
      expect(parseDrift('0.2', 1, `dup,${fault}`, 'collude').faults).toContain(fault);
    }
  });

  test.each([
    ['', 0, undefined, /ratio/],
    ['1.1', 0, undefined, /ratio/],
    ['-0.1', 0, undefined, /ratio/],
    ['0.1:0.2:0.3', 0, undefined, /ratio/],
    ['0,1', 0, undefined, /ratio/],
    ['NaN', 0, undefined, /ratio/],
    ['0.1', 1.5, undefined, /integer/],
    ['0.1', 4294967296, undefined, /integer/],
    ['0.1', -1, undefined, /integer/],
    ['0.1', 0, 'shift,teleport', /unknown drift fault "teleport"; use one of shift/],
    ['0.1', 0, '', /unknown drift fault ""/],
  ])('%s %s %s is refused', (ratio, seed, faults, message) => {
    expect(() => parseDrift(ratio, seed, faults)).toThrow(message);
  });
});

test('the ratio changes linearly over the first reads and is reported', async () => {
  const drift = drifting(parseDrift('0.13:0.21', 7));
  expect([drift.ratio(0), drift.ratio(RAMP_READS - 1), drift.ratio(10_000)]).toEqual([0.13, 0.21, 0.21]);
  expect(drift.ratio(50)).toBe(0.1704);
  expect(drift.reportedRatio()).toBe(0.13);
  for (let read = 0; read < RAMP_READS; read++) await driftedRead(drift, list, { limit: 5 });
  expect(drift.reportedRatio()).toBe(0.21);
});

test('the same seed and requests give the same pages, another seed other pages', async () => {
  const run = async (seed: number, speed: number) => {
    const drift = drifting({ from: 0.5, to: 0.5, seed, faults: DRIFT_FAULTS });
    const windows = Array.from({ length: 20 }, () => Object.values(WINDOWS)).flat();
    // At once, with reads of different speed: the order of the requests decides.
    const slow = (turns: number) => ({
      ...list,
      read: async (window: ListWindow) => {
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        return list.read(window);
      },
    });
    return Promise.all(windows.map((window, n) => driftedRead(drift, slow((n * speed) % 7), window)));
  };
  const first = await run(1, 0);
  expect(await run(1, 0)).toEqual(first);
  expect(await run(1, 3)).toEqual(first);
  expect(await run(2, 0)).not.toEqual(first);
});

test('the share of faulty reads is the ratio', async () => {
  const drift = drifting({ from: 0.2, to: 0.2, seed: 3, faults: ['permute'] });
  const truth = await list.read(WINDOWS.forward!);
  let faulty = 0;
  for (let read = 0; read < 2000; read++) {
    const page = await driftedRead(drift, list, WINDOWS.forward!);
    if (JSON.stringify(page) !== JSON.stringify(truth)) faulty++;
  }
  expect(faulty).toBeGreaterThan(340);
  expect(faulty).toBeLessThan(460);
});

describe('each fault does what its name says', () => {
  const consecutive = (page: number[]) => page.every((id, at) => at === 0 || id === page[at - 1]! + 1);

  test.each(Object.keys(WINDOWS))('shift starts late or early: %s', async (name) => {
    const window = WINDOWS[name]!;
    const truth = ids(await list.read(window));
    const pages = (await answers('shift', window)).map(ids);
    expect(pages.every(consecutive)).toBe(true);
    const edge = name === 'backward' ? (page: number[]) => page.at(-1)! : (page: number[]) => page[0]!;
    const moves = new Set(pages.map((page) => edge(page) - edge(truth)));
    expect(moves.has(0)).toBe(false);
    expect(Math.max(...moves)).toBeGreaterThan(0);
    if (name !== 'start') expect(Math.min(...moves)).toBeLessThan(0);
  });

  test('boundary ends early or late, with a has_more that is sometimes wrong', async () => {
    const pages = await answers('boundary', WINDOWS.closed!);
    const lengths = pages.map((page) => page.rows.length);
    expect(Math.min(...lengths)).toBeLessThan(7);
    expect(Math.max(...lengths)).toBeGreaterThan(7);
    expect(new Set(pages.map((page) => page.has_more)).size).toBe(2);
    const backward = await answers('boundary', WINDOWS.backward!);
    expect(backward.every((page) => ids(page).at(-1) === 39)).toBe(true);
    const whole = backward.filter((page) => page.rows.length === 10);
    expect(whole.length / backward.length).toBeCloseTo(0.3, 1);
    expect(whole.every((page) => !page.has_more)).toBe(true);
  });

  test('later returns the rows after ending_before, and changes no other window', async () => {
    expect(ids((await answers('later', WINDOWS.backward!))[0]!)[0]).toBe(41);
    expect(ids((await answers('later', WINDOWS.closed!))[0]!)[0]).toBe(29);
    expect(ids((await answers('later', WINDOWS.full!))[0]!)[0]).toBe(51);
    expect(ids((await answers('later', WINDOWS.forward!))[0]!)[0]).toBe(21);
  });

  test('permute keeps the rows and changes their order', async () => {
    for (const page of (await answers('permute', WINDOWS.forward!)).map(ids)) {
      expect(consecutive(page)).toBe(false);
      expect(page.toSorted((a, b) => a - b)).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
    }
  });

  test.each(['forward', 'backward'])(
    'missing leaves out one row, with a shorter or a full page: %s',
    async (name) => {
      const pages = (await answers('missing', WINDOWS[name]!)).map(ids);
      const truth = ids(await list.read(WINDOWS[name]!));
      expect(new Set(pages.map((page) => page.length))).toEqual(new Set([9, 10]));
      for (const page of pages) expect(truth.filter((id) => !page.includes(id))).toHaveLength(1);
    },
  );

  test('dup repeats one row', async () => {
    for (const page of (await answers('dup', WINDOWS.forward!)).map(ids)) {
      expect(page).toHaveLength(10);
      expect(new Set(page).size).toBeGreaterThanOrEqual(9);
    }
    expect((await answers('dup', WINDOWS.closed!)).every((page) => page.rows.length === 8)).toBe(true);
  });

  test('scramble puts the whole page into another order', async () => {
    const truth = ids(await list.read(WINDOWS.forward!));
    const pages = (await answers('scramble', WINDOWS.forward!)).map(ids);
    for (const page of pages) expect(page.toSorted((a, b) => a - b)).toEqual(truth);
    expect(pages.some((page) => page.every((id, at) => id !== truth[at]))).toBe(true);
  });

  test('stale pages lack some rows and the newest ones, in both directions', async () => {
    const many = plainList(plainRows(2000));
    const drift = drifting({ from: 1, to: 1, seed: 5, faults: ['stale'] });
    const pages: number[][] = [];
    for (let read = 0; read < 20; read++) pages.push(ids(await driftedRead(drift, many, { limit: 500 })));
    expect(pages.every((page) => page.length === 500 && page.at(-1)! > 500)).toBe(true);
    expect(new Set(pages.map((page) => page.join())).size).toBe(20);
    for (const window of [WINDOWS.end!, { ending_before: 'row_60', limit: 20 }]) {
      const ends = (await answers('stale', window)).map((page) => ids(page).at(-1) ?? 0);
      expect(Math.max(...ends)).toBe(59);
      expect(Math.min(...ends)).toBeLessThan(54);
    }
    const ends = (await answers('stale', WINDOWS.end!)).map(ids);
    expect(ends.every((page) => !page.includes(60))).toBe(true);
  });

  test('shift after the last row returns the last rows again', async () => {
    const pages = (await answers('shift', { starting_after: 'row_60', limit: 5 })).map(ids);
    expect(pages.every((page) => page.at(-1) === 60 && page.length <= 5)).toBe(true);
  });
});

describe('faults that must be named', () => {
  test('are not among the default faults', () => {
    expect(DRIFT_FAULTS.filter((fault) => EXPLICIT_DRIFT_FAULTS.includes(fault))).toEqual([]);
  });

  test('empty has has_more and no rows', async () => {
    for (const window of Object.values(WINDOWS)) {
      expect((await answers('empty', window))[0]).toEqual({ rows: [], has_more: true });
    }
  });

  test('loop ends at the cursor', async () => {
    expect(ids((await answers('loop', WINDOWS.forward!))[0]!).at(-1)).toBe(20);
    expect(ids((await answers('loop', WINDOWS.backward!))[0]!)[0]).toBe(40);
    expect((await answers('loop', WINDOWS.start!))[0]).toMatchObject({ has_more: true });
    expect((await answers('loop', { starting_after: 'row_60', limit: 3 })).map(ids)[0]).toEqual([58, 59, 60]);
  });

  test('oversize has more rows than requested', async () => {
    for (const page of await answers('oversize', WINDOWS.forward!))
      expect(page.rows.length).toBeGreaterThan(10);
  });
});

test('a page has at most limit rows, all from the list, and is never empty with has_more', async () => {
  const cursor = fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(
      fc.record({ after: cursor, before: cursor, limit: fc.integer({ min: 1, max: 20 }) }),
      fc.nat(),
      fc.constantFrom(...DRIFT_FAULTS, 'scramble' as const),
      fc.constantFrom(...DRIFT_MODES),
      async ({ after, before, limit }, seed, fault, mode) => {
        const drift = drifting({ from: 1, to: 1, seed, faults: [fault], mode });
        for (let read = 0; read < 5; read++) {
          const page = await driftedRead(drift, list, {
            ...(after === undefined ? {} : { starting_after: `row_${after}` }),
            ...(before === undefined ? {} : { ending_before: `row_${before}` }),
            limit,
          });
          expect(page.rows.length).toBeLessThanOrEqual(limit);
          expect(page.rows.every((row) => rows.includes(row))).toBe(true);
          if (page.has_more) expect(page.rows.length).toBeGreaterThan(0);
        }
      },
    ),
    { numRuns: 400 },
  );
});

test('an error of the true list is never changed', async () => {
  const drift = drifting({ from: 1, to: 1, seed: 1, faults: DRIFT_FAULTS });
  await expect(driftedRead(drift, list, { starting_after: 'row_99', limit: 3 })).rejects.toThrow(
    'no cursor row_99',
  );
});

test('every page is true at ratio 0', async () => {
  const drift = drifting(parseDrift('0'));
  const page = await driftedRead(drift, list, WINDOWS.forward!);
  expect(page).toEqual(await list.read(WINDOWS.forward!));
});
