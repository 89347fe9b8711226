// Signed paths: a signature opens its own grant and no other.
import { expect, test } from 'vitest';
import {
  filePath,
  isExpired,
  isSignatureValid,
  lastDayOf,
  parseSignedPath,
  signGrant,
} from '../../../src/service/rules/signed-path.ts';

const key = Buffer.alloc(32, 7);
const grant = { id: 'att_1', sha256: 'ab'.repeat(32), tier: 'internal', lastDay: 20_000 } as const;

test('a signature opens its own grant and no other', () => {
  const signature = signGrant(key, grant);
  expect(filePath(key, grant)).toBe(`/files/att_1/internal/20000/${signature}`);
  expect(signature).toMatch(/^[\w-]{43}$/);
  expect(isSignatureValid(key, grant, signature)).toBe(true);
  for (const other of [
    { id: 'att_2' },
    { sha256: 'cd'.repeat(32) },
    { tier: 'mirror' as const },
    { lastDay: 20_001 },
  ]) {
    expect(isSignatureValid(key, { ...grant, ...other }, signature)).toBe(false);
  }
  expect(isSignatureValid(Buffer.alloc(32, 8), grant, signature)).toBe(false);
  for (const wrong of ['', signature.slice(1), `${signature}=`, 'é'.repeat(43)]) {
    expect(isSignatureValid(key, grant, wrong)).toBe(false);
  }
});

test('an address lives until the end of the next day, and all of one day are alike', () => {
  const midnight = Date.UTC(2026, 0, 2);
  const lastDay = lastDayOf(midnight);
  expect(lastDayOf(midnight + 86_399_999)).toBe(lastDay);
  expect(lastDayOf(midnight + 86_400_000)).toBe(lastDay + 1);
  expect(isExpired(lastDay, midnight + 2 * 86_400_000 - 1)).toBe(false);
  expect(isExpired(lastDay, midnight + 2 * 86_400_000)).toBe(true);
});

test.each([
  '/files/att_1/internal/20000/x/y',
  '/files/att_1/internal/x',
  '/messages/msg_1/internal/20000/x?y',
  '/',
])('%s is no signed path', (target) => {
  expect(parseSignedPath('files', target)).toBeUndefined();
  expect(parseSignedPath('messages', target)).toBeUndefined();
});
