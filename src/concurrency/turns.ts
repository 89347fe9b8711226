// Turns of the event loop for long work that waits for nothing outside of this process.
import { hrtime } from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Signals, timers and progress are late by this many milliseconds at most, and by one piece of work. */
const TURN_MS = 50;

/**
 * Returns a function to be called between pieces of work. After this many milliseconds without a turn of the event loop it waits for
 * one: otherwise signals, timers and progress would wait for the end of the work.
 */
export function createTurns(now = nowMs): () => Promise<void> {
  let turnedAt = now();
  return async () => {
    if (now() - turnedAt <= TURN_MS) return;
    await nextTurn();
    turnedAt = now();
  };
}

/** The clock of `performance.now()`, which would load node:perf_hooks in each command that reads the local archive. */
function nowMs(): number {
  const [seconds, nanoseconds] = hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
