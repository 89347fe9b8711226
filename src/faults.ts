// The only error type that arx throws on purpose. Each kind has one exit code (exit.ts).

/** What went wrong, as scripts distinguish it; `arx help exit-codes` describes each kind. */
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

/** `kept` of a command that would change something and failed before it did. A command that only reads has no `kept`. */
export const NOTHING_CHANGED = 'nothing was changed';

/** What a hint or a notice can name of the run in which it is printed. */
export type HintNames = {
  /** `arx` with the options that name the archive of the run, as the beginning of a command that reads this archive. */
  readonly arx: string;
  /** Returns what gave a setting its value where nobody typed it: a variable, a profile or a file. */
  sourceOf(setting: 'base_url' | 'proxy' | 'data_dir'): string | undefined;
};

/** A text of one line, or a function that returns one from the names of the run. */
export type Hint = string | ((names: HintNames) => string);

/** Returns the text of a hint. Without `names`: the text in a run without options and settings. */
export function hintText(hint: Hint, names: HintNames = { arx: 'arx', sourceOf: () => undefined }): string {
  return typeof hint === 'string' ? hint : hint(names);
}

/** What else is known of a Fault. */
export type FaultDetail = {
  /** What to do, in one line, best a command to paste. */
  hint?: Hint;
  /** What the run has kept although it failed, in one line. */
  kept?: string;
  /** The error code of the service, where it sent one (interface 7). */
  code?: string;
  request_id?: string;
  integrity?: number;
  /** HTTP status, where there was one. */
  status?: number;
  /** Whether our own service sent the response, so that its error code means what our service means by it. */
  isFromOurService?: boolean;
  /** Whether a web page said that there is no such path, as servers of anything else do. */
  isMissingPage?: boolean;
  /** Whether a server says no more than that there is no such path: the base URL may be wrong. */
  isPathMissing?: boolean;
  /** Whether the server may expect TLS: the request went over plain http, and failed as it would there. */
  mayBeForTls?: boolean;
  /** Whether the same command may succeed later. */
  retryable?: boolean;
  /** Whether no later run says it again. It is shown also where a run has too many failures to show all. */
  isSaidOnce?: boolean;
  /** For `interrupted`: the signal's name, e.g. SIGINT. */
  signal?: string;
  cause?: unknown;
};

/** An expected failure. Its message is lower case, has no final full stop, and never contains a token or a part of one. */
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
