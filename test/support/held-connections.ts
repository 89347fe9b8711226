// Clients that hold connections of a service (slow, idle, or reset), and what other clients notice of them.
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Held = {
  /** How many of the connections are still open. */
  open(): number;
  release(): void;
};

/** How a client holds a connection: what it says at first, and then a piece each second for ever, if anything. */
export type Holding = { first: string; drip?: string; reads: boolean };

export const HEAD_DRIP: Holding = {
  first: 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n',
  drip: 'x: y\r\n',
  reads: true,
};
export const BODY_DRIP: Holding = {
  first:
    'POST /api/auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
  drip: ' ',
  reads: true,
};
export const IDLE: Holding = { first: '', reads: true };

/** Asks for a file and never reads it. */
export const unread = (path: string): Holding => ({
  first: `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  reads: false,
});

const HOST = '127.0.0.1';

/** Resolves when all have been connected, or refused. */
export async function hold(port: number, count: number, { first, drip, reads }: Holding): Promise<Held> {
  const sockets = new Set<Socket>();
  const opening = Array.from({ length: count }, async (_, index) => {
    // In bursts that a listen queue holds.
    await sleep(Math.floor(index / 200) * 20);
    const socket = connect(port, HOST);
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    if (reads) socket.resume();
    else socket.pause();
    await new Promise((resolve) => {
      socket.once('connect', resolve);
      socket.once('close', resolve);
    });
    if (first !== '' && !socket.destroyed) socket.write(first);
  });
  await Promise.all(opening);
  const dripping = setInterval(() => {
    if (drip !== undefined) for (const socket of sockets) socket.write(drip);
  }, 1000);
  return {
    open: () => sockets.size,
    release() {
      clearInterval(dripping);
      for (const socket of sockets) socket.destroy();
    },
  };
}

export type Latencies = { requests: number; failed: number; p50: number; p99: number; max: number };

/** Asks again and again on a few kept connections, for so long; times in milliseconds. */
export async function latencies(
  port: number,
  path: string,
  {
    seconds,
    clients = 4,
    headers = {},
  }: { seconds: number; clients?: number; headers?: Record<string, string> },
): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const times: number[] = [];
  let failed = 0;
  const end = performance.now() + seconds * 1000;
  const ask = (): Promise<boolean> =>
    new Promise((resolve) => {
      const asked = request({ agent, port, host: HOST, path, headers, timeout: 10_000 }, (answer) => {
        answer.resume().once('end', () => resolve((answer.statusCode ?? 0) < 300));
      });
      asked.once('error', () => resolve(false));
      asked.once('timeout', () => asked.destroy());
      asked.end();
    });
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      const begun = performance.now();
      if (!(await ask())) failed += 1;
      times.push(performance.now() - begun);
      // A client, not a load.
      await sleep(5);
    }
  };
  await Promise.all(Array.from({ length: clients }, worker));
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Infinity;
  return { requests: times.length, failed, p50: at(0.5), p99: at(0.99), max: times.at(-1) ?? Infinity };
}

/** Asks for a file and resets the connection when its first bytes are there, so many times, some at once. */
export async function resets(port: number, path: string, count: number, atOnce = 20): Promise<void> {
  let left = count;
  const one = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(port, HOST);
      socket.on('error', () => {});
      socket.once('close', () => resolve());
      socket.once('data', () => socket.resetAndDestroy());
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    });
  const worker = async (): Promise<void> => {
    for (; left > 0;) {
      left -= 1;
      await one();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Resident memory in bytes and open descriptors of a process; Linux only. */
export function usageOf(pid: number): { rss: number; descriptors: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    rss: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** How long it is asked: only what never comes may fail, however slow the machine is. */
const MAX_WAIT_SECONDS = 60;

/** Asks until it holds; false: a while has passed without. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  seconds = MAX_WAIT_SECONDS,
): Promise<boolean> {
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await sleep(50)) {
    if (await holds()) return true;
  }
  return false;
}
