// From a generator of text to a stream that waits: in large pieces, but never later than the source itself waits.
import type { Sink } from '../world.ts';

const PIECE = 32 * 1024;
/** Turns of the microtask queue within which a row that is already in memory comes through a few generators. */
const TURNS = 32;

/** Ends when all is written. What the generator throws is thrown on after what came before is written. */
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
      if (held.length >= PIECE) await flush();
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

async function isSoon(promise: Promise<unknown>): Promise<boolean> {
  const seen = { settled: false };
  const settle = (): void => {
    seen.settled = true;
  };
  promise.then(settle, settle);
  for (let turn = 0; turn < TURNS && !seen.settled; turn += 1) await Promise.resolve();
  return seen.settled;
}
