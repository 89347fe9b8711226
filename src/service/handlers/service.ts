// The service as one function from request to response: match the route, authenticate, call the handler, add headers.
import { coalescePerTick, firstPerTick } from '../../concurrency/single-flight.ts';
import type { Service, ServiceRequest, ServiceResponse } from '../../contract/exchange.ts';
import { HEADERS, ROUTES, TIER_HEADER, type RouteName } from '../../contract/routes.ts';
import { ApiError } from '../rules/api-error.ts';
import type { Tier } from '../../contract/tier.ts';
import { forReaders } from '../records/reader.ts';
import { lastDayOf } from '../rules/signed-path.ts';
import { higherTier } from '../rules/tiers.ts';
import type { Archive } from '../store/archive.ts';
import type { StoreEvents } from '../store/events/group-commit.ts';
import { readState, type ArchiveState, type Summary } from '../store/meta-table/summary.ts';
import { withNewerSchema } from '../store/schema/migrate.ts';
import type { DataVersion } from '../store/sql/database.ts';
import { createTokenLookup, type Bearer } from '../store/tokens.ts';
import { ANONYMOUS, authenticate, authenticateSigned, type Authenticator } from './authenticator.ts';
import type { Call, ServiceOptions } from './call.ts';
import { errorResponse, newRequestId, toApiError } from './error-response.ts';
import { ConnectionReset } from './fault-plan.ts';
import { parseQuery } from './query.ts';
import { createResponseCache, type JsonResponse, type ResponseCache } from './response-cache.ts';
import { CACHEABLE, handlerOf } from './route-handlers.ts';
import { matchRoute, type Match } from './router.ts';
import { withTimeout } from './store-timeout.ts';

export type { ServiceOptions };

/** Tokens that one peer can get per minute: each is a database row for a day. */
const MAX_TOKENS_PER_MINUTE = 60;

/** Requests without a valid token that one peer can send per minute. Requests with a valid token are never counted. */
const MAX_FAILED_LOGINS_PER_MINUTE = 300;

/**
 * How old the mean integrity in the response to an event may be, and how long a revoked token may still send one: both since the read of
 * the state began. A standby learns of a revocation when it has replayed it, so there its lag is added.
 */
const MAX_STATE_AGE_MS = 1_000;

/**
 * Returns the service over an archive. Every response has the headers x-request-id, x-integrity (the archive's mean),
 * x-drift-ratio and date; with a token also x-access-tier. Every failure has the error body (interface 7). HEAD is answered as GET without the body. The
 * service never rejects, except with {@link ConnectionReset} where a fault plan asks for it.
 */
