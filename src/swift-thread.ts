// The thread of small files: fetched over kept connections, hashed and written, many settled together.
import { parentPort, workerData } from 'node:worker_threads';
import { openPlainConnection, type PlainConnection } from './client/plain-answers.ts';
import { createSmallFiles } from './verify/small-files.ts';
import type { SwiftAnswer, SwiftOrder, SwiftRow, SwiftStart } from './verify/swift-lane.ts';

/** So many files are settled together, or as many as there are when the first has waited so long, in milliseconds. */
const BATCH = 64;
const PATIENCE_MS = 200;

const { dir, timeoutMs, atOnce } = workerData as SwiftStart;
const monotonic = (): number => performance.now();
const files = createSmallFiles<number>(dir);
const hosts = new Map<string, { queue: SwiftRow[]; connections: Set<PlainConnection<SwiftRow>> }>();
/** Connections to a host. */
let limit = atOnce;
let active = 0;
let waitingSince = 0;

parentPort?.on('message', ({ rows = [], limit: now }: SwiftOrder) => {
  for (const row of rows) {
    const host = hosts.get(row.origin) ?? { queue: [], connections: new Set() };
    hosts.set(row.origin, host);
    host.queue.push(row);
  }
  limit = now ?? limit;
  for (const origin of hosts.keys()) askOn(origin);
});

/** A connection more than there may be is given nothing, and closed by its server some time. */
function askOn(origin: string): void {
  const { queue, connections } = hosts.get(origin)!;
  let allowed = limit;
  for (const connection of connections) {
    if (allowed-- <= 0 || queue.length === 0) return;
    ask(connection, queue.splice(0, connection.room()));
  }
  for (; allowed > 0 && queue.length > 0; allowed--) {
    const connection = connectTo(origin);
    connections.add(connection);
    ask(connection, queue.splice(0, connection.room()));
  }
}

function ask(connection: PlainConnection<SwiftRow>, rows: SwiftRow[]): void {
  active += rows.length;
  if (rows.length > 0) connection.ask(rows);
}

function connectTo(origin: string): PlainConnection<SwiftRow> {
  const connection = openPlainConnection<SwiftRow>({
    url: new URL(origin),
    pathOf: ({ path }) => path,
    timeoutMs,
    monotonic,
    answered: ({ key, file }, body) => {
      active -= 1;
      if (body === undefined) tell([[key, 'unplain']]);
      else {
        if (files.count() === 0) waitingSince = monotonic();
        files.add(key, file, body);
      }
    },
    again: () => {
      const host = hosts.get(origin)!;
      if (connection.room() === undefined) host.connections.delete(connection);
      askOn(origin);
      const isDue = files.count() >= BATCH || active === 0 || monotonic() - waitingSince > PATIENCE_MS;
      if (isDue && files.count() > 0) tell(files.settle());
    },
  });
  return connection;
}

function tell(answers: SwiftAnswer[]): void {
  parentPort?.postMessage(answers);
}
