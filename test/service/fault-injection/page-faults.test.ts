// Pages of earlier snapshots: with positions counted anew, and with rows that the list lost.
import { describe, expect, test } from 'vitest';
import {
  phantom,
  renumber,
  stale,
  type PageFault,
  type TrueList,
} from '../../../src/service/fault-injection/page-faults.ts';
import { seededRandom } from '../../../src/service/fault-injection/seeded-random.ts';
import type { ListWindow } from '../../../src/service/handlers/list-source.ts';
import { plainList } from '../../support/plain-list.ts';

const SIZE = 2500;
/** Their positions are three apart. */
const rows = Array.from({ length: SIZE }, (_, n) => ({ id: `row_${n + 1}`, sequence: 3 * n + 3 }));
const list = plainList(rows);

const WINDOWS: [string, ListWindow][] = [
  ['start', { limit: 30 }],
  ['forward', { starting_after: 'row_2100', limit: 30 }],
  ['backward', { ending_before: 'row_1500', limit: 30 }],
  ['closed', { starting_after: 'row_700', ending_before: 'row_710', limit: 30 }],
  ['end', { starting_after: `row_${SIZE - 20}`, limit: 30 }],
  ['after the last row', { starting_after: `row_${SIZE}`, limit: 30 }],
];

async function faulty<Row extends { id: string; sequence?: number }>(
  fault: PageFault,
  from: TrueList<Row>,
  window: ListWindow,
  state = 'snapshot',
) {
  return fault({ list: from, window, truth: await from.read(window), random: seededRandom(state), state });
}

describe('renumber', () => {
  test('the whole snapshot has the positions 1 to n', async () => {
    const page = await faulty(renumber, list, { limit: SIZE });
    expect(page.rows.map(({ sequence }) => sequence)).toEqual(page.rows.map((_, at) => at + 1));
    expect(page.rows.length).toBeGreaterThan(0.9 * SIZE);
    expect(page.rows.length).toBeLessThan(SIZE);
  });

  test.each(WINDOWS)('%s: the stale page of this snapshot, with positions within it', async (_, window) => {
    for (const state of ['a', 'b', 'c']) {
      const whole = await faulty(renumber, list, { limit: SIZE }, state);
      const positions = new Map(whole.rows.map(({ id, sequence }) => [id, sequence]));
      const expected = await faulty(stale, list, window, state);
      expect(await faulty(renumber, list, window, state)).toEqual({
        ...expected,
        rows: expected.rows.map(({ id }) => ({ id, sequence: positions.get(id) })),
      });
    }
  });

  test('rows without a position get none', async () => {
    const plain = plainList(rows.map(({ id }) => ({ id })));
    expect(await faulty(renumber, plain, { limit: 9 })).toEqual(await faulty(stale, plain, { limit: 9 }));
  });
});

describe('phantom', () => {
  test('is the true page where no row was removed', async () => {
    for (const [, window] of WINDOWS) {
      expect(await faulty(phantom, list, window)).toEqual(await list.read(window));
    }
  });

  test('reads the snapshot that its state names', async () => {
    const asked: unknown[] = [];
    const window = { limit: 3 };
    const snapshot = { rows: rows.slice(5, 8), has_more: true };
    const read = async (...args: unknown[]) => {
      asked.push(args);
      return snapshot;
    };
    expect(await faulty(phantom, { ...list, readSnapshot: read }, window, 'older')).toBe(snapshot);
    expect(asked).toEqual([['older', window]]);
  });
});
