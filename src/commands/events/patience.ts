// Sends again while the service cannot be reached or is busy, for a limited time: a restart or a failover passes.
import type { App } from '../../app.ts';
import type { ErrorCode } from '../../contract/error.ts';
import { Fault } from '../../faults.ts';

/** How long `arx events send` sends again, in seconds. A failover of a database takes up to a minute. */
export const DEFAULT_RETRY_S = 120;

/** Pause between two attempts. Each attempt makes the retries of the client. */
const PAUSE_MS = 1_000;

/** Repeats an attempt that fails for a while. All requests of a run share it. */
export type Patience = <T>(attempt: () => Promise<T>) => Promise<T>;

/**
 * Returns a function that repeats an attempt whose Fault may pass, until `seconds` have passed since the last success of any
 * attempt. Then it throws the last Fault. The first Fault of an outage is written to stderr.
 */
export function createPatience(seconds: number, { world, notice }: Pick<App, 'world' | 'notice'>): Patience {
  let failingSince: number | undefined;
  return async (attempt) => {
    for (let pausedMs = 0; ; pausedMs += PAUSE_MS) {
      try {
        const result = await attempt();
        failingSince = undefined;
        return result;
      } catch (error) {
        if (seconds === 0 || !mayPass(error)) throw error;
        const now = world.monotonic();
        if (failingSince === undefined) notice(`${error.message}; sending again for up to ${seconds} s`);
        failingSince ??= now;
        // The clock may stand still while the machine sleeps, so pauses count too.
        const passedMs = Math.max(now - failingSince, pausedMs);
        if (passedMs >= seconds * 1_000) {
          const passed = Math.round(passedMs / 1_000);
          throw new Fault(error.kind, `${error.message}; gave up after ${passed} s`, error.detail);
        }
      }
      await world.sleep(PAUSE_MS, world.signal);
    }
  };
}

function mayPass(error: unknown): error is Fault {
  return (
    error instanceof Fault &&
    error.detail.retryable === true &&
    // A service that only reads stays so.
    error.detail.code !== ('read_only' satisfies ErrorCode) &&
    ['network', 'busy', 'unconfirmed'].includes(error.kind)
  );
}
