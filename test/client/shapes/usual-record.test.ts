// The fast test of records agrees with the schemas: what it accepts, they return as it is.
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as kinds from '../../../src/client/shapes/list-kinds.ts';
import { usualRecordTest } from '../../../src/client/shapes/usual-record.ts';

type Shape = Record<string, z.ZodType>;
const testOf = (shape: Shape, dates: readonly string[] = []) =>
  usualRecordTest(new Map(Object.entries(shape)), dates);

const sha256 = '0123456789abcdef'.repeat(4);
/** Values at the edges of what the fields take. */
const value = fc.oneof(
  fc.constantFrom<unknown>('', 'text', 'stable', sha256, '1583193600', null, true, false, {}, [], [1]),
  fc.constantFrom<unknown>(0, -0, 1, -1, 0.5, 1.5, 2 ** 53, 2 ** 53 - 1, -(2 ** 53), Infinity, NaN),
  fc.jsonValue({ maxDepth: 1 }),
);

describe.each(Object.values(kinds))('$list', ({ schema, dates = [] }) => {
  const shape = schema.shape as Shape;
  const isUsual = testOf(shape, dates);
  const names = Object.keys(shape);
  /** A value that the field accepts, or any. */
  const valueOf = (field: z.ZodType) =>
    fc.oneof(
      { weight: 5, arbitrary: value.filter((each) => field.safeParse(each).success) },
      { weight: 1, arbitrary: value },
    );
  const fields = fc.record(Object.fromEntries(names.map((name) => [name, valueOf(shape[name]!)])), {
    requiredKeys: [],
  });
  const other = fc.constantFrom('__proto__', 'constructor', 'ID', 'other');
  const record = fc
    .tuple(
      fields,
      fc.oneof({ weight: 8, arbitrary: fc.constant([]) }, fc.array(fc.tuple(other, value), { maxLength: 2 })),
      fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, fc.shuffledSubarray(names)),
    )
    .map(([known, others, order]): Record<string, unknown> => {
      const inOrder = (order ?? names).flatMap((name) => (name in known ? [[name, known[name]]] : []));
      return Object.fromEntries([...inOrder, ...others]) as Record<string, unknown>;
    });

  property.prop([record], { numRuns: 500 })('what is usual is what the schema returns', (each) => {
    if (!isUsual(each)) return;
    const parsed = schema.safeParse(each);
    expect(parsed.success).toBe(true);
    expect(Object.entries(parsed.data!)).toStrictEqual(Object.entries(each));
  });
});

test.each<[string, boolean, object]>([
  [
    'a whole message',
    true,
    { id: 'msg_1', entry: 'entry_1', sequence: 1, date: null, attachments: 0, integrity: 1 },
  ],
  ['an id alone', true, { id: 'msg_1' }],
  ['no id', false, { entry: 'entry_1' }],
  ['an empty id', false, { id: '' }],
  ['keys in another order', false, { entry: 'entry_1', id: 'msg_1' }],
  ['an unknown key', false, { id: 'msg_1', size: 1 }],
  ['an instant as a number', false, { id: 'msg_1', date: '1583193600' }],
  ['an integrity above 1', false, { id: 'msg_1', integrity: 1.5 }],
  ['a position that is no whole number', false, { id: 'msg_1', sequence: 1.5 }],
  ['a number in place of a text', false, { id: 'msg_1', subject: 1 }],
])('%s is usual: %s', (_, isUsual, message) => {
  const { schema, dates } = kinds.MESSAGES;
  expect(testOf(schema.shape, dates)(message as Record<string, unknown>)).toBe(isUsual);
});

test.each<[string, z.ZodType, unknown, boolean]>([
  ['an open bound', z.number().gt(0), 0, false],
  ['an open bound', z.number().gt(0), 1, true],
  ['a text that is changed', z.string().trim(), ' a', false],
  ['a text that is not changed', z.string().trim(), 'a', true],
  ['a value that is converted', z.coerce.number(), '1', false],
  ['infinity', z.number(), Infinity, false],
  ['a list', z.array(z.string()), ['a'], false],
])('%s: %#', (_, field, given, isUsual) => {
  expect(testOf({ field })({ field: given })).toBe(isUsual);
});
