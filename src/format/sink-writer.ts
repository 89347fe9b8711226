// Writes text from a generator to a stream: in large chunks, and at once where the generator waits for something.
import type { Sink } from '../world.ts';

const CHUNK_LENGTH = 32 * 1024;
/** Turns of the microtask queue in which a row that is in memory passes through a few generators. */
const MAX_MICROTASK_TURNS = 32;

/** Writes everything. Where the generator throws, it writes what came before and throws the same error. */
export async function writeToSink(pieces: AsyncIterable<string>, sink: Sink): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  let held = '';
  const flush = async (): Promise<void> => {
    const text = held;
    held = '';
    if (text !== '') await sink.write(text);
  };
  let isDone = false;
  try {
    while (!isDone) {
      if (held.length >= CHUNK_LENGTH) await flush();
      const next = iterator.next();
      if (held !== '' && !(await isSoon(next))) await flush();
      const { done, value } = await next.catch(async (error: unknown) => {
        isDone = true;
        await flush();
        throw error;
      });
      if (done === true) isDone = true;
      else held += value;
    }
    await flush();
  } finally {
    if (!isDone) await iterator.return?.();
  }
}

/** Returns whether a promise settles without waiting for anything outside of this process. */
export async function isSoon(promise: Promise<unknown>): Promise<boolean> {
  const seen = { settled: false };
  const settle = (): void => {
    seen.settled = true;
  };
  promise.then(settle, settle);
  for (let turn = 0; turn < MAX_MICROTASK_TURNS && !seen.settled; turn += 1) await Promise.resolve();
  return seen.settled;
}
