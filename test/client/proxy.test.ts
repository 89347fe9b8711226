// A proxy that breaks off, talks too early or says nothing: each request ends, and with a fault that names the proxy.
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createNetwork } from '../../src/client/network.ts';
import type { FaultKind } from '../../src/faults.ts';
import { faultFrom } from './fixture.ts';

type Proxy = { port: number; connections: () => number };

/** Runs `work` with a proxy that does this with each connection after its first bytes. */
async function withProxy(answer: (socket: Socket) => void, work: (proxy: Proxy) => Promise<void>) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    // What a loop of connections would be is cut, so that the test ends.
    if (sockets.length > 10) server.close();
    else socket.once('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work({ port: (server.address() as AddressInfo).port, connections: () => sockets.length });
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

const network = (port: number) =>
  createNetwork({
    connectTimeoutMs: 1000,
    idleTimeoutMs: 1000,
    proxy: `http://user:secret@127.0.0.1:${port}`,
  });
const request = (signal: AbortSignal) => ({
  method: 'GET' as const,
  url: new URL('http://127.0.0.1:9/api/health'),
  headers: {},
  signal,
});

test.each<[does: string, answer: (socket: Socket) => void, kind: FaultKind, words: string]>([
  ['closes', (socket) => socket.end(), 'network', 'the proxy 127.0.0.1:PORT closed the connection'],
  ['cuts its answer', (socket) => socket.end('HTTP/1.1 20'), 'network', 'closed the connection'],
  [
    'says 100 Continue',
    (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
    'network',
    'closed the connection',
  ],
  [
    'sends an answer through the tunnel before it was asked',
    (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'),
    'protocol',
    'the proxy 127.0.0.1:PORT sent data before it was asked',
  ],
  ['says nothing', () => {}, 'network', 'cannot reach the proxy 127.0.0.1:PORT (timeout)'],
])('a proxy that %s', (_does, answer, kind, words) =>
  withProxy(answer, async ({ port, connections }) => {
    const { transport, close } = await network(port);
    try {
      const { message } = await faultFrom(transport(request(AbortSignal.timeout(4000))), kind);
      expect(message).toContain(words.replace('PORT', String(port)));
      expect(connections()).toBe(1);
    } finally {
      await close();
    }
  }),
);

test('a run that is stopped does not wait for a proxy', () =>
  withProxy(
    () => {},
    async ({ port }) => {
      const { transport, close } = await network(port);
      const stop = new AbortController();
      const answer = transport(request(stop.signal));
      stop.abort(new Error('stopped'));
      await expect(answer).rejects.toThrow('stopped');
      await close();
    },
  ));

test('a password that cannot be decoded is refused', async () => {
  const made = createNetwork({
    connectTimeoutMs: 1000,
    idleTimeoutMs: 1000,
    proxy: 'http://user:%zz@127.0.0.1',
  });
  expect((await faultFrom(made, 'usage')).message).toBe('proxy is not an http or https URL');
});
