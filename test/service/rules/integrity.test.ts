// Integrity: the bits of the checks, the share that a record passes, and statuses.
import { describe, expect, test } from 'vitest';
import { CHECKS, integrityOf, MESSAGE, statusOf, type Kind } from '../../../src/service/rules/integrity.ts';

describe('integrity', () => {
  test.each(Object.keys(CHECKS) as Kind[])('%s: every check has its own bit and an equal share', (kind) => {
    const bits = CHECKS[kind].map(({ bit }) => bit);
    expect(new Set(bits).size).toBe(bits.length);
    const all = bits.reduce((sum, bit) => sum | bit, 0);
    expect(integrityOf(kind, 0)).toBe(1);
    expect(integrityOf(kind, all)).toBe(0);
    for (const bit of bits) expect(integrityOf(kind, bit)).toBeCloseTo(1 - 1 / bits.length, 4);
    expect(integrityOf(kind, 1 << 20)).toBe(1);
  });

  test.each([
    [0, 'stable'],
    [MESSAGE.parentPresent, 'partial'],
    [MESSAGE.datePlausible | MESSAGE.positionMonotonic, 'partial'],
    [MESSAGE.storedBytes, 'unverified'],
    [MESSAGE.parentPresent | MESSAGE.decodable, 'unverified'],
  ])('bits %i are %s', (failed, status) => {
    expect(statusOf(failed)).toBe(status);
  });
});
