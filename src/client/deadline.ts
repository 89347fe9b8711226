// A time limit as an AbortSignal: it aborts when the time is over or the run is aborted.
import { whenAborted } from '../concurrency/when-aborted.ts';

/** A time limit on some work. */
export type Deadline = {
  readonly signal: AbortSignal;
  /** Removes the time limit, for example when the headers have come. The run can still abort. */
  lift(): void;
  /** Stops listening to the clock and the run. Call it when the work is done. */
  release(): void;
  /** Aborts the work, so that a body that nobody reads frees its connection. */
  cancel(): void;
};

/** Made once: to create a DOMException costs more than a small request. */
const GIVEN_UP = new Error('given up');

/** Returns a time limit of `ms` milliseconds. `late` makes the reason of the signal where the time is over. */
export function deadline(ms: number, run: AbortSignal, late: () => Error): Deadline {
  const controller = new AbortController();
  const clock = AbortSignal.timeout(Math.max(0, Math.ceil(ms)));
  const onClock = (): void => controller.abort(late());
  const lift = (): void => clock.removeEventListener('abort', onClock);
  clock.addEventListener('abort', onClock, { once: true });
  const ignore = whenAborted(run, () => controller.abort(run.reason));
  const release = (): void => {
    lift();
    ignore();
  };
  return {
    signal: controller.signal,
    lift,
    release,
    cancel: () => {
      release();
      controller.abort(GIVEN_UP);
    },
  };
}
