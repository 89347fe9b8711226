// What a handler gets and returns: a request that is matched and authenticated, and a reply that is not yet bytes.
import type { ServiceRequest } from '../../contract/exchange.ts';
import type { Tier } from '../../contract/tier.ts';
import type { RateLimiter } from '../rules/rate-limiter.ts';
import type { Archive } from '../store/archive.ts';
import type { EventWorker } from '../store/event-worker.ts';
import type { StoreEvents } from '../store/events/group-commit.ts';
import type { Summaries, Summary } from '../store/meta-table/summary.ts';
import type { Bearer } from '../store/tokens.ts';
import type { FaultPlan, RequestFaults } from './fault-plan.ts';
import type { Query } from './query.ts';
import type { JsonResponse } from './response-cache.ts';

/** An event id that two events have, with the SHA-256 of type and payload of both. Payloads are never reported. */
export type EventConflictHashes = { event_id: string; stored_sha256: string; sent_sha256: string };

/** Options of a service. They are fixed when it starts. */
export type ServiceOptions = {
  /** Origin of the attachment files, without a trailing slash. */
  assetUrl: string;
  /** The path under which the routes are, without a slash at its end. Default: the root. */
  path?: string;
  version: string;
  /** Faults to inject. Absent in normal service. */
  faults?: FaultPlan;
  /**
   * Files that are hashed only while they are sent are redirected to the bucket in which they lie, to an address that opens them for
   * so many seconds, also where they are redacted meanwhile. Absent: every byte comes from this service.
   */
  redirectSeconds?: number;
  /** When the service started, in milliseconds since the epoch. Default: now. */
  startedMs?: number;
  /** The highest tier that this service grants to anyone. Default: `mirror`. */
  maxTier?: Tier;
  /** The secret of the user who runs this service, and the highest tier that a token gets with it. */
  owner?: { secret: string; maxTier: Tier };
  /** Is called with every unexpected error and the request id of its response. Must not throw. */
  onFailure?(requestId: string, error: unknown): void;
  /** Is called for an event that is refused because another one has its id. Must not throw. */
  onConflict?(conflict: EventConflictHashes): void;
  /** Is called for each response that may be cached: whether it was. Must not throw. */
  onCacheLookup?: (isCached: boolean) => void;
  /** Events must be signed with one of these secrets, and need no token then. */
  webhookSecrets?: readonly Uint8Array[];
  /** Bytes of cached responses. Default: 32 MiB. */
  cacheBytes?: number;
  /** Applies stored events in the background. Without it each request applies its events before its response. */
  worker?: Pick<EventWorker, 'wake'>;
};

/** One request to a handler. */
export type Call = {
  archive: Archive;
  options: ServiceOptions;
  request: ServiceRequest;
  query: Query;
  /** Path parameters, decoded. */
  parameters: Record<string, string>;
  /** Tier and scopes of the token; on routes without a scope the lowest tier and no scope. */
  bearer: Bearer;
  /** Counts and integrity of the whole archive as this reader may know them, and as each tier may. */
  summary: Summary;
  summaries: Summaries;
  /** Limits the tokens that one peer gets. */
  tokenLimiter: RateLimiter;
  /** Stores events durably, together with those of other requests. */
  storeEvents: StoreEvents;
  /** Must be called after events were queued. Without a worker it resolves when they are applied. */
  eventsQueued(): Promise<void>;
  /** Faults that this request meets; undefined in normal service. */
  faults: RequestFaults | undefined;
  /** Returns the drift ratio that this response reports, 0 in normal service. */
  driftRatio(): number;
};

/** `body` is sent as JSON, `json` is JSON text already. */
export type Reply = { status: number; body: unknown } | JsonResponse;
/** Answers the requests of one route. Throws ApiError where the request cannot be met. */
export type Handler = (call: Call) => Promise<Reply>;

/** Returns a reply with status 200. */
export function ok(body: unknown): Reply {
  return { status: 200, body };
}
