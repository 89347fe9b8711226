// Applies queued events: a worker in the background of a process, or each request for itself where there is no worker.
import { setImmediate as endOfTick } from 'node:timers/promises';
import { singleFlight } from '../../concurrency/single-flight.ts';
import type { Archive } from './archive.ts';
import { applyDue } from './events/queue.ts';

/** The worker that applies queued events in the background. */
export type EventWorker = {
  /** Tells that events were stored. */
  wake(): void;
  /** Stops the worker. Resolves when its current transaction has ended. */
  stop(): Promise<void>;
};

/** How often the queue is read without a wake: for events to retry, and those that a killed process left. */
const POLL_INTERVAL_MS = 1_000;
/** Pause when another writer is active. After this many pauses the worker queues for the lock. */
const BUSY_PAUSE_MS = 4;
const MAX_BUSY_PAUSES = 8;
/** How long events gather after the queue was emptied: under load each commit of the worker delays a commit of a request. */
const GATHER_MS = 50;

/**
 * Starts a worker on the queue of an archive. Any number of processes may have one. `onFailure` is called with an error
 * that keeps the worker from its work, which it then tries again; `onFailure` must not throw.
 */
export function startWorker(archive: Archive, onFailure: (error: unknown) => void = () => {}): EventWorker {
  const stopped = new AbortController();
  const { signal } = stopped;
  let endWait = (): void => {};
  let isWoken = true;

  const emptyQueue = async (): Promise<void> => {
    for (let busyPauses = 0; !signal.aborted;) {
      const outcome = await applyDue(archive, busyPauses < MAX_BUSY_PAUSES ? 'now' : 'in turn');
      if (outcome === 'none') return;
      busyPauses = outcome === 'busy' ? busyPauses + 1 : 0;
      // Requests that wait are handled first.
      await (outcome === 'some'
        ? endOfTick()
        : pause(outcome === 'busy' ? BUSY_PAUSE_MS : GATHER_MS, signal));
    }
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      isWoken = false;
      try {
        await emptyQueue();
      } catch (error) {
        onFailure(error);
        await pause(POLL_INTERVAL_MS, signal);
      }
      if (!isWoken && !signal.aborted) await new Promise<void>((resolve) => (endWait = resolve));
    }
  };
  const wake = (): void => {
    isWoken = true;
    endWait();
  };
  const poll = async (): Promise<void> => {
    while (!signal.aborted) {
      await pause(POLL_INTERVAL_MS, signal);
      wake();
    }
  };
  const ended = run();
  void poll();
  return {
    wake,
    async stop() {
      stopped.abort();
      wake();
      await ended;
    },
  };
}

/**
 * Waits by the clock of the machine, also where the archive has another clock (in tests), until the worker is stopped. This clock
 * keeps no process running: one that waited for it in `stop` would end before.
 */
export function pause(ms: number, stopped: AbortSignal): Promise<void> {
  const clock = AbortSignal.timeout(ms);
  return new Promise((resolve) => {
    const end = (): void => {
      for (const signal of [clock, stopped]) signal.removeEventListener('abort', end);
      resolve();
    };
    for (const signal of [clock, stopped]) signal.addEventListener('abort', end);
    if (stopped.aborted) end();
  });
}

/**
 * Returns a function that applies all events that are due. Calls during a run share the next run, which begins after
 * what they stored. Throws what keeps the archive from being written.
 */
export function createDrain(archive: Archive): () => Promise<void> {
  return singleFlight(async () => {
    while ((await applyDue(archive, 'in turn')) !== 'none');
  });
}
