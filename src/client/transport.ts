// What carries one request to a service and its answer back, over a socket or inside the process.
import { Fault, type FaultDetail, type FaultKind } from '../faults.ts';

export type TransportRequest = {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body?: Uint8Array;
  signal: AbortSignal;
};

/**
 * Header names are in lower case, values sent twice are joined with `, `. The body is read once, to its end or until
 * it is returned; it is still encoded as `content-encoding` says.
 */
export type TransportReply = {
  status: number;
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
  /** The head as it came over a socket, in bytes as characters; `address` where all connections to the host have one. */
  wire?: { reason: string; headers: [name: string, value: string][]; address: string | undefined };
};

/**
 * One request, sent once: no redirects, no cookies, no retries. Throws a Fault: `network` (as TransportFault) or
 * `protocol`, or the signal's reason.
 */
export type Transport = (request: TransportRequest) => Promise<TransportReply>;

/** A failure on the way. `sent` is false only where the service surely saw nothing of the request. */
export class TransportFault extends Fault {
  readonly sent: boolean;

  constructor(kind: FaultKind, message: string, sent: boolean, detail: FaultDetail = {}) {
    super(kind, message, detail);
    this.sent = sent;
  }
}

/** Host and port as shown in messages, the port always named. */
export function hostAndPort(url: URL): string {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return `${url.hostname}:${port}`;
}
