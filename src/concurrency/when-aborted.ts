// Many calls that wait for one signal.

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
