// A time limit as a signal: aborts when the run does, or when the time is over.

export type Deadline = {
  readonly signal: AbortSignal;
  /** Lifts the limit, e.g. when the headers have come; the run's own signal still counts. */
  lift(): void;
  /** Ends all watching; to be called when the work is over. */
  release(): void;
  /** Gives the work up, so that a body nobody will read frees its connection. */
  cancel(): void;
};

/** Made once: a DOMException costs more than a small request. */
const GIVEN_UP = new Error('given up');

/** `late` makes the reason the signal carries when `ms` milliseconds are over before it is lifted. */
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

/** One listener for all that watch a signal at the same time: each costs more than a call. Gives the way to stop. */
function whenAborted(signal: AbortSignal, call: () => void): () => void {
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
