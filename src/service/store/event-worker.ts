// Who applies queued events: a worker beside the requests of a process, or each request for itself where there is none.
import { setImmediate as turn } from 'node:timers/promises';
import type { Archive } from './archive.ts';
import { applyDue } from './events/queue.ts';
import { singleFlight } from '../../concurrency/single-flight.ts';

export type Worker = {
  /** There is something in the queue. */
  wake(): void;
  /** Resolves when the transaction that runs has ended. */
  stop(): Promise<void>;
};

/** How often the queue is looked at unasked: for what is tried again, and what a process left that was killed. */
const LOOK_MS = 1_000;
/** How long a worker steps back from other writers, and how often before it waits for its turn with them. */
const STEP_BACK_MS = 4;
const STEPS_BACK = 8;
/** How long events gather once all that was due is applied: under load each commit of ours would hold up one of theirs. */
const GATHER_MS = 50;

/**
 * Works on the queue of an archive until it is stopped; any number of processes may have one. `onFailure` is told of what
 * keeps it from that, and must not throw.
 */
export function startWorker(archive: Archive, onFailure: (error: unknown) => void = () => {}): Worker {
  const stopped = new AbortController();
  const { signal } = stopped;
  let rouse = (): void => {};
  let isWoken = true;

  const empty = async (): Promise<void> => {
    for (let steps = 0; !signal.aborted;) {
      const outcome = await applyDue(archive, steps < STEPS_BACK ? 'now' : 'in turn');
      if (outcome === 'none') return;
      steps = outcome === 'busy' ? steps + 1 : 0;
      // Requests come first.
      await (outcome === 'some' ? turn() : pause(outcome === 'busy' ? STEP_BACK_MS : GATHER_MS));
    }
  };
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      isWoken = false;
      try {
        await empty();
      } catch (error) {
        onFailure(error);
        await pause(LOOK_MS);
      }
      if (!isWoken && !signal.aborted) await new Promise<void>((resolve) => (rouse = resolve));
    }
  };
  const wake = (): void => {
    isWoken = true;
    rouse();
  };
  const look = async (): Promise<void> => {
    while (!signal.aborted) {
      await pause(LOOK_MS);
      wake();
    }
  };
  const ended = work();
  void look();
  return {
    wake,
    async stop() {
      stopped.abort();
      wake();
      await ended;
    },
  };
}

/** By the machine's own clock, whatever that of the archive is. */
function pause(ms: number): Promise<void> {
  const clock = AbortSignal.timeout(ms);
  return new Promise((resolve) => clock.addEventListener('abort', () => resolve(), { once: true }));
}

/**
 * Empties the queue as far as it is due. Those who ask while it is being emptied share the next time, which begins
 * after what they stored. Throws what says that the archive cannot serve now.
 */
export function createDrain(archive: Archive): () => Promise<void> {
  return singleFlight(async () => {
    while ((await applyDue(archive, 'in turn')) !== 'none');
  });
}
