// The set of ids: it holds what was added and nothing else.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { IdSet } from '../../../src/walk/order/id-set.ts';

test('property: holds the ids that were added and no others', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2 }), (ids) => {
      const set = new IdSet();
      const half = ids.length >> 1;
      for (const id of ids.slice(0, half)) set.add(id);
      expect(ids.map((id) => set.has(id))).toEqual(ids.map((_, index) => index < half));
    }),
  );
});

test('grows', () => {
  const set = new IdSet();
  for (let n = 0; n < 50_000; n++) set.add(`row ${n}`);
  expect(set.has('row 0')).toBe(true);
  expect(set.has('row 49999')).toBe(true);
  expect(set.has('row 50000')).toBe(false);
});
