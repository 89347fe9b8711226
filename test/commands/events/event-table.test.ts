// The ledger of a reconciliation: every event has its place, digest and notes, however many there are.
import { expect, test } from 'vitest';
import { EventTable } from '../../../src/commands/events/event-table.ts';

const digestOf = (n: number) => n.toString(16).padStart(16, '0').repeat(2);

test('places are in the order of arrival and stay, with digests and notes, as it grows', () => {
  const ledger = new EventTable();
  const count = 20_000;
  for (let n = 0; n < count; n += 1) {
    expect(ledger.add(`evt_${n}`)).toBe(n);
    ledger.setDigest(n, digestOf(n * 7));
    ledger.note(n, 1 << (n % 16));
  }
  expect(ledger.add('evt_7')).toBe(7);
  expect(ledger.size).toBe(count);
  expect(ledger.find('evt_x')).toBeUndefined();
  const wrong = Array.from({ length: count }, (_, n) => n).filter(
    (n) =>
      ledger.find(`evt_${n}`) !== n ||
      ledger.notes(n) !== 1 << (n % 16) ||
      !ledger.hasDigest(n, digestOf(n * 7)) ||
      ledger.hasDigest(n, digestOf(n * 7 + 1)),
  );
  expect(wrong).toEqual([]);
  ledger.note(3, 2);
  ledger.forget(3, 8);
  expect(ledger.notes(3)).toBe(2);
});
