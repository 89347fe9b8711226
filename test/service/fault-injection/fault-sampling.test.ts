// How injected faults are correlated in each mode: reproducible by seed, and alike only where the mode says so.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TrueList } from '../../../src/service/fault-injection/page-faults.ts';
import type { ListRow, ListWindow } from '../../../src/service/handlers/list-source.ts';
import { createDrift, DRIFT_FAULTS, type ReadEntry } from '../../../src/service/fault-injection/drift.ts';
import { sampleRead } from '../../../src/service/fault-injection/fault-sampling.ts';
import { DRIFT_MODES, type DriftMode } from '../../../src/contract/injected-faults.ts';
import { driftedRead, plainList, plainRows } from '../../support/plain-list.ts';

const list = plainList(plainRows(400));
const window = (after: number, limit = 20): ListWindow => ({ starting_after: `row_${after}`, limit });

function drifting(mode: DriftMode, { ratio = 0.5, seed = 3, faults = DRIFT_FAULTS } = {}) {
  const clock = { now: 0 };
  const entries: ReadEntry[] = [];
  const log = async (entry: ReadEntry) => void entries.push(entry);
  const drift = createDrift({ from: ratio, to: ratio, seed, faults, mode }, () => clock.now, log);
  return { clock, entries, read: (asked: ListWindow) => driftedRead(drift, list, asked) };
}

describe.each(DRIFT_MODES)('%s', (mode) => {
  async function answers(seed: number): Promise<unknown[]> {
    const { read } = drifting(mode, { seed });
    const pages: unknown[] = [];
    for (let at = 1; at <= 60; at++) pages.push(await read(window(at)));
    return pages;
  }

  test('the same seed and requests give the same pages, another seed other pages', async () => {
    const first = await answers(1);
    expect(await answers(1)).toEqual(first);
    expect(await answers(2)).not.toEqual(first);
  });

  test('the share of faulty reads is about the ratio', () => {
    const samples = Array.from({ length: 6000 }, (_, index) =>
      sampleRead(mode, 9, { index, key: `key ${index}`, now: 0 }, 0.2),
    );
    expect(samples.filter(({ isFaulty }) => isFaulty).length / 6000).toBeCloseTo(0.2, 1);
  });
});

test('each: an identical request gets different pages', async () => {
  const { read } = drifting('each');
  const pages = new Set<string>();
  for (let at = 0; at < 20; at++) pages.add(JSON.stringify(await read(window(50))));
  expect(pages.size).toBeGreaterThan(5);
});

test('key: an identical request gets the same fault at any time, another limit or direction its own', async () => {
  const { read, clock, entries } = drifting('key');
  for (let at = 20; at < 60; at++) {
    const first = await read(window(at));
    clock.now += 5000;
    expect(await read(window(at))).toEqual(first);
  }
  const faultOf = async (asked: ListWindow) => {
    await read(asked);
    return entries.at(-1)!.fault;
  };
  const pairs: boolean[] = [];
  for (let at = 20; at < 80; at++) {
    const fault = await faultOf(window(at));
    pairs.push(fault === (await faultOf(window(at, 21))));
    pairs.push(fault === (await faultOf({ ending_before: `row_${at}`, limit: 20 })));
  }
  expect(pairs.filter((same) => same).length).toBeLessThan(pairs.length / 2);
});

test('sticky: an identical request gets the same fault within one second', async () => {
  const { read, clock } = drifting('sticky');
  const changed: boolean[] = [];
  for (let at = 20; at < 60; at++) {
    const first = await read(window(at));
    clock.now += 999;
    expect(await read(window(at))).toEqual(first);
    clock.now += 1;
    changed.push(JSON.stringify(await read(window(at))) !== JSON.stringify(first));
  }
  expect(changed.filter((other) => other).length).toBeGreaterThan(10);
});

test('burst: faults come in runs of six', async () => {
  const samples = Array.from({ length: 600 }, (_, index) =>
    sampleRead('burst', 4, { index, key: '', now: 0 }, 0.3),
  );
  const runs = Array.from({ length: 100 }, (_, run) =>
    samples.slice(run * 6, run * 6 + 6).filter((sample) => sample.isFaulty),
  );
  expect(runs.filter((run) => run.length === 0).length).toBeGreaterThan(50);
  expect(runs.every((run) => run.length === 0 || run.length >= 3)).toBe(true);
});

describe('collude', () => {
  test('sixteen reads of any list share a snapshot', async () => {
    const { read, entries } = drifting('collude', { ratio: 1, faults: ['stale'] });
    const pages: string[] = [];
    for (let at = 0; at < 32; at++) pages.push(JSON.stringify(await read({ limit: 300 })));
    expect(new Set(pages.slice(0, 16)).size).toBe(1);
    expect(new Set(pages.slice(16)).size).toBe(1);
    expect(pages[16]).not.toBe(pages[0]);
    expect(new Set(entries.slice(0, 16).map(({ state }) => state)).size).toBe(1);
  });

  test('a conversation is missing together with its message', async () => {
    const conversations = Array.from({ length: 200 }, (_, n) => ({ id: `conv_${n}` }));
    const openings = conversations.map(({ id }, n) => ({ id: `msg_${n}`, conversation_id: id }));
    const listOf = <Row extends ListRow>(rows: Row[]): TrueList<Row> => ({
      read: async ({ limit }) => ({ rows: rows.slice(0, limit), has_more: rows.length > limit }),
      newest: async (limit) => rows.slice(-limit),
    });
    const drift = createDrift({ from: 1, to: 1, seed: 8, faults: ['stale'], mode: 'collude' }, () => 0);
    const asked = { key: '', window: { limit: 200 } };
    const page = await drift.readPage({ ...asked, list: 'conversations' }, listOf(conversations));
    const crossCheck = await drift.readPage({ ...asked, list: 'messages' }, listOf(openings));
    expect(page.rows.length).toBeLessThan(199);
    expect(crossCheck.rows.map((row) => row.conversation_id)).toEqual(page.rows.map(({ id }) => id));
  });
});

test('the reported ratio can differ from the true one', () => {
  const options = { from: 0.2, to: 0.2, seed: 1, faults: DRIFT_FAULTS, reported: { from: 0, to: 0 } };
  expect(createDrift(options, () => 0).reportedRatio()).toBe(0);
});

test('the log names the fault of every page that is not true, and of no other', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...DRIFT_MODES),
      fc.nat(1000),
      fc.array(
        fc.record({ after: fc.integer({ min: 1, max: 400 }), limit: fc.integer({ min: 1, max: 30 }) }),
        {
          minLength: 1,
          maxLength: 10,
        },
      ),
      async (mode, seed, asked) => {
        const { read, entries } = drifting(mode, { seed });
        for (const [at, { after, limit }] of asked.entries()) {
          const page = await read(window(after, limit));
          const truth = await list.read(window(after, limit));
          const same = JSON.stringify(page) === JSON.stringify(truth);
          expect(entries[at]).toMatchObject({ read: at + 1, window: window(after, limit) });
          expect(entries[at]!.fault === null).toBe(same);
          expect(entries[at]!.state === null).toBe(entries[at]!.fault !== 'stale');
        }
      },
    ),
    { numRuns: 100 },
  );
});
