// Encodes lists and records as JSON documents, while their rows arrive.
import { textOfRows, type Rows } from './rows.ts';

/** Returns a value as JSON text. `depth` is its depth in the document, for the indent. */
export type EncodeJson = (value: unknown, depth: number) => string;

/** A list with what its document says about it. */
export type Envelope<T> = {
  rows: Rows<T>;
  /** A function where the status is known only after the rows. */
  status?: string | undefined | (() => string | undefined);
  /** Called with each row that is printed: `--max-rows` reads one more, to know whether there is one. */
  onPrinted?(row: T): void;
  /** Rows come slowly, and people want to see each one as it comes: no pager. */
  isLive?: boolean;
  /** All rows were asked for: people see the summary on their terminal although the rows go elsewhere. */
  isAll?: boolean;
  /** Read after the rows. */
  summary(): Record<string, unknown>;
  /** Further fields of the document, read after the rows. */
  extra?: Record<string, unknown> | undefined;
};

/**
 * Yields `{"status", "data": […], …extra, "summary"}` in chunks. Where the rows throw before the first row, nothing is
 * yielded. Where they throw later, the document is closed with `summary.complete: false` before the error is thrown.
 */
export async function* jsonDocument<T>(
  list: Envelope<T>,
  pick: (row: T) => unknown,
  { encode, pretty }: { encode: EncodeJson; pretty: boolean },
): AsyncGenerator<string> {
  const [line, inner, colon] = pretty ? ['\n  ', '\n    ', ': '] : ['', '', ':'];
  const field = (key: string, value: unknown): string =>
    `${line}${encode(key, 1)}${colon}${encode(value, 1)}`;
  const { status } = list;
  const early = typeof status === 'string' ? `${field('status', status)},` : '';
  const head = `{${early}${line}"data"${colon}[`;
  const tail = (summary: Record<string, unknown>): string => {
    const late = typeof status === 'function' ? status() : undefined;
    const rest = { ...(late === undefined ? {} : { status: late }), ...list.extra, summary };
    const fields = Object.entries(rest).map(([key, value]) => field(key, value));
    return `],${fields.join(',')}${pretty ? '\n' : ''}}\n`;
  };
  let rows = 0;
  const item = (row: T): string => {
    const text = `${rows === 0 ? head : ','}${inner}${encode(pick(row), 2)}`;
    rows += 1;
    return text;
  };
  try {
    yield* textOfRows(list.rows, item);
  } catch (error) {
    if (rows > 0) yield `${line}${tail({ ...list.summary(), complete: false })}`;
    throw error;
  }
  yield `${rows === 0 ? head : line}${tail(list.summary())}`;
}

/** Yields a record as JSON with a final newline. Its lists are encoded item by item, since they may be long. */
export async function* jsonRecord(
  record: object,
  { encode, pretty }: { encode: EncodeJson; pretty: boolean },
): AsyncGenerator<string> {
  const [line, inner, colon] = pretty ? ['\n  ', '\n    ', ': '] : ['', '', ':'];
  let before = '{';
  for (const [key, value] of Object.entries(record)) {
    if (value === undefined) continue;
    yield `${before}${line}${encode(key, 1)}${colon}`;
    before = ',';
    const list: unknown[] = Array.isArray(value) ? value : [];
    let lead = '[';
    yield* textOfRows(list, (item) => {
      const text = `${lead}${inner}${encode(item, 2)}`;
      lead = ',';
      return text;
    });
    yield list.length > 0 ? `${line}]` : encode(value, 1);
  }
  yield before === '{' ? '{}\n' : `${pretty ? '\n' : ''}}\n`;
}
