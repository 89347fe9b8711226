// The address of a client: that of the connection, or what a trusted proxy says, never a forged one.
import { describe, expect, test } from 'vitest';
import { clientAddress, parseTrustedProxies } from '../../../src/service/http/peer.ts';

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

describe('invalid networks', () => {
  test.each(['', 'localhost', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/8/8', 'fd00::/129', '10.0.0.0/'])(
    '%s',
    (text) => {
      expect(() => parseTrustedProxies([text])).toThrow(/is no address or network/);
    },
  );
});
