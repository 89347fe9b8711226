// Sends one API call: adds the token, retries, renews the token once after a 401, and keeps the token out of errors.
import { HEADERS, TIER_HEADER } from '../contract/routes.ts';
import { TIERS, type Tier } from '../contract/tier.ts';
import { Fault } from '../faults.ts';
import type { World } from '../world.ts';
import { readResponse, type ApiResponse } from './response.ts';
import { deadline } from './deadline.ts';
import { ACCEPTED_ENCODINGS } from './content-encoding.ts';
import { faultOfResponse, mayHelpToWait, UNSIGNED } from './error-response.ts';
import { NoTokenFault } from './no-token.ts';
import { withSlash } from './redirect.ts';
import { withRetries, withTryCount, type RetryOutcome } from './retry.ts';
import { holdsSecret, redactFault, redactSecrets } from './safe-text.ts';
import { shownTarget } from './shown-target.ts';
import { hostAndPort, TransportFault, type Transport } from './transport.ts';
import { httpsHint } from './wrong-base-url.ts';

/** What calls need: a transport, tokens, limits and the clock. */
export type SenderOptions = {
  transport: Transport;
  /** Returns the token for this base URL, undefined where there is none. It is called for every call, so it must be fast. */
  bearer: () => Promise<string | undefined>;
  /**
   * Returns the tokens that no message may show, also those that calls do not send: a service knows each token that it ever
   * gave or got. It is called only where a call fails. Without it the tokens that were sent count.
   */
  secrets?: () => Promise<readonly string[]>;
  /** Called once when the service refuses the token. Returns true where `bearer` now gives another one. */
  renew?: () => Promise<boolean>;
  /** Returns what to do where the service refuses the token. */
  hintAfterRefusal?: () => Promise<string>;
  /** Called with the tier that the service gives the token, where it says so. */
  tierGiven?: (tier: Tier) => Promise<void>;
  /** How many tries may follow the first one. Default 4. */
  retries?: number;
  /** Time to wait for the service in all tries of a call together, without the pauses, in milliseconds. */
  timeoutMs?: number;
  world: Pick<World, 'now' | 'monotonic' | 'sleep' | 'randomBytes' | 'signal'>;
  /** Writes one diagnostic line (-v). It never has the token. */
  log?: (line: string) => void;
};

/** Status codes of a service that needs a token. */
const TOKEN_STATUS: ReadonlySet<number> = new Set([401, 403]);

/** One call of the API. */
export type ApiCall = {
  method: 'GET' | 'POST';
  url: URL;
  /**
   * Whether the call needs a token. `if any`: it is sent without one where there is none. A GET that needs one is also sent without
   * it, since a service may give its lists to everybody.
   */
  withToken: boolean | 'if any';
  body?: unknown;
  /** The JSON of `body`, where it is to be sent as it was written. */
  text?: string;
  /** A body of NDJSON, in place of `body`. */
  lines?: string;
  /** The event id that makes a POST safe to send again. */
  id?: string;
  /** `read` gets the last response whatever its status, instead of a Fault for an error. */
  anyStatus?: true;
  /** Returns the headers that show who sends the body. It is called for each try, since a signature holds the time. */
  sign?(body: Uint8Array): Record<string, string>;
};

/** Default of `timeoutMs`. */
export const DEFAULT_TIMEOUT_MS = 20_000;

/**
 * Sends a call. Returns what `read` makes of a 2xx response, or of any with `anyStatus`; everything else is thrown as a Fault.
 * Text of the service in Faults that `read` returns instead of throwing must pass through `redact`, which removes the tokens that were sent.
 */
export type Send = <T>(
  call: ApiCall,
  read: (response: ApiResponse, redact: (text: string) => string) => T,
) => Promise<T>;

/** A response; one of status 2xx with what was read of it. */
type Answered<T> = ApiResponse | (ApiResponse & { value: T });

