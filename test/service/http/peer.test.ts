// The address of a client: that of the connection, or what a trusted proxy says, never a forged one.
import { describe, expect, test } from 'vitest';
import { clientAddress, NO_PROXIES, parseTrustedProxies, peerAt } from '../../../src/service/http/peer.ts';

const proxies = parseTrustedProxies(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);

test.each([
  ['no proxy: the connection', '198.51.100.1', ['203.0.113.9'], '198.51.100.1'],
  ['a proxy that says nothing', '127.0.0.1', [], '127.0.0.1'],
  ['a proxy that says who', '127.0.0.1', ['203.0.113.9'], '203.0.113.9'],
  ['made up by the sender, then added to by the proxy', '127.0.0.1', ['1.2.3.4, 203.0.113.9'], '203.0.113.9'],
  ['through two proxies', '127.0.0.1', ['1.2.3.4, 203.0.113.9, 10.1.2.3'], '203.0.113.9'],
  ['in two headers', '127.0.0.1', ['1.2.3.4', '203.0.113.9'], '203.0.113.9'],
  ['nothing but proxies', '127.0.0.1', ['10.0.0.1, 10.0.0.2'], '10.0.0.1'],
  ['no address', '127.0.0.1', ['203.0.113.9, unknown'], '127.0.0.1'],
  ['control characters', '127.0.0.1', ['\u001b[2J'], '127.0.0.1'],
  ['IPv6', 'fd00::1', ['2001:db8::7'], '2001:db8::7'],
  ['IPv4 in the form of IPv6', '::ffff:127.0.0.1', ['::ffff:203.0.113.9'], '203.0.113.9'],
])('%s', (_why, connection, forwarded, peer) => {
  expect(clientAddress(connection, forwarded, proxies)).toBe(peer);
});

test('a closed connection has no address', () => {
  expect(clientAddress(undefined, ['203.0.113.9'], proxies)).toBe('unknown');
});

test.each([
  ['198.51.100.1', '198.51.100.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:DB8::6', '2001:db8:0:0::/64'],
  ['::2', '0:0:0:0::/64'],
  ['64:ff9b::198.51.100.1', '64:ff9b:0:0::/64'],
  ['1:2::3:4:198.51.100.1', '1:2:0:0::/64'],
  ['::1', '::1'],
  ['fe80::1%eth0', 'fe80::1%eth0'],
  ['unknown', 'unknown'],
])('limits count %s as %s', (address, key) => {
  expect(peerAt(address, NO_PROXIES).limitKey).toBe(key);
});

describe('invalid networks', () => {
  test.each(['', 'localhost', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/8/8', 'fd00::/129', '10.0.0.0/'])(
    '%s',
    (text) => {
      expect(() => parseTrustedProxies([text])).toThrow(/is no address or network/);
    },
  );
});
