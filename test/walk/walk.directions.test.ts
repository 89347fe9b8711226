// Lists that cannot be read in every direction: the walk reads in no other, and a complete walk is exact all the same.
import { expect, test } from 'vitest';
import type { Direction, PageQuery } from '../../src/walk/source.ts';
import { directionOf } from '../../src/walk/evidence/read.ts';
import { walk } from '../../src/walk/walk.ts';
import { faultyList, type FaultyListOptions } from '../support/faulty-list.ts';

const SUPPORTED = [
  ['forward'],
  ['forward', 'backward'],
  ['forward', 'closed'],
] as const satisfies Direction[][];
const LISTS: FaultyListOptions[] = [
  { size: 0 },
  { size: 1 },
  { size: 60 },
  { size: 600 },
  { size: 60, drift: 0.21 },
  { size: 600, drift: 0.21, correlation: 'key' },
];

test.each(SUPPORTED.flatMap((supported) => LISTS.map((options) => ({ supported, options }))))(
  '$supported of $options',
  async ({ supported, options }) => {
    for (const range of [{}, { after: 'r5', before: 'r50' }]) {
      if ('after' in range && options.size < 60) continue;
      let complete = 0;
      for (let seed = 1; seed <= 5; seed++) {
        const list = faultyList({ ...options, seed });
        const directions = new Set<Direction>(supported);
        const asked = new Set<Direction>();
        const { signal } = new AbortController();
        const page = (query: PageQuery) => {
          asked.add(directionOf(query));
          return list.page(query, signal);
        };
        const windows = walk({ page, directions }, { limit: 40, crossCheck: 'off', signal, ...range });
        const ids: string[] = [];
        const { fault } = await list.clock.run(
          (async () => {
            for (;;) {
              const step = await windows.next();
              if (step.done === true) return step.value;
              ids.push(...step.value.rows.map(({ id }) => id));
            }
          })(),
        );
        expect([...asked].filter((direction) => !directions.has(direction))).toEqual([]);
        const expected = 'after' in range ? list.ids.slice(5, 49) : list.ids;
        expect(ids).toEqual(fault === undefined ? expected : expected.slice(0, ids.length));
        if (fault === undefined) complete++;
      }
      expect(complete).toBeGreaterThanOrEqual((options.drift ?? 0) > 0 ? 4 : 5);
    }
  },
);
