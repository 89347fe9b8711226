// The thread of small files: fetched over kept connections, hashed and written, many settled together.
import { parentPort, workerData } from 'node:worker_threads';
import { openPipelinedConnection, type PipelinedConnection } from './pipelined-http/connection.ts';
import { createSmallFileWriter } from './small-file-writer.ts';
import {
  MAX_SMALL_FILE_BYTES,
  type FetcherResult,
  type FetcherMessage,
  type FileRequest,
  type FetcherOptions,
} from './small-file-fetcher.ts';

/** So many files are settled together, or as many as there are when the first has waited so long, in milliseconds. */
const BATCH = 64;
/** So many are named together: half of what a pull has under way, so that it goes on meanwhile. */
const NAMED = 128;
const PATIENCE_MS = 200;
const OK = 200;
const FIELDS = 'accept: */*\r\naccept-encoding: identity\r\n';

const { dir, timeoutMs, connections: atOnce } = workerData as FetcherOptions;
const monotonic = (): number => performance.now();
const files = createSmallFileWriter<number>(dir);
/** Rows that nobody was asked for yet, the first at the end. */
type Host = { queue: FileRequest[]; connections: Set<PipelinedConnection<FileRequest>> };
const hosts = new Map<string, Host>();
/** Connections to a host. */
let limit = atOnce;
let active = 0;
let waitingSince = 0;
let unplain: FetcherResult[] = [];

parentPort?.on('message', ({ rows = [], names = [], limit: now }: FetcherMessage) => {
  const fresh = new Map<string, FileRequest[]>();
  for (const row of rows) {
    const known = fresh.get(row.origin);
    if (known === undefined) fresh.set(row.origin, [row]);
    else known.push(row);
  }
  for (const [origin, added] of fresh) {
    const host = hosts.get(origin) ?? { queue: [], connections: new Set() };
    hosts.set(origin, host);
    host.queue = added.toReversed().concat(host.queue);
  }
  limit = now ?? limit;
  for (const origin of hosts.keys()) askOn(origin);
  if (files.pending() === 0) waitingSince = monotonic();
  for (let at = 0; at < names.length; at += NAMED) {
    for (const [key, naming] of names.slice(at, at + NAMED)) files.setName(key, naming);
    tell();
  }
  tell();
});

/** What became of files, many at a time while more are under way. */
function tell(): void {
  const isDue = files.pending() >= BATCH || active === 0 || monotonic() - waitingSince > PATIENCE_MS;
  const settled = isDue && files.pending() > 0 ? files.commit() : [];
  if (settled.length + unplain.length === 0) return;
  parentPort?.postMessage(unplain.concat(settled));
  unplain = [];
}

/** A connection more than there may be is given nothing, and closed by its server some time. */
function askOn(origin: string): void {
  const host = hosts.get(origin)!;
  let allowed = limit;
  // A short list is shared by all.
  const share = Math.ceil(host.queue.length / Math.max(1, limit));
  const give = (connection: PipelinedConnection<FileRequest>): void => {
    const count = Math.min(share, connection.room() ?? 0, host.queue.length);
    if (count === 0) return;
    active += count;
    connection.send(host.queue.splice(-count).toReversed());
  };
  for (const connection of host.connections) {
    if (allowed-- <= 0 || host.queue.length === 0) return;
    give(connection);
  }
  for (; allowed > 0 && host.queue.length > 0; allowed--) {
    const connection = connectTo(origin, host);
    host.connections.add(connection);
    give(connection);
  }
}

function connectTo(origin: string, host: Host): PipelinedConnection<FileRequest> {
  const connection = openPipelinedConnection<FileRequest>({
    url: new URL(origin),
    connectTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
    monotonic,
    maxWholeBytes: MAX_SMALL_FILE_BYTES,
    requestOf: ({ path }) => ({ target: path, fields: FIELDS }),
    onHead: (_row, { status, headers }) =>
      status === OK && (headers['content-encoding'] ?? 'identity') === 'identity' ? 'whole' : 'unwanted',
    onBody: ({ key, file }, body) => {
      active -= 1;
      if (files.pending() === 0) waitingSince = monotonic();
      files.add(key, file, body);
    },
    onFailure: (row, why) => {
      active -= 1;
      if (why === 'left') host.queue.push(row);
      else unplain.push([row.key, 'unplain']);
    },
    onProgress: () => {
      if (connection.room() === undefined) host.connections.delete(connection);
      askOn(origin);
      tell();
    },
  });
  return connection;
}
