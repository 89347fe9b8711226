// The service as one function from request to response: match, permit, handle, and one shape for every failure.
import type { Service, ServiceResponse } from '../../contract/exchange.ts';
import { HEADERS, ROUTES } from '../../contract/routes.ts';
import type { Archive } from '../archive.ts';
import { Refusal } from '../refusal.ts';
import { createDrift, type Drift } from '../rules/drift.ts';
import { createLimiter, type Limiter } from '../rules/limiter.ts';
import { createLine, LineCut, type Line } from '../rules/line.ts';
import { summaryOf } from '../store/meta.ts';
import { attachment, attachments } from './attachments.ts';
import { content } from './content.ts';
import { conversation, conversations } from './conversations.ts';
import { events, ingestEvent } from './events.ts';
import { ok, type Call, type Handlers, type ServiceOptions } from './exchange.ts';
import { asRefusal, errorResponse, newRequestId } from './failure.ts';
import { health } from './health.ts';
import { refuseBy, spoil } from './line.ts';
import { LISTS } from './list.ts';
import { messages } from './messages.ts';
import { permit } from './permission.ts';
import { parseQuery } from './query.ts';
import { matchRoute } from './router.ts';
import { sequence } from './sequence.ts';
import { token } from './token.ts';
import { createWrites, type OverlaidWrites } from './writes.ts';

export type { ServiceOptions };

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
  ingest: ingestEvent,
  events,
  conversations,
  conversation,
  messages,
  messages_v1: messages,
  openapi: async () => ok((await import('../../contract/openapi.json')).default),
};

/** Lists that are asked for lie as little as this where only a log of them is wanted. */
const HONEST = { from: 0, to: 0, seed: 0, faults: [] };

/** What makes this service one to try clients against. */
type Trial = { drift: Drift | undefined; line: Line | undefined; writes: OverlaidWrites | undefined };

/**
 * The service over an archive. Rejects with LineCut alone, and only where a line that fails was asked for. Every response carries x-request-id, x-integrity (the archive's mean),
 * x-drift-ratio and date; every failure has the body of interface 7. HEAD is answered as GET without the body.
 */
export function createService(archive: Archive, options: ServiceOptions): Service {
  const guesses = createLimiter(GUESSES_A_MINUTE);
  const issues = createLimiter(ISSUES_A_MINUTE);
  const { driftLog: log } = options;
  const lies = options.drift ?? (log && HONEST);
  const drift = lies && createDrift(lies, archive.now, log);
  const line = options.line && createLine(options.line, log);
  const writes = options.writes && createWrites(archive.database, options.writes, log);
  const driftRatio = () => drift?.reported() ?? 0;

  return async (request) => {
    const requestId = newRequestId((count) => archive.randomBytes(count));
    let integrity = 0;
    let response: ServiceResponse;
    try {
      const summary = await summaryOf(archive);
      integrity = summary.integrity;
      const asked = { archive, options, request, summary, issues, driftRatio };
      response = await answer(asked, guesses, { drift, line, writes });
    } catch (error) {
      if (error instanceof LineCut) throw error;
      if (!(error instanceof Refusal)) options.onFailure?.(requestId, error);
      response = errorResponse(asRefusal(error), requestId, integrity);
    }
    response.headers[HEADERS.requestId] = requestId;
    response.headers[HEADERS.integrity] = String(integrity);
    response.headers[HEADERS.drift] = String(driftRatio());
    if (options.line !== undefined) await options.line.sleep(options.line.latency);
    response.headers['date'] = new Date(archive.now()).toUTCString();
    return request.method === 'HEAD' ? { ...response, body: '' } : response;
  };
}

type Asked = Omit<Call, 'query' | 'parameters' | 'bearer' | 'lies' | 'hides'>;

async function answer(
  asked: Asked,
  guesses: Limiter,
  { drift, line, writes }: Trial,
): Promise<ServiceResponse> {
  const { archive, options, request } = asked;
  const { route, parameters, search, allow } = matchRoute(request.method, request.target);
  if (route === undefined) return { status: 204, headers: { allow }, body: '' };
  const bearer = await permit(archive, request, ROUTES[route].scope, guesses);
  const query = parseQuery(search);
  const list = LISTS[route];
  const truthful = options.driftLog !== undefined && list !== undefined && query.flag('truth') === true;
  const fault = list === undefined || truthful ? undefined : await line?.next(list, request.peer);
  refuseBy(fault);
  const hides = await writes?.hides(list === 'conversations' && !truthful);
  const { id } = parameters;
  if (id !== undefined && hides?.(id) === true) throw new Refusal('not_found', `the archive has no ${id}`);
  const reply = await HANDLERS[route]({
    ...asked,
    ...(truthful ? { driftRatio: () => 0 } : {}),
    query,
    parameters,
    bearer,
    lies: drift && list !== undefined && !truthful ? { drift, list } : undefined,
    hides,
  });
  const body = JSON.stringify(reply.body);
  const response = {
    status: reply.status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
    },
    body,
  };
  return options.line === undefined ? response : spoil(response, fault, options.line);
}
