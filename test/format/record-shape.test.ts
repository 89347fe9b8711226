import { expect, test } from 'vitest';
import { ExactNumber } from '../../src/contract/exact-json.ts';
import { completeRecordOf } from '../../src/format/record-shape.ts';

test('every record gets every key, in one order, and keeps what the schema does not name', () => {
  const complete = completeRecordOf(['id', 'a', 'a.b', 'a.c', 'list', 'list.x']);
  expect(JSON.stringify(complete({ other: 1, id: 'x' }))).toBe('{"id":"x","a":null,"list":null,"other":1}');
  expect(JSON.stringify(complete({ id: 'x', a: { c: 1 }, list: [{}, { x: 2, y: 3 }, null] }))).toBe(
    '{"id":"x","a":{"b":null,"c":1},"list":[{"x":null},{"x":2,"y":3},null]}',
  );
  expect(complete({ id: undefined })).toStrictEqual({ id: null, a: null, list: null });
});

test('numbers that cannot be read exactly are kept', () => {
  const id = new ExactNumber('9007199254740993');
  expect(completeRecordOf(['id', 'id.x'])({ id })).toStrictEqual({ id });
});
