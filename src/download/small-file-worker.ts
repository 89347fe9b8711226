// Worker thread for small files: fetches them over pipelined connections, hashes and writes them, many synced together.
import { parentPort, workerData } from 'node:worker_threads';
import { openPipelinedConnection, type PipelinedConnection } from './pipelined-http/connection.ts';
import {
  MAX_SMALL_FILE_BYTES,
  type FetcherMessage,
  type FetcherOptions,
  type FetcherResult,
  type FileRequest,
} from './small-file-fetcher.ts';
import { createSmallFileWriter } from './small-file-writer.ts';

/** Files are committed when there are this many, or when the first of them has waited this long. */
const FILES_PER_COMMIT = 64;
const MAX_COMMIT_DELAY_MS = 200;
/** Half of the files that a pull has in progress, so that it goes on while these get their names. */
const MAX_NAMES_PER_COMMIT = 128;
const STATUS_OK = 200;
const HEADER_FIELDS = 'accept: */*\r\naccept-encoding: identity\r\n';

const options = workerData as FetcherOptions;
const monotonic = (): number => performance.now();
const writer = createSmallFileWriter<number>(options.dir);
/** `queue`: requests that were not sent yet, the next one last. */
type Host = { queue: FileRequest[]; connections: Set<PipelinedConnection<FileRequest>> };
const hosts = new Map<string, Host>();
/** To one host. */
let maxConnections = options.connections;
let requestsInFlight = 0;
let commitDueSince = 0;
let unsupported: FetcherResult[] = [];

parentPort?.on('message', ({ requests = [], names = [], connections, stop }: FetcherMessage) => {
  if (stop === true) process.exit();
  enqueue(requests);
  maxConnections = connections ?? maxConnections;
  for (const origin of hosts.keys()) sendRequests(origin);
  if (writer.pending() === 0) commitDueSince = monotonic();
  for (let at = 0; at < names.length; at += MAX_NAMES_PER_COMMIT) {
    for (const [key, name] of names.slice(at, at + MAX_NAMES_PER_COMMIT)) writer.setName(key, name);
    report();
  }
  report();
});

function enqueue(requests: readonly FileRequest[]): void {
  const byOrigin = new Map<string, FileRequest[]>();
  for (const request of requests) {
    const known = byOrigin.get(request.origin);
    if (known === undefined) byOrigin.set(request.origin, [request]);
    else known.push(request);
  }
  for (const [origin, added] of byOrigin) {
    const host = hosts.get(origin) ?? { queue: [], connections: new Set() };
    hosts.set(origin, host);
    host.queue = added.toReversed().concat(host.queue);
  }
}

/** Commits files when that is due, and sends the results. */
function report(): void {
  const isDue =
    writer.pending() >= FILES_PER_COMMIT ||
    requestsInFlight === 0 ||
    monotonic() - commitDueSince > MAX_COMMIT_DELAY_MS;
  const committed = isDue && writer.pending() > 0 ? writer.commit() : [];
  if (committed.length + unsupported.length === 0) return;
  parentPort?.postMessage(unsupported.concat(committed));
  unsupported = [];
}

/** Connections beyond the limit get no requests; their server closes them some time. */
function sendRequests(origin: string): void {
  const host = hosts.get(origin)!;
  let allowed = maxConnections;
  // All connections share a short queue.
  const share = Math.ceil(host.queue.length / Math.max(1, maxConnections));
  const sendOn = (connection: PipelinedConnection<FileRequest>): void => {
    const count = Math.min(share, connection.freeSlots() ?? 0, host.queue.length);
    if (count === 0) return;
    requestsInFlight += count;
    connection.send(host.queue.splice(-count).toReversed());
  };
  for (const connection of host.connections) {
    if (allowed-- <= 0 || host.queue.length === 0) return;
    sendOn(connection);
  }
  for (; allowed > 0 && host.queue.length > 0; allowed--) {
    const connection = connectTo(origin, host);
    host.connections.add(connection);
    sendOn(connection);
  }
}

function connectTo(origin: string, host: Host): PipelinedConnection<FileRequest> {
  const connection = openPipelinedConnection<FileRequest>({
    url: new URL(origin),
    connectTimeoutMs: options.timeoutMs,
    idleTimeoutMs: options.timeoutMs,
    monotonic,
    maxWholeBytes: MAX_SMALL_FILE_BYTES,
    requestOf: ({ path }) => ({ target: path, fields: HEADER_FIELDS }),
    onHead: (_request, { status, headers }) =>
      status === STATUS_OK && (headers['content-encoding'] ?? 'identity') === 'identity'
        ? 'whole'
        : 'unwanted',
    onBody: ({ key, file }, body) => {
      requestsInFlight -= 1;
      if (writer.pending() === 0) commitDueSince = monotonic();
      writer.add(key, file, body);
    },
    onFailure: (request, failure) => {
      requestsInFlight -= 1;
      if (failure === 'unanswered') host.queue.push(request);
      else unsupported.push([request.key, 'unsupported']);
    },
    onProgress: () => {
      if (connection.freeSlots() === undefined) host.connections.delete(connection);
      sendRequests(origin);
      report();
    },
  });
  return connection;
}
