// Which rows say that something is withheld, in any spelling. What cannot be read counts as withheld.
import { expect, test } from 'vitest';
import { isWithheld } from '../../src/contract/withheld.ts';

test.each<[row: object, isWithheldRow: boolean]>([
  [{ status: 'withheld' }, true],
  [{ Status: 'Withheld' }, true],
  [{ state: 'redacted' }, true],
  [{ status: 'stable' }, false],
  [{ redacted: true }, true],
  [{ redacted: 'yes' }, true],
  [{ Redacted: 'True' }, true],
  [{ isRedacted: 'Y' }, true],
  [{ is_withheld: 1 }, true],
  [{ redacted: '1' }, true],
  [{ redacted: 'partly' }, true],
  [{ redacted_at: '2026-01-02T03:04:05Z' }, true],
  [{ redactedAt: null }, false],
  [{ redacted: 'No' }, false],
  [{ redacted: 0, withheld: 'false' }, false],
  [{ redacted: false, withheld: true }, true],
  [{ redacted: null }, false],
  [{ withheld: '' }, false],
  [{ redactedBy: 'ana', redaction: true }, false],
  [{}, false],
])('%j: %j', (row, isWithheldRow) => {
  expect(isWithheld(row)).toBe(isWithheldRow);
});
