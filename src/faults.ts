// The one thrown type: a closed set of kinds, each with one exit code (exit.ts).

export type FaultKind =
  | 'internal'
  | 'usage'
  | 'partial'
  | 'auth'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'unstable'
  | 'busy'
  | 'network'
  | 'protocol'
  | 'integrity'
  | 'unsafe'
  | 'disk'
  | 'store'
  | 'unconfirmed'
  | 'interrupted';

export type FaultDetail = {
  /** At most one line that can be pasted or followed. */
  hint?: string;
  /** What was kept, one line. */
  kept?: string;
  /** The service's own words, where it sent them (interface 7). */
  code?: string;
  request_id?: string;
  integrity?: number;
  /** HTTP status, where there was one. */
  status?: number;
  /** Whether the same command may succeed later without change. */
  retryable?: boolean;
  /** For `interrupted`: the signal's name, e.g. SIGINT. */
  signal?: string;
  cause?: unknown;
};

/** Messages are lower case, without a final full stop, and never hold a token or a part of one. */
export class Fault extends Error {
  readonly kind: FaultKind;
  readonly detail: FaultDetail;

  constructor(kind: FaultKind, message: string, detail: FaultDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = 'Fault';
    this.kind = kind;
    this.detail = detail;
  }
}
