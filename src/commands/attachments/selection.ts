// The rows that a pull is asked for, read ahead of their use.
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { isPullable } from '../../contract/attachment-file.ts';
import { Fault } from '../../faults.ts';
import { readAhead } from '../../concurrency/read-ahead.ts';
import { exactRows } from '../exact-rows.ts';
import { filterQuery, matches, type Filter } from './filter.ts';

export type Selection = {
  /** Once. `seen` is told of each row of each page as it comes, long before it is known to be of the list. */
  rows(seen?: (row: Attachment) => void): AsyncGenerator<Attachment>;
  /** Known after the last row: why these may not be all, where nothing proves it. */
  fault(): Fault | undefined;
  /** What is known of the whole so far; sums are of the files that may come, `isAll` once no more rows can be told. */
  known: { files: number; bytes: number; unsized: number; isAll: boolean };
};

/** So many rows of a long list are held, and what is left to do is known that early. */
const ROWS_AHEAD = 10_000;

export async function select(input: Filter & { ids: string[] }, app: App): Promise<Selection> {
  const client = await app.client();
  const known = { files: 0, bytes: 0, unsized: 0, isAll: false };
  let onSeen: ((row: Attachment) => void) | undefined;
  const listing = exactRows(
    async (window) => {
      const { body } = await client.attachments({ ...filterQuery(input), ...window });
      if (onSeen !== undefined) for (const row of body.data) if (matches(input, row)) onSeen(row);
      return body;
    },
    (row) => row.id,
    app,
  );
  async function* named(): AsyncGenerator<Attachment> {
    // Named twice it is still one.
    for (const id of new Set(input.ids)) {
      try {
        yield (await client.attachment(id)).body;
      } catch (error) {
        if (!(error instanceof Fault) || error.kind !== 'not_found') throw error;
        app.fail(error);
      }
    }
  }
  async function* asked(): AsyncGenerator<Attachment> {
    for await (const row of listing.rows) if (matches(input, row)) yield row;
  }
  async function* counted(rows: AsyncIterable<Attachment>): AsyncGenerator<Attachment> {
    for await (const row of rows) {
      if (isPullable(row)) {
        known.files += 1;
        known.bytes += row.bytes ?? 0;
        if (row.bytes === undefined) known.unsized += 1;
      }
      yield row;
    }
    known.isAll = true;
  }
  const isNamed = input.ids.length > 0;
  return {
    rows: (seen) => {
      onSeen = seen;
      return readAhead(counted(isNamed ? named() : asked()), ROWS_AHEAD);
    },
    fault: () => (isNamed ? undefined : listing.fault()),
    known,
  };
}
