// The transport: sends one request and returns its response, over a socket or inside the process.
import { Fault, type FaultDetail, type FaultKind } from '../faults.ts';

/** A request. */
export type TransportRequest = {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body?: Uint8Array;
  signal: AbortSignal;
};

/**
 * A response whose body is a stream. Header names are in lower case, repeated headers are joined with `, `. The body can be
 * read once; it still has its content encoding.
 */
export type TransportReply = {
  status: number;
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
  /** The head as received over a socket, one character for a byte. `address` is the server's, where it has only one. */
  wire?: { reason: string; headers: [name: string, value: string][]; address: string | undefined };
};

/**
 * Sends a request once: no redirects, no cookies, no retries. Throws Fault 'network' (as {@link TransportFault}) or
 * 'protocol', or the signal's reason.
 */
export type Transport = (request: TransportRequest) => Promise<TransportReply>;

/** A network failure. `sent` is false only where the service certainly received nothing of the request. */
export class TransportFault extends Fault {
  readonly sent: boolean;

  constructor(kind: FaultKind, message: string, sent: boolean, detail: FaultDetail = {}) {
    super(kind, message, detail);
    this.sent = sent;
  }
}

/** Returns host and port for a message, with the port always named. */
export function hostAndPort(url: URL): string {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return `${url.hostname}:${port}`;
}
