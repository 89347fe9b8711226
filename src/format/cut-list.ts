// `--max-rows`: a list with at most so many rows, whose summary says where it was cut.
import type { Envelope } from './json-output.ts';
import { pagesOf } from './rows.ts';

/** Returns the list. `onCut` is called where it has more rows; one more is read to know that. */
export function cutList<T>(list: Envelope<T>, maxRows: number, onCut: () => void): Envelope<T> {
  let shown = 0;
  let isCut = false;
  function* first(page: Iterable<T>): Generator<T> {
    for (const row of page) {
      if (shown === maxRows) {
        isCut = true;
        onCut();
        return;
      }
      shown += 1;
      yield row;
    }
  }
  async function* pages(): AsyncGenerator<Iterable<T>> {
    for await (const page of pagesOf(list.rows)) {
      yield first(page);
      if (isCut) return;
    }
  }
  const summary = (): Record<string, unknown> =>
    isCut ? { ...list.summary(), rows: shown, has_more: true, complete: false } : list.summary();
  // What a function says of a list that was not read to its end is about that, not about the list.
  const { status } = list;
  const statusOfPart = typeof status === 'function' ? () => (isCut ? undefined : status()) : status;
  return { ...list, rows: { pages: pages() }, status: statusOfPart, summary };
}