/** Returns a function that sends calls. */
export function createSender(options: SenderOptions): Send {
  const { transport, bearer, renew, retries = 4, timeoutMs = DEFAULT_TIMEOUT_MS, world, log } = options;
  let renewing: Promise<boolean> | undefined;

  /** Returns a token other than the refused one. Calls that meet the same expiry share one renewal. */
  async function newTokenAfter(token: string | undefined): Promise<string | undefined> {
    const current = await bearer();
    if (current !== token) return current;
    renewing ??= (renew?.() ?? Promise.resolve(false)).finally(() => {
      renewing = undefined;
    });
    return (await renewing) ? bearer() : undefined;
  }

  /** Returns everything that a message about a failed call must not show. */
  async function secretsWith(sent: readonly string[]): Promise<readonly string[]> {
    return [...new Set([...sent, ...((await options.secrets?.()) ?? [])])];
  }

  /** `missing`: why there is no token. It is thrown where the service refuses the call. */
  async function tokenFor({ withToken, method }: ApiCall): Promise<{ token?: string; missing?: Fault }> {
    if (withToken === false) return {};
    try {
      const token = checkedToken(await bearer());
      return token === undefined ? {} : { token };
    } catch (error) {
      if (withToken === 'if any' && error instanceof Fault && error.kind === 'auth') return {};
      if (error instanceof NoTokenFault && method === 'GET') return { missing: error };
      throw error;
    }
  }

  async function sendOnce(call: ApiCall, token: string | undefined, left: number): Promise<ApiResponse> {
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
      const shown = shownTarget(url, token === undefined ? [] : [token]);
      log?.(
        `${method} ${shown}: ${answer.status}, ${Math.round(world.monotonic() - begun)} ms` +
          (drift === undefined ? '' : `, drift ${drift}`),
      );
      limit.release();
      const tier = TIERS.find((each) => each === answer.headers[TIER_HEADER]);
      if (token !== undefined && tier !== undefined) await options.tierGiven?.(tier);
      return answer;
    } catch (error) {
      limit.cancel();
      throw error;
    }
  }

  /** A body that cannot be read because it was cut is part of the try, so that it is tried again. */
  async function sendWithRetries<T>(
    call: ApiCall,
    token: string | undefined,
    read: (response: ApiResponse) => T,
  ): Promise<RetryOutcome<Answered<T>>> {
    const again = call.method === 'GET' || call.id !== undefined ? 'always' : 'unsent';
    const attempt = async (left: number): Promise<Answered<T>> => {
      const begun = world.monotonic();
      const first = await sendOnce(call, token, left);
      const url = withSlash(first, call);
      const response =
        url === undefined
          ? first
          : await sendOnce({ ...call, url }, token, Math.max(1, left - (world.monotonic() - begun)));
      return response.status < 300 ? { ...response, value: read(response) } : response;
    };
    return withRetries(attempt, { retries, again, timeoutMs, world, log }, mayHelpToWait);
  }

  /** A fault about a token says what to do about the one that was sent. */
  async function withHint(fault: Fault): Promise<Fault> {
    const { hintAfterRefusal } = options;
    if (fault.kind !== 'auth' || fault.detail.code === UNSIGNED || hintAfterRefusal === undefined)
      return fault;
    return new Fault(fault.kind, fault.message, { ...fault.detail, hint: await hintAfterRefusal() });
  }

  return async (call, read) => {
    let token: string | undefined;
    const sent: string[] = [];
    let unreadable: ApiResponse | undefined;
    try {
      const known = await tokenFor(call);
      ({ token } = known);
      if (token !== undefined) sent.push(token);
      const readIt = (response: ApiResponse) => {
        unreadable = response;
        const value = read(response, (text) => redactSecrets(text, sent));
        unreadable = undefined;
        return value;
      };
      let outcome = await sendWithRetries(call, token, readIt);
      if (token !== undefined && 'reply' in outcome && outcome.reply.status === 401) {
        const other = checkedToken(await newTokenAfter(token));
        if (other !== undefined) {
          const { maybeReceived } = outcome;
          token = other;
          sent.push(other);
          outcome = await sendWithRetries(call, token, readIt);
          outcome.maybeReceived ||= maybeReceived;
        }
      }
      if ('reply' in outcome) {
        const { reply } = outcome;
        if (known.missing !== undefined && TOKEN_STATUS.has(reply.status)) throw known.missing;
        if ('value' in reply) return reply.value;
        if (call.anyStatus === true) return readIt(reply);
      }
      throw await withHint(failureOf(call, outcome, await secretsWith(sent)));
    } catch (error) {
      // Only what is read from a response has words of the service that could be the token.
      if (!(error instanceof Fault) || unreadable === undefined) throw error;
      const secrets = await secretsWith(sent);
      // Words of an earlier response may be in the Fault of a page that differs from it.
      const isEchoed = error instanceof TransportFault || holdsSecret(unreadable, secrets);
      throw isEchoed ? redactFault(error, secrets) : error;
    }
  };
}

/** The drift ratio to four digits. It must be a number: any other text could be the token, echoed. */
function ratioOf(header: string | undefined): number | undefined {
  if (header === undefined || !/^[01](\.\d{1,20})?$/.test(header)) return undefined;
  return Math.round(Number(header) * 10_000) / 10_000;
}

function bodyOf({ body, text, lines }: ApiCall): Uint8Array | undefined {
  if (lines !== undefined) return new TextEncoder().encode(lines);
  return body === undefined ? undefined : new TextEncoder().encode(text ?? JSON.stringify(body));
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

/** Throws for characters that are not visible ASCII, which could inject a header. */
function checkedToken(token: string | undefined): string | undefined {
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new Fault('usage', 'the token holds characters that cannot be sent in a header');
}

function late(url: URL, timeoutMs: number): Fault {
  const message = `${hostAndPort(url)}: no answer within ${timeoutMs / 1000} s`;
  return new TransportFault('network', message, true, { retryable: true });
}

/** Fault 'unconfirmed' where an event may have arrived without an acknowledgement: it cannot be said to have failed. */
function failureOf(call: ApiCall, outcome: RetryOutcome<ApiResponse>, secrets: readonly string[]): Fault {
  const fault = 'fault' in outcome ? outcome.fault : faultOfResponse(outcome.reply, call.url, secrets);
  const hint = fault.detail.mayBeForTls === true ? httpsHint(call.url) : undefined;
  if (hint !== undefined) fault.detail.hint ??= hint;
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
