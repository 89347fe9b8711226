// Limits of connections per address and of requests per client behind a proxy.
import { EventEmitter } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import type { Service } from '../../../src/contract/exchange.ts';
import { createConnectionLimiter } from '../../../src/service/http/connection-limiter.ts';
import { NO_PROXIES, parseTrustedProxies, peerAt } from '../../../src/service/http/peer.ts';
import { listen } from '../../../src/service/http/port.ts';
import { NO_OBSERVER } from '../../../src/service/http/request-tracker.ts';

/** A connection from this address, and how it ends. */
function from(remoteAddress: string | undefined) {
  const emitter = new EventEmitter();
  let isCut = false;
  const destroy = () => void (isCut = true);
  return {
    socket: Object.assign(emitter, { remoteAddress, destroy }) as unknown as Socket,
    end: () => void emitter.emit('close'),
    isCut: () => isCut,
  };
}

function limiterWith(proxies = NO_PROXIES) {
  const rejected: string[] = [];
  const observer = { ...NO_OBSERVER, rejected: (reason: string) => void rejected.push(reason) };
  return {
    rejections: rejected,
    ...createConnectionLimiter({ maxConnectionsPerAddress: 2 }, proxies, observer),
  };
}

test('the third connection of an address is closed until another one ends', () => {
  const { accepts, rejections } = limiterWith();
  const [first, second, third] = ['198.51.100.1', '::ffff:198.51.100.1', '198.51.100.1'].map(from);
  expect([accepts(first!.socket), accepts(second!.socket), accepts(third!.socket)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([first!.isCut(), second!.isCut(), third!.isCut(), rejections]).toEqual([
    false,
    false,
    true,
    ['address'],
  ]);
  expect(accepts(from('198.51.100.2').socket)).toBe(true);
  // It was never counted, so its end makes no room.
  third!.end();
  expect(accepts(from('198.51.100.1').socket)).toBe(false);
  first!.end();
  expect(accepts(from('198.51.100.1').socket)).toBe(true);
  expect(accepts(from('198.51.100.1').socket)).toBe(false);
});

test.each(['127.0.0.1', '::1', '10.1.2.3'])('loopback and trusted proxies are not limited: %s', (address) => {
  const { accepts } = limiterWith(parseTrustedProxies(['10.0.0.0/8']));
  for (let nth = 0; nth < 10; nth += 1) expect(accepts(from(address).socket)).toBe(true);
});

test('behind a proxy the third concurrent request of a client is refused, that of another client is not', () => {
  const { startRequest, rejections } = limiterWith(parseTrustedProxies(['127.0.0.1']));
  const release = startRequest(peerAt('203.0.113.9', NO_PROXIES), '127.0.0.1');
  startRequest(peerAt('203.0.113.9', NO_PROXIES), '127.0.0.1');
  expect(() => startRequest(peerAt('203.0.113.9', NO_PROXIES), '127.0.0.1')).toThrow(
    expect.objectContaining({ code: 'rate_limited', headers: { 'retry-after': '1' } }),
  );
  expect(rejections).toEqual(['address']);
  startRequest(peerAt('203.0.113.10', NO_PROXIES), '127.0.0.1');
  release();
  expect(() => startRequest(peerAt('203.0.113.9', NO_PROXIES), '127.0.0.1')).not.toThrow();
  // Its own connection is counted already.
  for (let nth = 0; nth < 5; nth += 1) startRequest(peerAt('198.51.100.1', NO_PROXIES), '198.51.100.1');
});

const answering: Service = async () => ({ status: 200, headers: { 'content-length': '2' }, body: 'ok' });

/** An address of this machine that is not loopback; what is sent to it never leaves the machine. */
const own = Object.values(networkInterfaces())
  .flat()
  .find((one) => one !== undefined && !one.internal && one.family === 'IPv4')?.address;

test.skipIf(own === undefined)(
  'on a port: connections above the limit close at once, the others get responses',
  async () => {
    const listener = await listen(answering, {
      host: '0.0.0.0',
      port: 0,
      limits: { maxConnectionsPerAddress: 3 },
    });
    const sockets: Socket[] = [];
    const opened = (): Promise<Socket> =>
      new Promise((resolve, reject) => {
        const socket = createConnection({ host: own!, port: listener.port, localAddress: own! }, () =>
          resolve(socket),
        );
        socket.once('error', reject);
        sockets.push(socket);
      });
    const answerOf = (socket: Socket): Promise<string> =>
      new Promise((resolve) => {
        socket.once('data', (data: Buffer) => resolve(data.toString().split('\r\n')[0]!));
        socket.once('close', () => resolve('closed'));
        socket.on('error', () => {});
        socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
      });
    try {
      const [first, second, third, fourth] = [await opened(), await opened(), await opened(), await opened()];
      expect(await answerOf(fourth)).toBe('closed');
      const kept = [first, second, third];
      expect(await Promise.all(kept.map(answerOf))).toEqual(kept.map(() => 'HTTP/1.1 200 OK'));
      // Its end makes room as soon as the service knows of it.
      first.destroy();
      await expect.poll(async () => answerOf(await opened())).toBe('HTTP/1.1 200 OK');
    } finally {
      for (const socket of sockets) socket.destroy();
      await listener.close(0);
    }
  },
);
