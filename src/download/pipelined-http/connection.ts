// One kept HTTP/1.1 connection that sends GET requests ahead of their responses (pipelining) and reads plain responses.
import { connect, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { parseResponseHead, type ResponseHead } from './response-head.ts';

const MAX_HEAD_BYTES = 16 * 1024;
/** Requests sent ahead of their responses, once a first one was answered. */
const MAX_PIPELINED_REQUESTS = 16;

/**
 * Takes a body piece by piece. The socket reads straight into its buffers. Works over http only, and on a connection
 * that is given one request at a time.
 */
export type BodySink = {
  /** Returns the memory for the next bytes. */
  buffer(): Uint8Array;
  /** `count` bytes were put there. Returns false if no more may come before {@link PipelinedConnection.resume}. */
  filled(count: number): boolean;
  /** Returns whether the reader waits for more; the idle timeout counts only then. */
  isReaderWaiting(): boolean;
  /** The body is complete. */
  end(): void;
};

/**
 * Why a request got no response. `unsupported`: the response is not one that is read here, or was not wanted.
 * `unanswered`: the connection ended before its turn, after it had answered others; it can be sent again.
 */
export type RequestFailure = 'unsupported' | 'unanswered' | Error;

/** Where a connection leads, its limits, and the functions it calls for each response. `Request` is the caller's. */
export type PipelinedConnectionOptions<Request> = {
  url: URL;
  connectTimeoutMs: number;
  /** The connection is given up if nothing comes for this long while a response is due, or if a head takes longer. */
  idleTimeoutMs: number;
  monotonic(): number;
  /** Largest body that can be given as a whole. */
  maxWholeBytes: number;
  /** Returns path and query, and the header lines beside `host`, each with its line end. */
  requestOf(request: Request): { target: string; fields: string };
  /** A response begins. Returns where its body goes; `unwanted` ends the connection. */
  onHead(request: Request, head: ResponseHead): BodySink | 'whole' | 'unwanted';
  /** A whole body. Its memory is used again after the call. */
  onBody(request: Request, body: Uint8Array): void;
  onFailure(request: Request, failure: RequestFailure): void;
  /** All received bytes are used, so there may be free slots; or the connection is closed. */
  onProgress(): void;
};

/** A kept connection. Responses come in the order of the requests. */
export type PipelinedConnection<Request> = {
  /** Returns how many more requests it takes now; undefined when it is closed. */
  freeSlots(): number | undefined;
  send(requests: readonly Request[]): void;
  /** Reads on after {@link BodySink.filled} returned false. */
  resume(): void;
  close(): void;
};

/** Opens a connection to the origin of `url`. Every failure is reported by `onFailure`, to each request on its own. */
export function openPipelinedConnection<Request>(
  options: PipelinedConnectionOptions<Request>,
): PipelinedConnection<Request> {
  const { url, idleTimeoutMs, monotonic, maxWholeBytes, onProgress } = options;
  const buffer = Buffer.allocUnsafeSlow(MAX_HEAD_BYTES + maxWholeBytes);
  /** The bytes of `buffer` from `start` to `end` are received and not yet used. */
  let start = 0;
  let end = 0;
  /** The body that goes to a sink, and how many bytes of it are missing. */
  let sinkBody: { sink: BodySink; missing: number; isLast: boolean } | undefined;
  /** Requests without a complete response, in the order they were sent. */
  let sent: Request[] = [];
  let maxPipelined = 1;
  let waitingSince = 0;
  let isOpen = true;

  const fail = (failure: RequestFailure): void => {
    if (!isOpen) return;
    isOpen = false;
    socket.destroy();
    const unanswered = sent;
    sent = [];
    const isBetweenResponses =
      maxPipelined > 1 && end === start && sinkBody === undefined && failure !== 'unsupported';
    for (const [at, request] of unanswered.entries()) {
      options.onFailure(request, at > 0 || isBetweenResponses ? 'unanswered' : failure);
    }
    onProgress();
  };
  /** Returns the oldest request; its response is used. */
  const takeAnswered = (): Request => {
    waitingSince = monotonic();
    maxPipelined = MAX_PIPELINED_REQUESTS;
    return sent.shift()!;
  };
  /** `count` bytes came for a sink. Returns false if no more may come now. */
  const onSinkBytes = (count: number, body: NonNullable<typeof sinkBody>): boolean => {
    const own = Math.min(count, body.missing);
    body.missing -= own;
    const isReady = body.sink.filled(own);
    if (body.missing > 0) return isReady;
    sinkBody = undefined;
    start = end = 0;
    takeAnswered();
    body.sink.end();
    // Bytes after the body belong to no request.
    if (body.isLast || count > own) fail('unsupported');
    else onProgress();
    return true;
  };
  /** Uses one response. Returns false if none is complete, if its body goes to a sink, or if the connection has ended. */
  const useResponse = (): boolean => {
    const received = buffer.subarray(start, end);
    const headLength = received.indexOf('\r\n\r\n');
    if (headLength < 0 && received.length < MAX_HEAD_BYTES && mayBeHead(received)) return false;
    const request = sent[0];
    const head =
      headLength < 0 || headLength > MAX_HEAD_BYTES
        ? undefined
        : parseResponseHead(buffer.toString('latin1', start, start + headLength));
    const destination =
      request === undefined || head === undefined ? 'unwanted' : options.onHead(request, head);
    if (
      head === undefined ||
      destination === 'unwanted' ||
      (destination === 'whole' && head.length > maxWholeBytes)
    ) {
      fail('unsupported');
      return false;
    }
    const bodyStart = start + headLength + 4;
    const bodyEnd = bodyStart + head.length;
    if (destination === 'whole') {
      if (end < bodyEnd) return false;
      start = bodyEnd;
      options.onBody(takeAnswered(), buffer.subarray(bodyStart, bodyEnd));
      if (!head.keepAlive) fail('unanswered');
      return isOpen;
    }
    sinkBody = { sink: destination, missing: head.length, isLast: !head.keepAlive };
    destination.buffer().set(buffer.subarray(bodyStart, Math.min(end, bodyEnd)));
    onSinkBytes(end - bodyStart, sinkBody);
    return false;
  };
  const onBytes = (count: number): boolean => {
    if (sinkBody !== undefined) return onSinkBytes(count, sinkBody);
    end += count;
    for (let isMore = true; isMore;) isMore = end > start && useResponse();
    if (!isOpen || sinkBody !== undefined) return true;
    if (sent.length > 0 && monotonic() - waitingSince > idleTimeoutMs) {
      fail(timeoutError('UND_ERR_BODY_TIMEOUT'));
    }
    // The rest is the beginning of a response, and all of that must fit.
    if (start > 0) buffer.copyWithin(0, start, end);
    end -= start;
    start = 0;
    onProgress();
    return true;
  };

  let isConnected = false;
  const socket = openSocket(url, {
    // After the end TLS may still deliver bytes, and would try for ever to put them into an empty buffer.
    buffer: () => sinkBody?.sink.buffer() ?? (isOpen ? buffer.subarray(end) : buffer),
    callback: onBytes,
  });
  socket.setNoDelay(true);
  socket.setTimeout(options.connectTimeoutMs);
  socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
    isConnected = true;
    socket.setTimeout(idleTimeoutMs);
  });
  socket.on('error', fail);
  for (const event of ['end', 'close']) socket.on(event, () => fail(new Error(event)));
  socket.on('timeout', () => {
    if (!isConnected) fail(timeoutError('UND_ERR_CONNECT_TIMEOUT'));
    else if (sinkBody === undefined || sinkBody.sink.isReaderWaiting())
      fail(timeoutError('UND_ERR_BODY_TIMEOUT'));
    // The timeout fires only once.
    else socket.setTimeout(idleTimeoutMs);
  });
  return {
    freeSlots: () => {
      if (!isOpen) return undefined;
      // Many requests go into one write: each write costs as much as reading a response.
      return sent.length > maxPipelined / 2 ? 0 : maxPipelined - sent.length;
    },
    send: (requests) => {
      if (sent.length === 0) waitingSince = monotonic();
      let text = '';
      for (const request of requests) {
        sent.push(request);
        const { target, fields } = options.requestOf(request);
        text += `GET ${target} HTTP/1.1\r\nhost: ${url.host}\r\n${fields}\r\n`;
      }
      socket.write(text, 'latin1');
    },
    resume: () => {
      // While reading was paused, the idle timeout did not count.
      socket.setTimeout(idleTimeoutMs);
      socket.resume();
    },
    close: () => fail(new Error('closed here')),
  };
}

function openSocket(url: URL, onread: NonNullable<TcpNetConnectOpts['onread']>): Socket {
  const host = url.hostname.replaceAll(/[[\]]/g, '');
  const isSecure = url.protocol === 'https:';
  const place = { host, port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port), onread };
  if (!isSecure) return connect(place);
  // An IP address is no server name (RFC 6066 section 3). The certificate is checked for it all the same.
  const tls = { ...place, ALPNProtocols: ['http/1.1'], ...(isIP(host) === 0 ? { servername: host } : {}) };
  return connectTls(tls satisfies ConnectionOptions);
}

/** Returns whether a response head can begin like this; anything else need not be waited for. */
function mayBeHead(bytes: Buffer): boolean {
  if (!VERSION.startsWith(bytes.toString('latin1', 0, VERSION.length))) return false;
  const lineFeed = bytes.indexOf('\n');
  return lineFeed < 0 || bytes[lineFeed - 1] === CARRIAGE_RETURN;
}

const VERSION = 'HTTP/1.1 ';
const CARRIAGE_RETURN = 13;
/** The code is that of undici, so that both transports give the same message. */
const timeoutError = (code: string): Error => Object.assign(new Error('timeout'), { code });
