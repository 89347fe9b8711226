// Signed paths: a signature opens its own grant and no other.
import { expect, test } from 'vitest';
import { filePath, isSignatureValid, signGrant } from '../../../src/service/rules/signed-path.ts';

const key = Buffer.alloc(32, 7);
const grant = { id: 'att_1', sha256: 'ab'.repeat(32), tier: 'internal' } as const;

test('a signature opens its own grant and no other', () => {
  const signature = signGrant(key, grant);
  expect(filePath(key, grant)).toBe(`/files/att_1/internal/${signature}`);
  expect(signature).toMatch(/^[\w-]{43}$/);
  expect(isSignatureValid(key, grant, signature)).toBe(true);
  for (const other of [{ id: 'att_2' }, { sha256: 'cd'.repeat(32) }, { tier: 'mirror' as const }]) {
    expect(isSignatureValid(key, { ...grant, ...other }, signature)).toBe(false);
  }
  expect(isSignatureValid(Buffer.alloc(32, 8), grant, signature)).toBe(false);
  for (const wrong of ['', signature.slice(1), `${signature}=`, 'é'.repeat(43)]) {
    expect(isSignatureValid(key, grant, wrong)).toBe(false);
  }
});
