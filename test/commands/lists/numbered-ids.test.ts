import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { NumberedIds } from '../../../src/commands/lists/numbered-ids.ts';

const number = fc.oneof(
  fc.nat({ max: 100 }),
  fc.constantFrom(2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1, 1e21),
);
const id = fc.oneof(
  number.map((each) => `msg_${each}`),
  number.map((each) => `conv_${each}`),
  fc.constantFrom(
    '',
    '_',
    'msg_',
    'msg_01',
    'msg_1.5',
    'msg_-1',
    'msg_-0',
    'msg_ 1',
    'msg_1e2',
    'msg_0x1',
    '7',
  ),
);

property.prop([fc.array(id, { maxLength: 200 })])('it knows the ids of a list like a set', (ids) => {
  const [ours, plain] = [new NumberedIds(), new Set<string>()];
  for (const each of ids) {
    expect(ours.add(each)).toBe(!plain.has(each));
    plain.add(each);
  }
});

test('every bit of a word is one number', () => {
  const ids = new NumberedIds();
  for (const isNew of [true, false])
    for (let number = 0; number < 100; number += 1) expect(ids.add(`msg_${number}`)).toBe(isNew);
});
