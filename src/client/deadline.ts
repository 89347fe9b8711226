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

/** `late` makes the reason the signal carries when `ms` milliseconds are over before it is lifted. */
export function deadline(ms: number, run: AbortSignal, late: () => Error): Deadline {
  const controller = new AbortController();
  const clock = AbortSignal.timeout(Math.max(0, Math.ceil(ms)));
  const onRun = (): void => controller.abort(run.reason);
  const onClock = (): void => controller.abort(late());
  const lift = (): void => clock.removeEventListener('abort', onClock);
  run.addEventListener('abort', onRun, { once: true });
  clock.addEventListener('abort', onClock, { once: true });
  if (run.aborted) onRun();
  const release = (): void => {
    lift();
    run.removeEventListener('abort', onRun);
  };
  return {
    signal: controller.signal,
    lift,
    release,
    cancel: () => {
      release();
      controller.abort();
    },
  };
}
