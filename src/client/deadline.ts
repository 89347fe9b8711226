// A time limit as an AbortSignal: it aborts when the time is over or the run is aborted.

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

const watchers = new WeakMap<AbortSignal, { calls: Set<() => void>; stop(): void }>();

/**
 * Calls `call` when the signal aborts. Returns a function that stops this. All callers of one signal share one listener,
 * since a listener costs much more than a call.
 */
export function whenAborted(signal: AbortSignal, call: () => void): () => void {
  if (signal.aborted) call();
  let watching = watchers.get(signal);
  if (watching === undefined) {
    const calls = new Set<() => void>();
    const onAbort = (): void => {
      for (const each of calls) each();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    watching = {
      calls,
      stop: () => {
        signal.removeEventListener('abort', onAbort);
        watchers.delete(signal);
      },
    };
    watchers.set(signal, watching);
  }
  const { calls, stop } = watching;
  calls.add(call);
  return () => {
    if (calls.delete(call) && calls.size === 0) stop();
  };
}
