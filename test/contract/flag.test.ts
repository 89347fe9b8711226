// True and false as services write them.
import { expect, test } from 'vitest';
import { flagOf } from '../../src/contract/flag.ts';

test.each<[value: unknown, flag: boolean | undefined]>([
  ...[true, 1, '1', 'true', 'True', 'TRUE', 'yes', 'Yes', 'y', 'Y'].map((value): [unknown, true] => [
    value,
    true,
  ]),
  ...[false, 0, '0', 'false', 'FALSE', 'no', 'No', 'n', 'N'].map((value): [unknown, false] => [value, false]),
  ...[null, undefined, '', 'null', 2, -1, 'maybe', [], {}, [true], 'yes please'].map(
    (value): [unknown, undefined] => [value, undefined],
  ),
])('%j is %j', (value, flag) => {
  expect(flagOf(value)).toBe(flag);
});
