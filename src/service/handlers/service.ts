// The service as one function from request to response: match, permit, handle, and one shape for every failure.
import type { Service, ServiceResponse } from '../../contract/exchange.ts';
import { HEADERS, ROUTES, type RouteName } from '../../contract/routes.ts';
import type { Archive } from '../store/archive.ts';
import { ApiError } from '../rules/api-error.ts';
import { LineCut } from '../fault-injection/transport-fault-sampling.ts';
import type { State } from '../store/sql/database.ts';
import { createGroupCommit } from '../store/events/group-commit.ts';
import { summaryOf, type Summary } from '../store/meta-table/summary.ts';
import { createBearers } from '../store/tokens.ts';
import { firstPerTick, coalescePerTick } from '../../concurrency/single-flight.ts';
import { createDrain } from '../store/event-worker.ts';
import { attachment, attachments } from './attachments.ts';
import { content } from './content.ts';
import { conversation, conversations } from './conversations.ts';
import { events, ingestEvent } from './events.ts';
import { ok, type Call, type DriftEntry, type Handlers, type ServiceOptions } from './call.ts';
import { toApiError, errorResponse, newRequestId } from './error-response.ts';
import { health, live, ready, withTimeout } from './health.ts';
import { messages } from './messages.ts';
import { createResponseCache, type JsonResponse, type ResponseCache } from './response-cache.ts';
import { authenticate, authenticateSigned, type Authenticator } from './authenticator.ts';
import { parseQuery } from './query.ts';
import { matchRoute } from './router.ts';
import { sequence } from './sequence.ts';
import { token } from './token.ts';
import { createTrial, type Trial } from '../fault-injection/fault-plan.ts';

export type { DriftEntry, ServiceOptions };

/** Tokens that one peer may be given a minute: each is a row for a day. */
const ISSUES_A_MINUTE = 60;

/** Requests without a valid token that one peer may send a minute; those with one are never counted. */
const GUESSES_A_MINUTE = 300;

const HANDLERS: Handlers = {
  token,
  attachments,
  attachment,
  content,
  sequence,
  health,
  live: async ({ archive, options }) => live(archive, options),
  ready: ({ archive, options }) => ready(archive, options),
  ingest: ingestEvent,
  events,
  conversations,
  conversation,
  messages,
  messages_v1: messages,
  openapi: async () => ok((await import('../../contract/openapi.json')).default),
};

/**
 * The service over an archive. Every response carries x-request-id, x-integrity (the archive's mean), x-drift-ratio and
 * date; every failure has the body of interface 7. HEAD is answered as GET without the body. Never rejects, but with
 * LineCut where the options ask for a line that fails.
 */
export function createService(archive: Archive, given: ServiceOptions): Service {
  const options = { startedMs: archive.now(), ...given };
  const guesses = archive.shared.limiter('guesses', GUESSES_A_MINUTE);
  const doorkeeper = { archive, guesses, bearers: createBearers(archive) };
  const issues = archive.shared.limiter('issues', ISSUES_A_MINUTE);
  const trial = createTrial(archive, options);
  const keep = createGroupCommit(archive);
  const drain = createDrain(archive);
  /** Kept is kept: what is not applied now stays queued, and the acknowledgement holds. */
  const apply = async (requestId: string): Promise<void> => {
    if (options.worker !== undefined) options.worker.wake();
    else await drain().catch((error: unknown) => options.onFailure?.(requestId, error));
  };
  // What a probe reports, which asks for nothing.
  let known: Summary = NOTHING_KNOWN;
  const read = async (): Promise<Now> => {
    const state = await archive.database.version?.();
    return { state, summary: await summaryOf(archive, state) };
  };
  // SQLite tells at once. Requests over sockets that come with one turn of the loop were all sent before it, and share.
  const nearby = options.worker === undefined ? read : firstPerTick(read);
  const nowOf = archive.database.engine === 'sqlite' ? nearby : coalescePerTick(read);
  const pages = createResponseCache();
  const date = createDates(archive.now);

  return async (request) => {
    const requestId = newRequestId((count) => archive.randomBytes(count));
    let integrity = 0;
    let response: ServiceResponse;
    const about: ServiceResponse['logContext'] = {};
    try {
      let state: State | undefined;
      const path = request.target.split('?', 1)[0];
      if (path !== ROUTES.live.path && path !== ROUTES.ready.path) {
        const asked = nowOf();
        ({ state, summary: known } = await (path === ROUTES.health.path ? withTimeout(asked) : asked));
      }
      integrity = known.integrity;
      const keptEvents = () => apply(requestId);
      const asked = { archive, options, request, summary: known, issues, keep, keptEvents };
      response = await answer(asked, { doorkeeper, trial, pages, state }, about);
    } catch (error) {
      if (error instanceof LineCut) throw error;
      if (!(error instanceof ApiError)) options.onFailure?.(requestId, error);
      response = errorResponse(toApiError(error), requestId, integrity);
    }
    response.headers[HEADERS.requestId] = requestId;
    response.headers[HEADERS.integrity] = String(integrity);
    response.headers[HEADERS.drift] = String(trial.driftRatio());
    await trial.delay();
    response.headers['date'] = date();
    response.logContext = about;
    return request.method === 'HEAD' ? { ...response, body: '' } : response;
  };
}

