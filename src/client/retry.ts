// The retry policy: which failures are retried, after which pause, and how often.
import type { World } from '../world.ts';
import { Fault } from '../faults.ts';
import { parseHttpDate } from './response.ts';
import { TransportFault } from './transport.ts';

/** Longest Retry-After that is waited for, in milliseconds. A longer one makes the service count as busy. */
export const MAX_RETRY_AFTER_MS = 60_000;
/** A longer Retry-After counts as this one. */
const MAX_RETRY_AFTER_SECONDS = 9_999_999_999;
/** Larger numbers are instants in seconds since 1970: this is the year 2001. */
const FIRST_INSTANT_SECONDS = 1e9;
const INITIAL_BACKOFF_MS = 250;
const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** How a request is retried. */
export type RetryOptions = {
  /** How many tries may follow the first one. */
  retries: number;
  /** `always`: the request may reach the service twice. `unsent`: retry only where the service received nothing. */
  again: 'always' | 'unsent';
  /** Time to wait for the service in all tries together, without the pauses, in milliseconds. */
  timeoutMs: number;
  world: Pick<World, 'now' | 'monotonic' | 'sleep' | 'randomBytes' | 'signal'>;
  log?: ((line: string) => void) | undefined;
};

/** Whether a request may be tried again after this response, whatever its status says. */
export type MayRetry<R> = (reply: R) => boolean;

/**
 * `maybeReceived`: some try got no response, but the service may have received the request. `asked` is a Retry-After in
 * seconds that was too long to wait for.
 */
export type RetryOutcome<R> = ({ reply: R } | { fault: Fault }) & {
  tries: number;
  maybeReceived: boolean;
  asked?: number;
};

/**
 * Runs `attempt(remainingMs, answered)` until it succeeds or no try is left. An attempt that goes on to read a long body
 * calls `answered` when the response has begun: from there on its time does not count, and the next try has all of
 * `timeoutMs` again. `mayRetry` is asked about each response. Throws only what is not a Fault, and the reason of an aborted run.
 */
export async function withRetries<R extends { status: number; headers: Record<string, string> }>(
  attempt: (remainingMs: number, answered: () => void) => Promise<R>,
  options: RetryOptions,
  mayRetry: MayRetry<R> = () => true,
): Promise<RetryOutcome<R>> {
  const { retries, again, timeoutMs, world, log } = options;
  let left = timeoutMs;
  let maybeReceived = false;
  for (let tries = 1; ; tries += 1) {
    const begun = world.monotonic();
    let isAnswered = false;
    const answered = (): void => {
      isAnswered = true;
      left = timeoutMs;
    };
    const result = await attempt(left, answered).then(
      (reply) => ({ reply }),
      (error: unknown) => {
        world.signal.throwIfAborted();
        if (error instanceof Fault) return { fault: error };
        throw error;
      },
    );
    if (!isAnswered) left -= world.monotonic() - begun;
    if ('fault' in result) maybeReceived ||= result.fault instanceof TransportFault && result.fault.sent;
    const isFinal = 'reply' in result && !mayRetry(result.reply);
    const why = isFinal ? undefined : reasonToRetry(result, again);
    if (why === undefined || tries > retries || left <= 0)
      return { ...result, tries, maybeReceived: maybeReceived };
    const asked = 'reply' in result ? retryAfterMs(result.reply.headers, world.now()) : undefined;
    if (asked !== undefined && asked > MAX_RETRY_AFTER_MS) {
      return { ...result, tries, maybeReceived: maybeReceived, asked: Math.round(asked / 1000) };
    }
    const pause = asked ?? backoffMs(tries, (world.randomBytes(1)[0] ?? 0) / 256);
    log?.(`attempt ${tries + 1} of ${retries + 1} after ${why}, waiting ${(pause / 1000).toFixed(1)} s`);
    await world.sleep(pause, world.signal);
  }
}

/** Returns the reason for the log, undefined where another try is not allowed or cannot help. */
function reasonToRetry(
  result: { reply: { status: number } } | { fault: Fault },
  again: 'always' | 'unsent',
): string | undefined {
  if ('reply' in result) {
    const { status } = result.reply;
    return again === 'always' && RETRIED_STATUSES.has(status) ? String(status) : undefined;
  }
  const { fault } = result;
  if (fault.kind !== 'network' || fault.detail.retryable === false) return undefined;
  const unsent = fault instanceof TransportFault && !fault.sent;
  return again === 'always' || unsent ? fault.message : undefined;
}

/** Returns the fault with the number of tries, and the Retry-After that was too long, in its message. */
export function withTryCount(fault: Fault, { tries, asked }: { tries: number; asked?: number }): Fault {
  const count = tries === 1 ? '' : ` (after ${tries} tries)`;
  const asks = asked === undefined ? '' : `; the server asks to wait ${asked} s`;
  return count + asks === '' ? fault : new Fault(fault.kind, fault.message + asks + count, fault.detail);
}

/**
 * Returns the pause before the next try in milliseconds: 250, doubled with every try. `random` (0 to 1) takes off up to a
 * half, so that many clients do not retry at the same moment.
 */
export function backoffMs(tries: number, random: number): number {
  return INITIAL_BACKOFF_MS * 2 ** (tries - 1) * (1 - random / 2);
}

/**
 * Returns the milliseconds that Retry-After asks to wait. It is seconds, or a date by the service's own clock (its Date
 * header). Without one, a rate limit that is used up is waited for. Undefined where it is missing, invalid or in the past.
 */
export function retryAfterMs(headers: Record<string, string>, now: number): number | undefined {
  const text = headers['retry-after']?.trim();
  if (text !== undefined && /^\d+$/.test(text)) return Math.min(Number(text), MAX_RETRY_AFTER_SECONDS) * 1000;
  const clock = parseHttpDate(headers['date']) ?? now;
  const at = text === undefined ? resetOf(headers, clock) : parseHttpDate(text);
  return at !== undefined && at > clock ? at - clock : undefined;
}

/** Returns when a rate limit that is used up is reset, in milliseconds since 1970. Services name the seconds from now, or those since 1970. */
function resetOf(headers: Record<string, string>, clock: number): number | undefined {
  const named = ['ratelimit', 'x-ratelimit'].map((name) => [
    headers[`${name}-remaining`],
    headers[`${name}-reset`],
  ]);
  const policy = /\br=0\s*;\s*t=(\d+)/.exec(headers['ratelimit'] ?? '');
  const text = policy?.[1] ?? named.find(([remaining]) => remaining === '0')?.[1];
  if (text === undefined || !/^\d{1,12}$/.test(text)) return undefined;
  const seconds = Number(text);
  return seconds < FIRST_INSTANT_SECONDS ? clock + seconds * 1000 : seconds * 1000;
}
