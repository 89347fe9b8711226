// Lists that cannot be read in every direction: no other read is made, and what is called complete is exact all the same.
import { expect, test } from 'vitest';
import type { Direction, PageQuery } from '../../src/walk/source.ts';
import { directionOf } from '../../src/walk/evidence/read.ts';
import { walk } from '../../src/walk/walk.ts';
import { faultyList, type FaultyListOptions } from '../support/faulty-list.ts';

const ONLY = [['forward'], ['forward', 'backward'], ['forward', 'closed']] as const satisfies Direction[][];
const LISTS: FaultyListOptions[] = [
  { size: 0 },
  { size: 1 },
  { size: 60 },
  { size: 600 },
  { size: 60, drift: 0.21 },
  { size: 600, drift: 0.21, correlation: 'key' },
];

test.each(ONLY.flatMap((only) => LISTS.map((lying) => ({ only, lying }))))(
  '$only of $lying',
  async ({ only, lying }) => {
    for (const range of [{}, { after: 'r5', before: 'r50' }]) {
      if ('after' in range && lying.size < 60) continue;
      let complete = 0;
      for (let seed = 1; seed <= 5; seed++) {
        const list = faultyList({ ...lying, seed });
        const directions = new Set<Direction>(only);
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
        const truth = 'after' in range ? list.ids.slice(5, 49) : list.ids;
        expect(ids).toEqual(fault === undefined ? truth : truth.slice(0, ids.length));
        if (fault === undefined) complete++;
      }
      expect(complete).toBeGreaterThanOrEqual((lying.drift ?? 0) > 0 ? 4 : 5);
    }
  },
);
