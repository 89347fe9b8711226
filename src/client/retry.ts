// When a request is tried again, after how long, and when no more: a pure policy and the loop over it.
import type { World } from '../world.ts';
import { Fault } from '../faults.ts';
import { parseHttpDate } from './response.ts';
import { TransportFault } from './transport.ts';

/** Longest pause a service can ask for before it counts as busy, in milliseconds (faults.md A22). */
export const MAX_RETRY_AFTER_MS = 60_000;
const INITIAL_BACKOFF_MS = 250;
const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

export type RetryOptions = {
  /** Tries after the first. */
  retries: number;
  /** `always` for what may reach the service twice; `unsent` only where the service surely saw nothing. */
  again: 'always' | 'unsent';
  /** Time for waiting on the service over all tries together, pauses not counted, in milliseconds. */
  timeoutMs: number;
  world: Pick<World, 'now' | 'monotonic' | 'sleep' | 'randomBytes' | 'signal'>;
  log?: ((line: string) => void) | undefined;
};

/** `doubtful`: some try may have reached the service without an answer. `asked` is the pause in seconds that was too long. */
export type RetryOutcome<R> = ({ reply: R } | { fault: Fault }) & {
  tries: number;
  maybeReceived: boolean;
  asked?: number;
};

/**
 * Runs `attempt(remainingMs, answered)` until it succeeds or no try is left. An attempt that goes on to read a long body
 * calls `answered` when the response has begun: from there on its time does not count, and the next try has all of
 * `timeoutMs` again. Throws only what is not a Fault, or the run's own end.
 */
export async function withRetries<R extends { status: number; headers: Record<string, string> }>(
  attempt: (remainingMs: number, answered: () => void) => Promise<R>,
  options: RetryOptions,
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
    const why = reasonToRetry(result, again);
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

/** The word for the log, undefined where another try must not or cannot help. */
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

/** The fault, saying how often it was tried and why no more. */
export function withTryCount(fault: Fault, { tries, asked }: { tries: number; asked?: number }): Fault {
  const count = tries === 1 ? '' : ` (after ${tries} tries)`;
  const asks = asked === undefined ? '' : `; server asks to wait ${asked} s`;
  return count + asks === '' ? fault : new Fault(fault.kind, fault.message + asks + count, fault.detail);
}

/** 0.25 s doubled with every try, less up to half by chance (`random` 0 to 1) so that clients do not march in step. */
export function backoffMs(tries: number, random: number): number {
  return INITIAL_BACKOFF_MS * 2 ** (tries - 1) * (1 - random / 2);
}

/** Milliseconds a Retry-After asks for: seconds, or a date read against the service's own clock. Nonsense and the past: undefined. */
export function retryAfterMs(headers: Record<string, string>, now: number): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  const at = parseHttpDate(text);
  if (at === undefined) return undefined;
  const wait = at - (parseHttpDate(headers['date']) ?? now);
  return wait > 0 ? wait : undefined;
}
