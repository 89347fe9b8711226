// Small files over one kept connection: requests, their plain answers, and what is not plain is left to others.
import { connect, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { parseHead } from './response-head.ts';

/** The largest body that is read here. */
export const SMALL_BYTES = 256 * 1024;
const HEAD_BYTES = 16 * 1024;
/** Requests sent ahead of their answers, once a first one was answered: most servers then answer many at once. */
const AHEAD = 4;

export type PlainConnection<Row> = {
  /** How many more requests it takes; undefined when it is closed. */
  room(): number | undefined;
  ask(rows: readonly Row[]): void;
};

export type PlainOptions<Row> = {
  url: URL;
  pathOf(row: Row): string;
  /** A connection that says nothing for so long is given up, and so is an answer that takes longer. */
  timeoutMs: number;
  monotonic(): number;
  /** The body of a 200 with a length and no encoding, to be used at once; undefined for any other end of a request. */
  answered(row: Row, body: Uint8Array | undefined): void;
  /** All that was there is answered, and there is room again, or the connection is closed. */
  again(): void;
};

export function openPlainConnection<Row>(options: PlainOptions<Row>): PlainConnection<Row> {
  const { url, pathOf, timeoutMs, monotonic, answered, again } = options;
  const buffer = Buffer.allocUnsafeSlow(HEAD_BYTES + SMALL_BYTES);
  /** The bytes from `start` to `filled` are not yet used. */
  let start = 0;
  let filled = 0;
  let asked: Row[] = [];
  let ahead = 1;
  let since = 0;
  let isOpen = true;

  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    socket.destroy();
    const left = asked;
    asked = [];
    for (const row of left) answered(row, undefined);
    again();
  };
  /** Uses one whole answer; false where there is none yet, or it ended the connection. */
  const useOne = (): boolean => {
    const at = buffer.subarray(start, filled).indexOf('\r\n\r\n');
    if (at < 0 && filled - start < HEAD_BYTES) return false;
    const head =
      at < 0 || at > HEAD_BYTES ? undefined : parseHead(buffer.toString('latin1', start, start + at));
    const encoding = head?.headers['content-encoding'] ?? 'identity';
    if (head?.status !== 200 || encoding !== 'identity' || head.length > SMALL_BYTES || asked.length === 0) {
      end();
      return false;
    }
    const from = start + at + 4;
    const to = from + head.length;
    if (filled < to) return false;
    start = to;
    since = monotonic();
    ahead = AHEAD;
    answered(asked.shift()!, buffer.subarray(from, to));
    if (!head.keepAlive) end();
    return isOpen;
  };
  const onBytes = (): void => {
    if (asked.length === 0) return end();
    for (let goesOn = true; goesOn;) goesOn = filled > start && useOne();
    if (!isOpen) return;
    if (asked.length > 0 && monotonic() - since > timeoutMs) return end();
    // Whatever is left is the beginning of an answer, and there must be room for all of it.
    if (start > 0) buffer.copyWithin(0, start, filled);
    filled -= start;
    start = 0;
    again();
  };
  const isSecure = url.protocol === 'https:';
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
  const host = url.hostname.replaceAll(/[[\]]/g, '');
  const socket = isSecure
    ? connectTls({ host, port, servername: host, ALPNProtocols: ['http/1.1'] })
    : connect({
        host,
        port,
        noDelay: true,
        onread: {
          buffer: () => buffer.subarray(filled),
          callback: (count) => {
            filled += count;
            onBytes();
            return true;
          },
        },
      } as TcpNetConnectOpts);
  if (isSecure) {
    socket.on('data', (chunk: Buffer) => {
      for (let at = 0; at < chunk.length;) {
        const count = chunk.copy(buffer, filled, at);
        at += count;
        filled += count;
        onBytes();
        if (!isOpen) return;
      }
    });
  }
  for (const event of ['error', 'end', 'close', 'timeout']) socket.on(event, end);
  socket.setTimeout(timeoutMs);
  return {
    room: () => (isOpen ? ahead - asked.length : undefined),
    ask: (rows) => {
      if (asked.length === 0) since = monotonic();
      asked.push(...rows);
      let text = '';
      for (const row of rows) {
        text += `GET ${pathOf(row)} HTTP/1.1\r\nhost: ${url.host}\r\naccept: */*\r\naccept-encoding: identity\r\n\r\n`;
      }
      socket.write(text, 'latin1');
    },
  };
}
