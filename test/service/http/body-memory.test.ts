// The bytes of request bodies in memory are limited: of one client, and of all clients together.
import { expect, test } from 'vitest';
import { createBodyMemory } from '../../../src/service/http/body-memory.ts';
import { NO_PROXIES, parseTrustedProxies, peerAt } from '../../../src/service/http/peer.ts';

const proxies = parseTrustedProxies(['10.0.0.0/8']);
const [one, other, proxy, here] = ['198.51.100.1', '198.51.100.2', '10.0.0.1', '127.0.0.1'].map((address) =>
  peerAt(address, proxies),
) as [
  ReturnType<typeof peerAt>,
  ReturnType<typeof peerAt>,
  ReturnType<typeof peerAt>,
  ReturnType<typeof peerAt>,
];
const memory = () => createBodyMemory({ maxBodyBytes: 100, maxBodyBytesPerPeer: 40 });
const refused = (code: string) =>
  expect.objectContaining({ code, headers: expect.objectContaining({ 'retry-after': '1' }) });

test('one client gets 429 above its share, until some of its bytes are released', () => {
  const { take, release } = memory();
  take(one, 30);
  expect(() => take(one, 11)).toThrow(refused('rate_limited'));
  take(one, 10);
  take(other, 40);
  release(one, 10);
  take(one, 10);
  expect(() => take(one, 1)).toThrow(refused('rate_limited'));
});

test('all clients get 503 above the limit of all; this machine and a trusted proxy have no share of their own', () => {
  const { take, release } = memory();
  take(proxy, 50);
  take(here, 50);
  expect(() => take(one, 1)).toThrow(refused('store_unavailable'));
  expect(() => take(here, 1)).toThrow(refused('store_unavailable'));
  release(proxy, 50);
  take(one, 40);
});

test('addresses of one IPv6 network share', () => {
  const { take } = memory();
  take(peerAt('2001:db8:0:1::1', NO_PROXIES), 40);
  expect(() => take(peerAt('2001:db8:0:1:ffff::2', NO_PROXIES), 1)).toThrow(refused('rate_limited'));
  take(peerAt('2001:db8:0:2::1', NO_PROXIES), 40);
});
