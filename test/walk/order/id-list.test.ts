// The packed list of frozen ids.
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { IdList } from '../../../src/walk/order/id-list.ts';

const listOf = (ids: readonly string[]) => {
  const list = new IdList();
  for (const id of ids) list.add(id);
  return list;
};

test.prop([fc.array(fc.string({ unit: 'binary' }), { maxLength: 40 }), fc.nat(60), fc.nat(60)])(
  'gives back what was added',
  (some, start, end) => {
    // Some 700 ids: two full blocks and a third one.
    const ids = Array.from({ length: 18 }, (_, round) => some.map((id) => `${id}${round}`)).flat();
    const list = listOf(ids);
    expect(list.length).toBe(ids.length);
    expect(list.slice(start * 10, end * 10)).toEqual(ids.slice(start * 10, end * 10));
  },
);

test('finds an id in each block, the last of equal ones', () => {
  const ids = Array.from({ length: 600 }, (_, at) => `row_${at}`);
  const list = listOf([...ids, 'row_3']);
  expect([0, 255, 256, 511, 512, 599].map((at) => list.lastIndexOf(`row_${at}`))).toEqual([
    0, 255, 256, 511, 512, 599,
  ]);
  expect(list.lastIndexOf('row_3')).toBe(600);
  expect(list.lastIndexOf('row_600')).toBe(-1);
});
