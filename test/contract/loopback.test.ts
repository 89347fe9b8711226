// Which hosts count as this machine.
import { expect, test } from 'vitest';
import { isLoopback } from '../../src/contract/loopback.ts';

test.each<[host: string, expected: boolean]>([
  ['localhost', true],
  ['LocalHost', true],
  ['127.0.0.1', true],
  ['127.255.255.254', true],
  ['::1', true],
  ['[::1]', true],
  ['::ffff:127.0.0.1', true],
  ['::FFFF:127.8.9.10', true],
  [new URL('http://[::ffff:127.0.0.1]/').hostname, true],
  [new URL('http://[0:0:0:0:0:0:0:1]/').hostname, true],
  [new URL('http://127.1/').hostname, true],
  ['', false],
  ['a.localhost', false],
  ['localhost.example', false],
  ['127.0.0.1.example', false],
  ['127.example', false],
  ['127.0.0.256', false],
  ['127.0.0.01', false],
  ['127.1', false],
  ['128.0.0.1', false],
  ['0.0.0.0', false],
  ['::', false],
  ['::2', false],
  ['::ffff:10.0.0.1', false],
  ['::ffff:a00:1', false],
  ['::ffff:7f00', false],
  ['[::1', false],
])('%s: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
