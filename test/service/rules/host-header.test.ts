// Names a loopback service answers to, and the one origin whose pages may ask for a token.
import { expect, test } from 'vitest';
import { isLoopback } from '../../../src/contract/loopback.ts';
import { isSameOrigin, hostNameOf } from '../../../src/service/rules/host-header.ts';

test.each<[header: string, name: string | undefined, loopback: boolean]>([
  ['localhost', 'localhost', true],
  ['LocalHost:4747', 'localhost', true],
  ['localhost.:80', 'localhost', true],
  ['127.0.0.1:4747', '127.0.0.1', true],
  ['127.8.9.10', '127.8.9.10', true],
  ['[::1]:4747', '::1', true],
  ['[::1]', '::1', true],
  ['evil.example', 'evil.example', false],
  ['evil.example:4747', 'evil.example', false],
  ['127.0.0.1.evil.example', '127.0.0.1.evil.example', false],
  ['localhost.evil.example', 'localhost.evil.example', false],
  ['127.evil', '127.evil', false],
  ['10.0.0.1', '10.0.0.1', false],
  ['[::2]', '::2', false],
  ['a@localhost', undefined, false],
  ['localhost/evil', undefined, false],
  ['localhost, evil', undefined, false],
  ['', undefined, false],
])('%s', (header, name, loopback) => {
  expect(hostNameOf(header)).toBe(name);
  expect(isLoopback(name ?? '')).toBe(loopback);
});

test.each<[origin: string, host: string | undefined, own: boolean]>([
  ['http://127.0.0.1:4747', '127.0.0.1:4747', true],
  ['https://archive.example', 'Archive.example', true],
  ['http://127.0.0.1:4748', '127.0.0.1:4747', false],
  ['http://evil.example', '127.0.0.1:4747', false],
  ['null', '127.0.0.1:4747', false],
  ['http://localhost', undefined, false],
])('%s at %s', (origin, host, own) => {
  expect(isSameOrigin(origin, host)).toBe(own);
});
