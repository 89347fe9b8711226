// `--max-time`: a world whose signal is aborted when the run takes too long.
import { deadline } from '../client/deadline.ts';
import { Fault } from '../faults.ts';
import type { World } from '../world.ts';

/** Returns the world with a limit on the time of the whole run. Its signal is aborted with Fault 'network' then. */
export function withTimeLimit(world: World, seconds: number): World {
  const late = (): Fault =>
    new Fault('network', `not done within ${seconds} s`, { hint: '--max-time allows more' });
  const { signal } = deadline(seconds * 1000, world.signal, late);
  return {
    ...world,
    signal,
    stdin: { ...world.stdin, bytes: () => untilAborted(world.stdin.bytes(), signal) },
  };
}

/** Yields chunks. Throws the signal's reason as soon as it is aborted, also while the next chunk is awaited. */
async function* untilAborted(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]();
  const aborted = new Promise<never>((_, reject) => {
    const stop = (): void => reject(signal.reason as Fault);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  aborted.catch(() => {});
  for (;;) {
    const next = await Promise.race([source.next(), aborted]);
    if (next.done === true) return;
    yield next.value;
  }
}
