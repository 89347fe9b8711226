// Which announced origins of files are trusted, and which hosts may be allowed.
import { describe, expect, test } from 'vitest';
import { trustedAssetOrigin } from '../../src/download/allowed-origins.ts';

describe('an announced asset origin', () => {
  test.each([
    ['https://archive.test', 'https://archive.test:8443', true],
    ['https://archive.test:444/p', 'https://archive.test/files', true],
    ['https://archive.test', 'http://archive.test', false],
    ['https://archive.test', 'https://files.archive.test', false],
    ['https://archive.test', 'https://archive.test.evil.test', false],
    ['https://archive.test', 'http://127.0.0.1', false],
    ['http://127.0.0.1:4747', 'http://127.0.0.1:4748', true],
    ['http://localhost:4747', 'http://127.0.0.1:4748', true],
    ['http://[::1]:4747', 'https://localhost:4748', true],
    ['http://127.0.0.1:4747', 'http://169.254.169.254', false],
    ['http://127.0.0.1:4747', 'http://127.0.0.1.evil.test', false],
  ])('%s announces %s: %s', (base, announced, isTrusted) => {
    expect(trustedAssetOrigin(announced, new URL(base)) !== undefined).toBe(isTrusted);
  });
});
