// A stream that keeps what it took, and checks that every write is waited for.
import type { Sink } from '../../src/world.ts';

export type FakeSink = Sink & { readonly text: string; readonly writes: string[] };

export function fakeSink({ isTTY = false, columns = undefined as number | undefined } = {}): FakeSink {
  const writes: string[] = [];
  let isBusy = false;
  return {
    isTTY,
    columns,
    writes,
    get text() {
      return writes.join('');
    },
    async write(chunk) {
      if (isBusy) throw new Error('a write was not awaited');
      isBusy = true;
      await new Promise((resolve) => setImmediate(resolve));
      isBusy = false;
      writes.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    },
  };
}
