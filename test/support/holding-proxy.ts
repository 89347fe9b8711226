// A service in front of another one that answers only when a test says so.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A request that waits for its answer. `closed` resolves when its sender no longer waits. */
export type HeldRequest = { path: string; closed: Promise<void> };

/** A proxy whose requests wait. */
export type HoldingProxy = {
  url: string;
  /** Resolves with the first waiting request whose path matches. */
  holds(path: RegExp): Promise<HeldRequest>;
  /** Answers the first waiting request whose path matches, when there is one. */
  release(path: RegExp): Promise<void>;
  /** Answers it with a status and no record. */
  refuse(path: RegExp, status: number): Promise<void>;
  /** Answers every request from now on, and those that wait. */
  letThrough(): void;
  /** Holds requests again. */
  hold(): void;
  /** Resolves when nobody waits for an answer. */
  isQuiet(): Promise<void>;
  close(): Promise<void>;
};

type Waiting = HeldRequest & { request: IncomingMessage; response: ServerResponse };

/** Starts a proxy of the service at `target`. It holds every request. */
export async function holdingProxy(target: string): Promise<HoldingProxy> {
  const waiting = new Set<Waiting>();
  const watchers = new Set<() => void>();
  let isHolding = true;
  const changed = (): void => {
    for (const watch of watchers) watch();
  };
  const answer = async ({ request, response }: Waiting): Promise<void> => {
    const { authorization = '', accept = '' } = request.headers;
    const reply = await fetch(`${target}${request.url}`, { headers: { authorization, accept } });
    const headers = Object.fromEntries(
      [...reply.headers].filter(([name]) => !['content-encoding', 'content-length'].includes(name)),
    );
    response.writeHead(reply.status, headers).end(Buffer.from(await reply.arrayBuffer()));
  };
  const server = createServer((request, response) => {
    const closed = once(response, 'close').then(() => {});
    const each: Waiting = { path: request.url ?? '', closed, request, response };
    if (!isHolding) {
      void answer(each);
      return;
    }
    waiting.add(each);
    void closed.then(() => {
      waiting.delete(each);
      changed();
    });
    changed();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  /** Resolves with what `look` finds, as soon as it finds something. */
  const until = <T>(look: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const watch = (): void => {
        const found = look();
        if (found === undefined) return;
        watchers.delete(watch);
        resolve(found);
      };
      watchers.add(watch);
      watch();
    });
  const first = (path: RegExp): Promise<Waiting> =>
    until(() => [...waiting].find((each) => path.test(each.path)));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    holds: first,
    release: async (path) => answer(await first(path)),
    async refuse(path, status) {
      const { response } = await first(path);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end('{"error":{"code":"not_found","message":"none"}}');
    },
    letThrough() {
      isHolding = false;
      for (const each of waiting) void answer(each);
    },
    hold() {
      isHolding = true;
    },
    isQuiet: async () => void (await until(() => (waiting.size === 0 ? true : undefined))),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
