// Rows of a list on their way to the output: those that arrive together are passed on together.

/** Rows of a list. Pages are read once, each before the next one is asked for. */
export type Rows<T> = Iterable<T> | AsyncIterable<T> | { pages: AsyncIterable<Iterable<T>> };

/** Yields the rows in groups that arrived together. A step of an asynchronous iterator takes longer than to print a row. */
export async function* pagesOf<T>(rows: Rows<T>): AsyncGenerator<Iterable<T>> {
  if ('pages' in rows) yield* rows.pages;
  else if (Symbol.asyncIterator in rows) for await (const row of rows) yield [row];
  else yield rows;
}

/** Returns the same rows; each is passed to `change` when it is read, and what that returns takes its place. */
export function mapRows<T, U>(rows: Rows<T>, change: (row: T) => U): { pages: AsyncIterable<Iterable<U>> } {
  function* mapped(page: Iterable<T>): Generator<U> {
    for (const row of page) yield change(row);
  }
  async function* pages(): AsyncGenerator<Iterable<U>> {
    for await (const page of pagesOf(rows)) yield mapped(page);
  }
  return { pages: pages() };
}

const CHUNK_LENGTH = 16 * 1024;

/** Yields the text of the rows in pieces. Where a row throws, the text of the rows before it is yielded first. */
export async function* textOfRows<T>(rows: Rows<T>, encode: (row: T) => string): AsyncGenerator<string> {
  for await (const page of pagesOf(rows)) {
    let text = '';
    try {
      for (const row of page) {
        text += encode(row);
        if (text.length < CHUNK_LENGTH) continue;
        yield text;
        text = '';
      }
    } catch (error) {
      if (text !== '') yield text;
      throw error;
    }
    if (text !== '') yield text;
  }
}
