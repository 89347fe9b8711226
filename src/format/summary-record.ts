// The last record of `-o ndjson --summary`: how many rows there were, and whether these are all.
import type { Envelope } from './json-output.ts';

/** Returns the record. `isWhole`: the rows were read to their end; then `complete` is true, unless the list knows better. */
export function summaryRecord<T>(list: Envelope<T>, rows: number, isWhole: boolean): Record<string, unknown> {
  const status = typeof list.status === 'function' ? list.status() : list.status;
  return {
    type: 'summary',
    ...(status === undefined ? {} : { status }),
    ...list.extra,
    rows,
    complete: true,
    ...list.summary(),
    ...(isWhole ? {} : { complete: false }),
  };
}
