// One call from request to good answer: the token put on, tries counted, 401 renewed once, failures told without the token.
import { HEADERS } from '../contract/routes.ts';
import { Fault } from '../faults.ts';
import type { World } from '../world.ts';
import { readResponse, type ApiResponse } from './response.ts';
import { deadline } from './deadline.ts';
import { ACCEPTED_ENCODINGS } from './content-encoding.ts';
import { faultOfResponse } from './error-response.ts';
import { withRetries, withTryCount, type RetryOutcome } from './retry.ts';
import { redactFault } from './safe-text.ts';
import { hostAndPort, TransportFault, type Transport } from './transport.ts';

export type SenderOptions = {
  transport: Transport;
  /** The token for this base URL, undefined where a request goes without. Asked for every call, so it must be quick. */
  bearer: () => Promise<string | undefined>;
  /** Called once when a token was refused; true where `bearer` now has another one. */
  renew?: () => Promise<boolean>;
  /** Tries after the first, 4 by default. */
  retries?: number;
  /** Time for waiting on the service, all tries of a call together, pauses between them not counted. */
  timeoutMs?: number;
  world: Pick<World, 'now' | 'monotonic' | 'sleep' | 'randomBytes' | 'signal'>;
  /** One diagnostic line (-v), never with the token. */
  log?: (line: string) => void;
};

export type ApiCall = {
  method: 'GET' | 'POST';
  url: URL;
  /** Whether the route takes a token; `if any`: also without one, where there is none to send. */
  withToken: boolean | 'if any';
  body?: unknown;
  /** In place of `body`: lines of JSON. */
  lines?: string;
  /** The id that makes a POST safe to send again. */
  id?: string;
  /** Headers that sign the body, made anew for each try. */
  sign?(body: Uint8Array): Record<string, string>;
};

export const DEFAULT_TIMEOUT_MS = 20_000;

/**
 * Resolves to what `read` makes of an answer with a 2xx status; everything else is thrown as a Fault. A Fault that `read`
 * gives back instead of throwing it goes through `hidden`, which takes the token out of it.
 */
export type Send = <T>(
  call: ApiCall,
  read: (answer: ApiResponse, hidden: (fault: Fault) => Fault) => T,
) => Promise<T>;

export function createSender(options: SenderOptions): Send {
  const { transport, bearer, renew, retries = 4, timeoutMs = DEFAULT_TIMEOUT_MS, world, log } = options;
  let renewing: Promise<boolean> | undefined;

  /** Several reads may meet the same expiry: one renewal serves them all. */
  async function anotherThan(token: string | undefined): Promise<string | undefined> {
    const current = await bearer();
    if (current !== token) return current;
    renewing ??= (renew?.() ?? Promise.resolve(false)).finally(() => {
      renewing = undefined;
    });
    return (await renewing) ? bearer() : undefined;
  }

  async function tokenFor({ withToken }: ApiCall): Promise<string | undefined> {
    if (withToken === false) return undefined;
    try {
      return checkedToken(await bearer());
    } catch (error) {
      if (withToken === 'if any' && error instanceof Fault && error.kind === 'auth') return undefined;
      throw error;
    }
  }

  async function once(call: ApiCall, token: string | undefined, left: number): Promise<ApiResponse> {
    const { method, url } = call;
    const body = bodyOf(call);
    const limit = deadline(left, world.signal, () => late(url, timeoutMs));
    const begun = world.monotonic();
    try {
      const reply = await transport({
        method,
        url,
        headers: { ...headersFor(call, token), ...(body === undefined ? {} : call.sign?.(body)) },
        ...(body === undefined ? {} : { body }),
        signal: limit.signal,
      });
      const answer = await readResponse(reply);
      const drift = ratioOf(answer.headers[HEADERS.drift]);
      log?.(
        `${method} ${url.pathname}${url.search}: ${answer.status}, ${Math.round(world.monotonic() - begun)} ms` +
          (drift === undefined ? '' : `, drift ${drift}`),
      );
      limit.release();
      return answer;
    } catch (error) {
      limit.cancel();
      throw error;
    }
  }

  async function send(call: ApiCall, token: string | undefined): Promise<RetryOutcome<ApiResponse>> {
    const again = call.method === 'GET' || call.id !== undefined ? 'always' : 'unsent';
    return withRetries((left) => once(call, token, left), { retries, again, timeoutMs, world, log });
  }

  return async (call, read) => {
    let token: string | undefined;
    try {
      token = await tokenFor(call);
      let outcome = await send(call, token);
      if (token !== undefined && 'reply' in outcome && outcome.reply.status === 401) {
        const other = checkedToken(await anotherThan(token));
        if (other !== undefined) {
          const { maybeReceived } = outcome;
          token = other;
          outcome = await send(call, token);
          outcome.maybeReceived ||= maybeReceived;
        }
      }
      if ('reply' in outcome && outcome.reply.status < 300) {
        return read(outcome.reply, (fault) => redactFault(fault, token));
      }
      throw failureOf(call, outcome);
    } catch (error) {
      throw error instanceof Fault ? redactFault(error, token) : error;
    }
  };
}

/** For the log, to four digits: any other text of a header could be the token, echoed. */
function ratioOf(header: string | undefined): number | undefined {
  if (header === undefined || !/^[01](\.\d{1,20})?$/.test(header)) return undefined;
  return Math.round(Number(header) * 10_000) / 10_000;
}

function bodyOf({ body, lines }: ApiCall): Uint8Array | undefined {
  if (lines !== undefined) return new TextEncoder().encode(lines);
  return body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body));
}

function headersFor({ body, lines }: ApiCall, token: string | undefined): Record<string, string> {
  return {
    accept: 'application/json',
    'accept-encoding': ACCEPTED_ENCODINGS,
    'user-agent': 'arx',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(lines === undefined ? {} : { 'content-type': 'application/x-ndjson' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
}

/** What is not visible ASCII could inject a header. */
function checkedToken(token: string | undefined): string | undefined {
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new Fault('usage', 'the token holds characters that cannot be sent in a header');
}

function late(url: URL, timeoutMs: number): Fault {
  const message = `${hostAndPort(url)}: no answer within ${timeoutMs / 1000} s`;
  return new TransportFault('network', message, true, { retryable: true });
}

/** Of an event that may have arrived nobody can say that it failed (faults.md M8). */
function failureOf(call: ApiCall, outcome: RetryOutcome<ApiResponse>): Fault {
  const fault = 'fault' in outcome ? outcome.fault : faultOfResponse(outcome.reply, call.url);
  const uncertain = fault.kind === 'network' || fault.kind === 'busy';
  if (call.id !== undefined && outcome.maybeReceived && uncertain) {
    const message = `event ${call.id} may have been accepted: ${fault.message}`;
    return new Fault('unconfirmed', message, {
      ...fault.detail,
      hint: 'send again with the same id',
      retryable: true,
    });
  }
  return withTryCount(fault, outcome);
}
