// Sends the requests of an examination: GET only, limited in number and time, with notes about every response.
import { createSender } from '../../client/api-call.ts';
import { urlWithin, type Query } from '../../client/base-url.ts';
import { deadline } from '../../client/deadline.ts';
import { errorFieldsOf, faultOfResponse } from '../../client/error-response.ts';
import { parseHttpDate, type ApiResponse } from '../../client/response.ts';
import { redactSecrets } from '../../client/safe-text.ts';
import { parseJson } from '../../client/strict-json.ts';
import { TransportFault, type Transport } from '../../client/transport.ts';
import { HEADERS } from '../../contract/routes.ts';
import { Fault } from '../../faults.ts';
import type { World } from '../../world.ts';

/** Requests of one examination, retries included. */
export const MAX_REQUESTS = 120;
/** Time of one examination in milliseconds. */
const MAX_TIME_MS = 60_000;
/** After this many requests in a row without any response, the service counts as gone. */
const MAX_UNANSWERED = 3;
/** Headers about rate limits. Other names are not reported: a service could put anything into them. */
const RATE_LIMIT_HEADER =
  /^(retry-after|(x-)?(ratelimit|rate-limit)(-(limit|remaining|reset|policy|used|resource))?)$/;

/** What an examiner sends with. */
export type ExaminerOptions = {
  baseUrl: URL;
  /** Returns the transport of API calls or of files. */
  transport: Transport;
  token: string | undefined;
  /** The tokens that no message may show, {@link ExaminerOptions.token} among them. */
  secrets: readonly string[];
  retries: number;
  timeoutMs: number;
  world: World;
  log(line: string): void;
};

/** What every response of an examination adds to. */
export type Notes = {
  requests: number;
  /** Error responses by whether their body is as documented (interface 7), and the fields that were missing. */
  errors: { documented: number; other: number; lacking: Set<string> };
  rateLimitHeaders: Set<string>;
  /** Answers whose body ended early, and requests without an answer. */
  cut: number;
  unanswered: number;
  /** The highest drift ratio that the service reported. */
  drift: number | null;
  /** The service's clock minus ours in milliseconds, by the first Date header. */
  clockOffsetMs: number | null;
  /** Whether successes of several paths all had the same body, as those of a server that knows none of them. */
  isUniform: boolean;
  /** Responses of status 500 and above. */
  serverErrors: number;
  /** The failure of the last request, null where it was answered. */
  failure: Fault | null;
  /** Why no more requests are sent. */
  stopped: string | null;
};

/** The requests of one examination. */
export type Examiner = {
  readonly notes: Readonly<Notes>;
  /** A signal that also ends with the time of the examination. */
  readonly signal: AbortSignal;
  readonly hasToken: boolean;
  /**
   * Sends a GET and returns the response, whatever its status. Throws Faults of the network, and Fault 'partial' when the
   * examination has reached a limit.
   */
  get(path: string, query?: Query, options?: { anonymous: boolean }): Promise<ApiResponse>;
  /** Returns the Fault of a refused response, without tokens. */
  faultOf(response: ApiResponse, path: string, query?: Query): Fault;
  /** Returns a text of the service without tokens. */
  redact(text: string): string;
  /** Returns a transport whose requests are counted and limited. */
  counted(transport: Transport): Transport;
  /** Counts a request that was sent by other means. */
  count(): void;
  close(): void;
};