export function createService(archive: Archive, given: ServiceOptions): Service {
  const options = { startedMs: archive.now(), ...given };
  const { faults } = options;
  const authenticator = {
    archive,
    failureLimiter: archive.shared.limiter('guesses', MAX_FAILED_LOGINS_PER_MINUTE),
    bearers: createTokenLookup(archive),
    ceiling: higherTier(options.maxTier ?? 'mirror', options.owner?.maxTier ?? 'external'),
  };
  const tokenLimiter = archive.shared.limiter('issues', MAX_TOKENS_PER_MINUTE);
  // What stores and applies events is loaded with the first one.
  let groupCommit: Promise<StoreEvents> | undefined;
  const storeEvents: StoreEvents = async (events) => {
    groupCommit ??= import('../store/events/group-commit.ts').then((loaded) =>
      loaded.createGroupCommit(archive),
    );
    return (await groupCommit)(events);
  };
  let draining: Promise<() => Promise<void>> | undefined;
  const drain = async (): Promise<void> => {
    draining ??= import('../store/event-worker.ts').then((loaded) => loaded.createDrain(archive));
    await (
      await draining
    )();
  };
  /** Stored events stay stored: one that cannot be applied now stays queued, and its acknowledgement is still true. */
  const applyEvents = async (requestId: string): Promise<void> => {
    if (options.worker !== undefined) options.worker.wake();
    else await drain().catch((error: unknown) => options.onFailure?.(requestId, error));
  };
  // Liveness and readiness probes do not read the summary; they report the last known one.
  let known: Snapshot = { version: undefined, state: NO_STATE, read: 0, sinceMs: -Infinity };
  // Each commit changes the state. To read it again for each event takes about as long as to store the event.
  const isJustRead = () => Math.abs(archive.now() - known.sinceMs) < MAX_STATE_AGE_MS;
  let reads = 0;
  const readSnapshot = async (): Promise<Snapshot> => {
    const [read, sinceMs] = [(reads += 1), archive.now()];
    const version = await archive.database.dataVersion?.();
    const snapshot = { version, state: await readState(archive, version), read, sinceMs };
    // Counting can take long, and a read that began later may have ended before.
    if (read > known.read) known = snapshot;
    return snapshot;
  };
  // Requests from sockets that arrive in one tick of the event loop were all sent before it, so they can share a read.
  // SQLite answers at once, so the first request of the tick reads; with PostgreSQL the read starts when all have arrived.
  const shared = options.worker === undefined ? readSnapshot : firstPerTick(readSnapshot);
  const snapshot = archive.database.engine === 'sqlite' ? shared : coalescePerTick(readSnapshot);
  const cache = createResponseCache(options.cacheBytes, options.onCacheLookup);
  const pipeline = { authenticator, cache };
  const date = createDateHeader(archive.now);

  return async (request) => {
    const requestId = newRequestId((count) => archive.randomBytes(count));
    // The reader whose numbers the response shows.
    const shown = { tier: tierWithoutToken(request), integrity: 0 };
    let response: ServiceResponse;
    const logContext: LogContext = {};
    try {
      const found = findRoute(request);
      const route = 'route' in found ? found.route : undefined;
      let asked = known;
      if (route === undefined || route === 'openapi') {
        // They do not need the archive, so they are answered also without it.
        asked = await withTimeout(snapshot()).catch(() => known);
      } else if (route !== 'live' && route !== 'ready' && !(route === 'ingest' && isJustRead())) {
        const reading = snapshot();
        asked = await (route === 'health' ? withTimeout(reading) : reading);
      }
      const { version, state } = asked;
      const { summaries, revoked } = state;
      shown.integrity = summaries[shown.tier].integrity;
      if ('error' in found) throw found.error;
      const eventsQueued = () => applyEvents(requestId);
      const context = { archive, options, request, summaries, tokenLimiter, storeEvents, eventsQueued };
      response = await respond(context, found, pipeline, { version, revoked }, { logContext, shown });
    } catch (thrown) {
      if (thrown instanceof ConnectionReset) throw thrown;
      const error = await withNewerSchema(archive.database, thrown);
      if (!(error instanceof ApiError) && request.gone?.().aborted !== true)
        options.onFailure?.(requestId, error);
      response = errorResponse(toApiError(error), requestId, shown.integrity);
    }
    response.headers[HEADERS.requestId] = requestId;
    response.headers[HEADERS.integrity] = String(shown.integrity);
    response.headers[HEADERS.drift] = String(faults?.driftRatio() ?? 0);
    // Whoever signs events needs no token.
    if (logContext.tier !== undefined && logContext.route !== 'ingest')
      response.headers[TIER_HEADER] = logContext.tier;
    if (faults !== undefined) await faults.delay();
    response.headers['date'] = date();
    response.logContext = logContext;
    return request.method === 'HEAD' ? { ...response, body: '' } : response;
  };
}

/** The state of the archive and its version; which read of this process it was, and when that began. */
type Snapshot = { version: DataVersion | undefined; state: ArchiveState; read: number; sinceMs: number };
type LogContext = NonNullable<ServiceResponse['logContext']>;
type Context = Pick<
  Call,
  'archive' | 'options' | 'request' | 'summaries' | 'tokenLimiter' | 'storeEvents' | 'eventsQueued'
