// Instants as services write them.
import { expect, test } from 'vitest';
import { instantOf, isoInstant } from '../../src/contract/instant-forms.ts';

const AT = '2023-11-14T22:13:20.000Z';

test.each<[value: unknown, instant: string | undefined]>([
  [1_700_000_000, AT],
  [1_700_000_000_000, AT],
  [1_700_000_000_000_000, AT],
  ['1700000000', AT],
  ['1700000000.000100', AT],
  ['1700000000000', AT],
  ['1700000000000000', AT],
  ['1700000000000000000', AT],
  ['/Date(1700000000000)/', AT],
  ['/Date(1700000000000+0100)/', AT],
  [String.raw`\/Date(1700000000000)\/`, AT],
  ['Tue, 14 Nov 2023 22:13:20 GMT', AT],
  ['14 Nov 2023 23:13:20 +0100', AT],
  // Already in the form of the interface, or none.
  [AT, undefined],
  ['2023-11-14 22:13:20', undefined],
  ['14 Nov 2023', undefined],
  ['12345', undefined],
  ['99999999999999999999', undefined],
  ['soon', undefined],
  ['', undefined],
  [true, undefined],
  [null, undefined],
  [Infinity, undefined],
])('%j is %j', (value, instant) => {
  expect(isoInstant(value)).toBe(instant);
  if (instant !== undefined) expect(instantOf(value)).toBe(Date.parse(instant));
});