/** Returns an examiner. Call `close` when the examination is over. */
export function createExaminer(options: ExaminerOptions): Examiner {
  const { baseUrl, token, secrets, world } = options;
  const notes: Notes = {
    requests: 0,
    errors: { documented: 0, other: 0, lacking: new Set() },
    rateLimitHeaders: new Set(),
    cut: 0,
    unanswered: 0,
    drift: null,
    clockOffsetMs: null,
    isUniform: false,
    serverErrors: 0,
    failure: null,
    stopped: null,
  };
  const stop = (reason: string): Fault => {
    notes.stopped ??= reason;
    return new Fault('partial', `the examination ended: ${notes.stopped}`);
  };
  const limit = deadline(MAX_TIME_MS, world.signal, () =>
    stop(`it took more than ${MAX_TIME_MS / 1000} seconds`),
  );
  let unanswered = 0;

  const counted =
    (transport: Transport): Transport =>
    async (request) => {
      if (notes.requests >= MAX_REQUESTS) throw stop(`it may send ${MAX_REQUESTS} requests`);
      notes.requests += 1;
      const reply = await transport(request).catch((error: unknown) => {
        if (error instanceof TransportFault) notes.unanswered += 1;
        throw error;
      });
      const noteCut = (): void => void (notes.cut += 1);
      return { ...reply, body: watched(reply.body, noteCut) };
    };

  const send = createSender({
    transport: counted(options.transport),
    bearer: () => Promise.resolve(token),
    secrets: () => Promise.resolve(secrets),
    retries: options.retries,
    timeoutMs: options.timeoutMs,
    world: { ...world, signal: limit.signal },
    log: options.log,
  });

  const bodies = new Set<string>();
  const paths = new Set<string>();

  function noteBody({ status, bytes }: ApiResponse, path: string): void {
    if (status >= 300 || bodies.size > 1) return;
    paths.add(path);
    bodies.add(Buffer.from(bytes).toString('base64'));
    notes.isUniform = paths.size > 1 && bodies.size === 1;
  }

  function note(response: ApiResponse): void {
    const time = parseHttpDate(response.headers['date']);
    if (time !== undefined) notes.clockOffsetMs ??= time - world.now();
    for (const name of Object.keys(response.headers)) {
      if (RATE_LIMIT_HEADER.test(name)) notes.rateLimitHeaders.add(name);
    }
    noteDrift(Number(response.headers[HEADERS.drift]));
    if (response.status >= 400) noteError(response);
    if (response.status >= 500) notes.serverErrors += 1;
  }

  function noteDrift(ratio: unknown): void {
    if (typeof ratio === 'number' && ratio >= 0 && ratio <= 1)
      notes.drift = Math.max(notes.drift ?? 0, ratio);
  }

  function noteError(response: ApiResponse): void {
    const lacking = fieldsLacking(response);
    if (lacking.length === 0) notes.errors.documented += 1;
    else notes.errors.other += 1;
    for (const name of lacking) notes.errors.lacking.add(name);
  }

  return {
    notes,
    signal: limit.signal,
    hasToken: token !== undefined,
    counted,
    faultOf: (response, path, query) => faultOfResponse(response, urlWithin(baseUrl, path, query), secrets),
    redact: (text) => redactSecrets(text, secrets),
    async get(path, query, { anonymous } = { anonymous: false }) {
      if (notes.stopped !== null) throw stop(notes.stopped);
      const url = urlWithin(baseUrl, path, query);
      let cut: ApiResponse | undefined;
      const answered = (response: ApiResponse): ApiResponse => {
        unanswered = 0;
        notes.failure = null;
        note(response);
        noteBody(response, path);
        noteDrift(driftIn(response));
        return response;
      };
      try {
        const response = await send(
          { method: 'GET', url, withToken: anonymous ? false : 'if any', anyStatus: true },
          (answer) => {
            cut = answer;
            if (isCut(answer)) {
              notes.cut += 1;
              throw new TransportFault('network', 'answer ends early', true, { retryable: true });
            }
            return answer;
          },
        );
        return answered(response);
      } catch (error) {
        // A body that is cut each time is an answer too.
        if (cut !== undefined && error instanceof Fault && error.kind === 'network') return answered(cut);
        if (error instanceof Fault && error.kind === 'network') {
          unanswered += 1;
          notes.failure = error;
          if (unanswered >= MAX_UNANSWERED) stop('the service no longer answers');
        }
        throw error;
      }
    },
    count: () => void (notes.requests += 1),
    close: () => limit.release(),
  };
}

/** Returns the fields of the documented error body (interface 7) that a response lacks, or has with another type. */
function fieldsLacking(response: ApiResponse): string[] {
  const fields = errorFieldsOf({ ...response, headers: {} });
  const { code, message, request_id: id, integrity } = fields;
  return [
    ...(code === undefined ? ['code'] : []),
    ...(message === undefined ? ['message'] : []),
    ...(id === undefined || !id.startsWith('req_') ? ['request_id'] : []),
    ...(integrity === undefined ? ['integrity'] : []),
  ];
}

/** Returns whether JSON ends early, although its response is whole. */
function isCut({ status, bytes }: ApiResponse): boolean {
  // These have no body (RFC 9110, section 15.3.5).
  if (status >= 300 || status === 204 || status === 205) return false;
  try {
    parseJson(bytes);
    return false;
  } catch (error) {
    return error instanceof TransportFault;
  }
}

/** Yields a body. `onCut` is called where its connection fails. */
async function* watched(body: AsyncIterable<Uint8Array>, onCut: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    if (error instanceof TransportFault) onCut();
    throw error;
  }
}

function driftIn(response: ApiResponse): unknown {
  try {
    return (parseJson(response.bytes).value as { drift_ratio?: unknown } | null)?.drift_ratio;
  } catch {
    return undefined;
  }
}
