// A foreign list on a loopback port, paged by the IDs of its rows, with the faults that a test asks for.
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { PageQuery } from '../../src/walk/source.ts';
import { correctPage, FAULT_NAMES, faultyPage } from './faulty-page.ts';
import { answer, misbehave, type Misbehaving } from './misbehaving-server.ts';
import { randomFrom } from './random.ts';

/** What the server does with a cursor: it follows, refuses (400) or ignores it. */
export type CursorBehaviour = 'follows' | 'refuses' | 'ignores';

export type CursorServerOptions = {
  rows: readonly Record<string, unknown>[];
  /** Returns the id of a row as a cursor in the URL. */
  idOf?: (row: Record<string, unknown>) => string;
  after?: CursorBehaviour;
  before?: CursorBehaviour;
  /** Both cursors at once. */
  both?: CursorBehaviour;
  /** Returns how many rows a page has when `asked` were asked for. */
  limit?: (asked: number) => number;
  body?: (rows: unknown[], more: boolean) => unknown;
  /** Share of pages with a fault. */
  drift?: number;
  seed?: number;
  /** Share of requests that fail in transit ({@link TRANSPORT_FAULTS}). */
  transport?: number;
  /** Called with the number of earlier requests. The answer waits until it resolves. */
  gate?: (count: number) => Promise<void> | undefined;
};

/** What happens to a request that fails in transit: an error, a reset, or an answer that is cut in one of four ways. */
const TRANSPORT_FAULTS: readonly ((socket: Socket, whole: Buffer) => void)[] = [
  (socket) => socket.write(answer(429, '', { 'retry-after': '0' })),
  (socket) => socket.write(answer(500)),
  (socket) => socket.write(answer(503, '{"error":')),
  (socket) => socket.resetAndDestroy(),
  (socket, whole) => socket.end(whole.subarray(0, whole.length - 5)),
  (socket, whole) => socket.write(answer(200, bodyOf(whole).subarray(0, -3))),
  (socket) => socket.write(answer(200, '')),
  (socket, whole) => {
    const zipped = gzipSync(bodyOf(whole));
    socket.write(answer(200, zipped.subarray(0, zipped.length - 9), { 'content-encoding': 'gzip' }));
  },
];

function bodyOf(whole: Buffer): Buffer {
  return whole.subarray(whole.indexOf('\r\n\r\n') + 4);
}

const stripe = (data: unknown[], has_more: boolean): unknown => ({ object: 'list', data, has_more });

/** Starts the server. */
export async function serveList(options: CursorServerOptions): Promise<Misbehaving> {
  const { rows, drift = 0, seed = 1, body = stripe } = options;
  const idOf = options.idOf ?? (({ id }) => String(id));
  const ids = rows.map(idOf);
  const rowOf = new Map(rows.map((row) => [idOf(row), row]));
  const reply = (head: string, count: number): Buffer => {
    const { searchParams } = new URL(/ (\S+) /.exec(head)?.[1] ?? '/', 'http://list');
    const [after, before] = [searchParams.get('starting_after'), searchParams.get('ending_before')];
    const refused =
      (after !== null && options.after === 'refuses') ||
      (before !== null && options.before === 'refuses') ||
      (after !== null && before !== null && options.both === 'refuses');
    if (refused) return answer(400, '{"error":{"message":"Received unknown parameter"}}');
    const asked = Number(searchParams.get('limit') ?? 10);
    const query: PageQuery = {
      limit: options.limit?.(asked) ?? asked,
      ...(after === null || options.after === 'ignores' ? {} : { after }),
      ...(before === null || options.before === 'ignores' ? {} : { before }),
    };
    if ([query.after, query.before].some((id) => id !== undefined && !rowOf.has(id)))
      return answer(404, '{"error":{"code":"resource_missing"}}');
    const random = randomFrom(`${seed}/${count}`);
    const page =
      random() < drift
        ? faultyPage(FAULT_NAMES[Math.floor(random() * FAULT_NAMES.length)]!, ids, query, random, (id) =>
            randomFrom(`${seed}/${count}/${id}`)(),
          )
        : correctPage(ids, query);
    const text = JSON.stringify(
      body(
        page.ids.map((id) => rowOf.get(id)),
        page.has_more,
      ),
    );
    return answer(200, text);
  };
  return misbehave((socket, { head }, count) => {
    const gate = options.gate?.(count) ?? Promise.resolve();
    void gate.then(() => {
      const random = randomFrom(`${seed}/transport/${count}`);
      if (random() >= (options.transport ?? 0)) return socket.write(reply(head, count));
      return TRANSPORT_FAULTS[Math.floor(random() * TRANSPORT_FAULTS.length)]!(socket, reply(head, count));
    });
  });
}
