// Reads the first rows of a list before any of them is printed.
import { pagesOf, type Rows } from './rows.ts';
import { isSoon } from './sink-writer.ts';

/** Rows that are read ahead at most. */
const MAX_ROWS_AHEAD = 100;

/**
 * Reads rows until they are enough or {@link MAX_ROWS_AHEAD}, or with `untilPause` until the next one has to be waited for. `all` yields
 * these and the rest; a row that cannot be read throws only when the rows
 * before it were yielded.
 */
export async function readAhead<T>(
  rows: Rows<T>,
  isEnough: (first: readonly T[]) => boolean,
  { untilPause }: { untilPause: boolean },
): Promise<{ first: T[]; all: { pages: AsyncGenerator<Iterable<T>> } }> {
  const source = pagesOf(rows);
  const first: T[] = [];
  /** The rest of the last page. */
  let rest: Iterator<T> | undefined;
  let failure: { error: unknown } | undefined;
  let isEnd = false;
  let pending: Promise<IteratorResult<Iterable<T>>> | undefined;
  try {
    while (!isEnd && (first.length === 0 || (first.length < MAX_ROWS_AHEAD && !isEnough(first)))) {
      const row = rest?.next();
      if (row !== undefined && row.done !== true) {
        first.push(row.value);
        continue;
      }
      pending = source.next();
      if (untilPause && first.length > 0 && !(await isSoon(pending))) break;
      const next = await pending;
      pending = undefined;
      if (next.done === true) isEnd = true;
      else rest = next.value[Symbol.iterator]();
    }
  } catch (error) {
    pending = undefined;
    failure = { error };
  }
  async function* pages(): AsyncGenerator<Iterable<T>> {
    try {
      yield first;
      if (failure !== undefined) throw failure.error;
      const left = rest;
      if (left !== undefined) yield { [Symbol.iterator]: () => left };
      while (!isEnd) {
        const next = await (pending ?? source.next());
        pending = undefined;
        if (next.done === true) isEnd = true;
        else yield next.value;
      }
    } finally {
      if (!isEnd) await source.return(undefined);
    }
  }
  return { first, all: { pages: pages() } };
}