>;
type Pipeline = { authenticator: Authenticator; cache: ResponseCache };

const EMPTY_SUMMARY: Summary = {
  conversations: 0,
  messages: 0,
  withheld: 0,
  attachments: 0,
  withheldFiles: 0,
  displaced: 0,
  integrity: 0,
};

const NO_STATE: ArchiveState = { summaries: forReaders(() => EMPTY_SUMMARY), revoked: null };

const noDrift = (): number => 0;

/** Returns the route, or the error of a request that has none. */
function findRoute({ method, target }: ServiceRequest): Match | { error: unknown } {
  try {
    return matchRoute(method, target);
  } catch (error) {
    return { error };
  }
}

/**
 * Returns the tier of a response without a token. On a port it shows what everybody may know. Who asks in this process has the
 * archive already.
 */
function tierWithoutToken({ peer }: ServiceRequest): Tier {
  return peer === 'local' ? 'mirror' : ANONYMOUS.tier;
}

/** What becomes known about a request while it is answered, also where it fails. */
type Known = { logContext: LogContext; shown: { tier: Tier; integrity: number } };

/** Returns the response of the handler. Sets the fields of `known` as soon as they are known. */
async function respond(
  context: Context,
  match: Match,
  { authenticator, cache }: Pipeline,
  { version, revoked }: { version: DataVersion | undefined; revoked: string | null },
  { logContext, shown }: Known,
): Promise<ServiceResponse> {
  const { archive, options, request, summaries, tokenLimiter, storeEvents, eventsQueued } = context;
  if (match.route === undefined) return { status: 204, headers: { allow: match.allow }, body: '' };
  const { route, parameters, search } = match;
  logContext.route = route;
  const bearer = await bearerOf(route, request, { authenticator, options, revoked });
  if (ROUTES[route].scope !== null) {
    logContext.tier = bearer.tier;
    shown.tier = bearer.tier;
  }
  const summary = summaries[shown.tier];
  shown.integrity = summary.integrity;
  const query = parseQuery(search);
  const faults = await options.faults?.planRequest(route, { query, parameters }, request);
  const driftRatio = faults?.driftRatio ?? noDrift;
  const callHandler = async (): Promise<JsonResponse> => {
    const handler = await handlerOf(route);
    // Named one by one: spreading an object costs a tenth of a short response.
    const reply = await handler({
      archive,
      options,
      request,
      summary,
      summaries,
      tokenLimiter,
      storeEvents,
      eventsQueued,
      query,
      parameters,
      bearer,
      faults,
      driftRatio,
    });
    return 'json' in reply ? reply : { status: reply.status, json: JSON.stringify(reply.body) };
  };
  const isCacheable = CACHEABLE.has(route) && faults?.changesLists !== true;
  // File addresses change with the day.
  const name = () =>
    `${bearer.tier} ${driftRatio()} ${summary.integrity} ${lastDayOf(archive.now())} ${request.target}`;
  const { status, json: body } = isCacheable
    ? await cache.get(name(), version, callHandler)
    : await callHandler();
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
  };
  const response = { status, headers, body };
  return faults === undefined ? response : faults.transformResponse(response);
}

function bearerOf(
  route: RouteName,
  request: ServiceRequest,
  {
    authenticator,
    options: { webhookSecrets },
    revoked,
  }: { authenticator: Authenticator; options: ServiceOptions; revoked: string | null },
): Promise<Bearer> {
  if (route === 'ingest' && webhookSecrets !== undefined) {
    return authenticateSigned(authenticator, request, webhookSecrets);
  }
  return authenticate(authenticator, request, ROUTES[route].scope, revoked);
}

/** Returns the Date header of the current second. Its text is made once per second. */
function createDateHeader(now: () => number): () => string {
  let [second, text] = [Number.NaN, ''];
  return () => {
    const current = Math.floor(now() / 1000);
    if (current !== second) [second, text] = [current, new Date(current * 1000).toUTCString()];
    return text;
  };
}