type Asked = Pick<Call, 'archive' | 'options' | 'request' | 'summary' | 'issues' | 'keep' | 'keptEvents'>;

/** What an answer goes through besides its handler; `state` is the archive's when the request came. */
type Way = { doorkeeper: Authenticator; trial: Trial; pages: ResponseCache; state: State | undefined };

/** Answers that the archive, the reader's tier and the request alone decide. */
const KEPT: ReadonlySet<RouteName> = new Set([
  'attachments',
  'attachment',
  'conversations',
  'conversation',
  'messages',
  'messages_v1',
]);

const NOTHING_KNOWN: Summary = {
  conversations: 0,
  messages: 0,
  attachments: 0,
  redacted: 0,
  displaced: 0,
  integrity: 0,
};

/** What is asked of the archive for each request. */
type Now = { state: State | undefined; summary: Summary };

/** The Date header of a clock's milliseconds: its text is of whole seconds, and so is made once in each. */
function createDates(now: () => number): () => string {
  let [second, text] = [Number.NaN, ''];
  return () => {
    const current = Math.floor(now() / 1000);
    if (current !== second) [second, text] = [current, new Date(current * 1000).toUTCString()];
    return text;
  };
}

/** Fills in what the request is about as soon as it is known. */
async function answer(
  asked: Asked,
  { doorkeeper, trial, pages, state }: Way,
  about: NonNullable<ServiceResponse['logContext']>,
): Promise<ServiceResponse> {
  const { archive, options, request, summary, issues, keep, keptEvents } = asked;
  const match = matchRoute(request.method, request.target);
  if (match.route === undefined) return { status: 204, headers: { allow: match.allow }, body: '' };
  const { route, parameters, search } = match;
  about.route = route;
  const secrets = route === 'ingest' ? asked.options.webhookSecrets : undefined;
  const bearer =
    secrets === undefined
      ? await authenticate(doorkeeper, request, ROUTES[route].scope)
      : await authenticateSigned(archive, request, secrets, doorkeeper.guesses);
  if (ROUTES[route].scope !== null) about.tier = bearer.tier;
  const query = parseQuery(search);
  const { fault, lies, hides, driftRatio } = await trial.meet(route, { query, parameters }, request);
  const made = async (): Promise<JsonResponse> => {
    // Named one by one: to spread objects costs a tenth of a short answer.
    const reply = await HANDLERS[route]({
      archive,
      options,
      request,
      summary,
      issues,
      keep,
      keptEvents,
      query,
      parameters,
      bearer,
      lies,
      hides,
      driftRatio,
    });
    return 'json' in reply ? reply : { status: reply.status, json: JSON.stringify(reply.body) };
  };
  const isKept = KEPT.has(route) && lies === undefined && hides === undefined;
  const name = () => `${bearer.tier} ${driftRatio()} ${summary.integrity} ${request.target}`;
  const { status, json: body } = isKept ? await pages.page(name(), state, made) : await made();
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
  };
  return trial.spoil({ status, headers, body }, fault);
}
