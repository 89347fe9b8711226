// One kept connection: GETs sent ahead, and their plain answers, read to where the asker wants them; all else ends it.
import { connect, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { parseResponseHead, type ResponseHead } from './response-head.ts';

const MAX_HEAD_BYTES = 16 * 1024;
/** Requests sent ahead of their answers, once a first one was answered. */
const MAX_PIPELINED_REQUESTS = 16;

/** Where a body goes that is not given whole: over plain http only, and such a connection is asked one at a time. */
export type BodySink = {
  /** Where the next bytes are to be put. */
  room(): Uint8Array;
  /** So many were put there. False: no more until {@link PipelinedConnection.resume}. */
  filled(count: number): boolean;
  /** Somebody waits for more; while nobody does, time does not count. */
  isReaderWaiting(): boolean;
  /** All of it has come. */
  end(): void;
};

/**
 * Why no answer came: `unplain` where it is no answer that is read here, or an unwanted one; `left` where the
 * connection ended before it was this one's turn, after it had answered others; else what broke.
 */
export type Failure = 'unplain' | 'left' | Error;

export type PipelinedConnectionOptions<Row> = {
  url: URL;
  connectTimeoutMs: number;
  /** A connection that says nothing for so long while it is asked is given up, and so is a head that takes longer. */
  idleTimeoutMs: number;
  monotonic(): number;
  /** Bytes of the largest body that can be given whole. */
  maxWholeBytes: number;
  /** Path and query, and header lines beside `host`, each with its end. */
  requestOf(row: Row): { target: string; fields: string };
  /** An answer begins: where its body goes. */
  onHead(row: Row, head: ResponseHead): BodySink | 'whole' | 'unwanted';
  /** A body, to be used at once. */
  onBody(row: Row, body: Uint8Array): void;
  onFailure(row: Row, why: Failure): void;
  /** All that was there is used, and there may be room; or the connection is closed. */
  onProgress(): void;
};

export type PipelinedConnection<Row> = {
  /** How many more requests it takes now; undefined when it is closed. */
  room(): number | undefined;
  send(rows: readonly Row[]): void;
  resume(): void;
  close(): void;
};

export function openPipelinedConnection<Row>(
  options: PipelinedConnectionOptions<Row>,
): PipelinedConnection<Row> {
  const { url, idleTimeoutMs, monotonic, maxWholeBytes, onProgress } = options;
  const buffer = Buffer.allocUnsafeSlow(MAX_HEAD_BYTES + maxWholeBytes);
  /** The bytes from `start` to `filled` are not yet used. */
  let start = 0;
  let filled = 0;
  /** The body that goes elsewhere. */
  let sunk: { sink: BodySink; rest: number; isLast: boolean } | undefined;
  let asked: Row[] = [];
  let ahead = 1;
  let since = 0;
  let isOpen = true;

  const end = (why: Failure): void => {
    if (!isOpen) return;
    isOpen = false;
    socket.destroy();
    const unanswered = asked;
    asked = [];
    const isBetween = ahead > 1 && filled === start && sunk === undefined && why !== 'unplain';
    for (const [at, row] of unanswered.entries()) options.onFailure(row, at > 0 || isBetween ? 'left' : why);
    onProgress();
  };
  /** The answer to the first that was asked is used. */
  const answered = (): Row => {
    since = monotonic();
    ahead = MAX_PIPELINED_REQUESTS;
    return asked.shift()!;
  };
  /** False: no more can come until there is room. */
  const onBody = (count: number, body: NonNullable<typeof sunk>): boolean => {
    const own = Math.min(count, body.rest);
    body.rest -= own;
    const goesOn = body.sink.filled(own);
    if (body.rest > 0) return goesOn;
    sunk = undefined;
    start = filled = 0;
    answered();
    body.sink.end();
    // What lies behind it nobody asked for.
    if (body.isLast || count > own) end('unplain');
    else onProgress();
    return true;
  };
  /** Uses one answer that is there; false where there is none yet, or its body goes elsewhere, or it ended the connection. */
  const useOne = (): boolean => {
    const there = buffer.subarray(start, filled);
    const at = there.indexOf('\r\n\r\n');
    if (at < 0 && there.length < MAX_HEAD_BYTES && mayBeHead(there)) return false;
    const row = asked[0];
    const head =
      at < 0 || at > MAX_HEAD_BYTES
        ? undefined
        : parseResponseHead(buffer.toString('latin1', start, start + at));
    const way = row === undefined || head === undefined ? 'unwanted' : options.onHead(row, head);
    if (head === undefined || way === 'unwanted' || (way === 'whole' && head.length > maxWholeBytes)) {
      end('unplain');
      return false;
    }
    const from = start + at + 4;
    const to = from + head.length;
    if (way === 'whole') {
      if (filled < to) return false;
      start = to;
      options.onBody(answered(), buffer.subarray(from, to));
      if (!head.keepAlive) end('left');
      return isOpen;
    }
    sunk = { sink: way, rest: head.length, isLast: !head.keepAlive };
    way.room().set(buffer.subarray(from, Math.min(filled, to)));
    onBody(filled - from, sunk);
    return false;
  };
  const onBytes = (count: number): boolean => {
    if (sunk !== undefined) return onBody(count, sunk);
    filled += count;
    for (let goesOn = true; goesOn;) goesOn = filled > start && useOne();
    if (!isOpen || sunk !== undefined) return true;
    if (asked.length > 0 && monotonic() - since > idleTimeoutMs) end(timeout('UND_ERR_BODY_TIMEOUT'));
    // Whatever is left is the beginning of an answer, and there must be room for all of it.
    if (start > 0) buffer.copyWithin(0, start, filled);
    filled -= start;
    start = 0;
    onProgress();
    return true;
  };

  let isConnected = false;
  const socket = openSocket(url, {
    // TLS may still have bytes for a closed one, and tries for ever to put them into no room.
    buffer: () => sunk?.sink.room() ?? (isOpen ? buffer.subarray(filled) : buffer),
    callback: onBytes,
  });
  socket.setNoDelay(true);
  socket.setTimeout(options.connectTimeoutMs);
  socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
    isConnected = true;
    socket.setTimeout(idleTimeoutMs);
  });
  socket.on('error', end);
  for (const event of ['end', 'close']) socket.on(event, () => end(new Error(event)));
  socket.on('timeout', () => {
    if (!isConnected) end(timeout('UND_ERR_CONNECT_TIMEOUT'));
    else if (sunk === undefined || sunk.sink.isReaderWaiting()) end(timeout('UND_ERR_BODY_TIMEOUT'));
    // It runs out once only.
    else socket.setTimeout(idleTimeoutMs);
  });
  return {
    room: () => {
      if (!isOpen) return undefined;
      // Many in one write: each costs as much as the answer to it.
      return asked.length > ahead / 2 ? 0 : ahead - asked.length;
    },
    send: (rows) => {
      if (asked.length === 0) since = monotonic();
      let text = '';
      for (const row of rows) {
        asked.push(row);
        const { target, fields } = options.requestOf(row);
        text += `GET ${target} HTTP/1.1\r\nhost: ${url.host}\r\n${fields}\r\n`;
      }
      socket.write(text, 'latin1');
    },
    resume: () => {
      // While there was no room, the time did not count.
      socket.setTimeout(idleTimeoutMs);
      socket.resume();
    },
    close: () => end(new Error('closed here')),
  };
}

function openSocket(url: URL, onread: NonNullable<TcpNetConnectOpts['onread']>): Socket {
  const host = url.hostname.replaceAll(/[[\]]/g, '');
  const isSecure = url.protocol === 'https:';
  const place = { host, port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port), onread };
  if (!isSecure) return connect(place);
  // An address is no server name (RFC 6066 section 3); the certificate is checked for it all the same.
  const tls = { ...place, ALPNProtocols: ['http/1.1'], ...(isIP(host) === 0 ? { servername: host } : {}) };
  return connectTls(tls satisfies ConnectionOptions);
}

/** Whether a head could go on from here: what is something else is not waited for. */
function mayBeHead(bytes: Buffer): boolean {
  const isOther = !VERSION.startsWith(bytes.toString('latin1', 0, VERSION.length));
  const lineFeed = bytes.indexOf('\n');
  return !isOther && (lineFeed < 0 || bytes[lineFeed - 1] === CARRIAGE_RETURN);
}

const VERSION = 'HTTP/1.1 ';
const CARRIAGE_RETURN = 13;
const timeout = (code: string): Error => Object.assign(new Error('timeout'), { code });
