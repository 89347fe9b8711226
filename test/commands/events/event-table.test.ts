// The table of events of a journal: index, digest and flags of each, however many there are.
import { expect, test } from 'vitest';
import { EventTable } from '../../../src/commands/events/event-table.ts';

const digestOf = (n: number) => n.toString(16).padStart(16, '0').repeat(2);

test('indexes follow the order of arrival and stay, with digests and flags, while the table grows', () => {
  const table = new EventTable();
  const count = 20_000;
  for (let n = 0; n < count; n += 1) {
    expect(table.add(`evt_${n}`)).toBe(n);
    table.setDigest(n, digestOf(n * 7));
    table.addFlags(n, 1 << (n % 16));
  }
  expect(table.add('evt_7')).toBe(7);
  expect(table.size).toBe(count);
  expect(table.find('evt_x')).toBeUndefined();
  const wrong = Array.from({ length: count }, (_, n) => n).filter(
    (n) =>
      table.find(`evt_${n}`) !== n ||
      table.flags(n) !== 1 << (n % 16) ||
      !table.hasDigest(n, digestOf(n * 7)) ||
      table.hasDigest(n, digestOf(n * 7 + 1)),
  );
  expect(wrong).toEqual([]);
  table.addFlags(3, 2);
  table.clearFlags(3, 8);
  expect(table.flags(3)).toBe(2);
});
