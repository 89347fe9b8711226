// What a handler is given and what it gives back: a request already matched and permitted, a reply not yet in bytes.
import type { RouteName } from '../../contract/routes.ts';
import type { ServiceRequest } from '../../contract/exchange.ts';
import type { Tier } from '../../contract/token.ts';
import type { Archive } from '../store/archive.ts';
import type { Drift, DriftOptions, ReadEntry } from '../fault-injection/drift.ts';
import type { Limiter } from '../rules/limiter.ts';
import type { LineEntry, LineOptions } from '../fault-injection/transport-fault-sampling.ts';
import type { Hides, WriteOptions } from '../fault-injection/write-overlay.ts';
import type { Keep } from '../store/events/group-commit.ts';
import type { Bearer } from '../store/tokens.ts';
import type { Summary } from '../store/meta-table/summary.ts';
import type { Worker } from '../store/event-worker.ts';
import type { JsonResponse } from './response-cache.ts';
import type { Query } from './query.ts';
import type { WriteEntry } from '../fault-injection/simulated-writes.ts';

export type ServiceOptions = {
  /** Origin of the attachment files, without a final slash. */
  assetUrl: string;
  version: string;
  /** Lists lie as it says; without it they are true. */
  drift?: DriftOptions;
  /** Requests for lists fail and answers take their time as it says. */
  line?: LineOptions;
  /** Conversations come and go while the list is read; the archive is not changed. */
  writes?: WriteOptions;
  /**
   * Told of each list read, failed request and write, before the answer. With it, a list asked for with `truth=true`
   * is given as it is now, and counts as no read.
   */
  driftLog?(entry: DriftEntry): Promise<void>;
  /** When it began, in milliseconds since the epoch; now where absent. */
  startedMs?: number;
  /** The highest tier this service grants; `mirror` where absent. */
  maxTier?: Tier;
  /** Told of what was thrown that nobody planned, under the id its answer carries. Must not throw. */
  onFailure?(requestId: string, error: unknown): void;
  /** Events must be signed with one of these, and need no token then. */
  webhookSecrets?: readonly Uint8Array[];
  /** Applies what was kept, beside the requests. Without it each request applies its events before it is answered. */
  worker?: Pick<Worker, 'wake'>;
};

export type DriftEntry = ReadEntry | LineEntry | WriteEntry;

export type Call = {
  archive: Archive;
  options: ServiceOptions;
  request: ServiceRequest;
  query: Query;
  /** Path parameters, decoded. */
  parameters: Record<string, string>;
  /** Tier and scopes of the token; on routes without a scope the lowest tier and none. */
  bearer: Bearer;
  /** State of the whole archive. */
  summary: Summary;
  /** Counts the tokens a peer is given. */
  issues: Limiter;
  /** Keeps events durably, together with those of other requests. */
  keep: Keep;
  /** To be called when events were kept; what it waits for shows in lists when it resolves. */
  keptEvents(): Promise<void>;
  /** What distorts the list that is read, and its name; undefined where the answer is to be true. */
  lies: { drift: Drift; list: string } | undefined;
  /** What is not there at the moment of this answer. */
  hides: Hides | undefined;
  /** What the service reports of its drift now, 0 without any. */
  driftRatio(): number;
};

/** `body` is sent as JSON, `json` is JSON already. */
export type Reply = { status: number; body: unknown } | JsonResponse;
export type Handler = (call: Call) => Promise<Reply>;
export type Handlers = Record<RouteName, Handler>;

export function ok(body: unknown): Reply {
  return { status: 200, body };
}
