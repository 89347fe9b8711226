// Rows into a table of PostgreSQL by COPY in its binary form: integers, texts and bytes, which is all that our tables hold.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from } from 'pg-copy-streams';
import type { Value } from '../sql/database.ts';

/** Bytes handed over at once, if no single row has more. */
const PIECE_BYTES = 256 * 1024;

/** Adds rows of the same columns, in order, in the transaction that the connection is in. Throws the client's own errors. */
export async function copyRows(
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
): Promise<void> {
  // Nothing may be sent behind a copy, which a client that pipelines refuses therefore.
  const alone = Object.assign(client, { pipeline: false });
  try {
    const copying = alone.query(from(`COPY ${table} (${columns.join(',')}) FROM STDIN (FORMAT binary)`));
    await pipeline(Readable.from(pieces(rows), { objectMode: false }), copying);
  } finally {
    alone.pipeline = true;
  }
}

/** The signature, no flags and no extension; what ends the rows. */
const HEAD = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const END = Buffer.from([0xff, 0xff]);

function* pieces(rows: readonly (readonly Value[])[]): Generator<Buffer> {
  let held: Uint8Array[] = [HEAD];
  let bytes = 0;
  for (const values of rows) {
    const count = Buffer.alloc(2);
    count.writeInt16BE(values.length);
    held.push(count);
    for (const value of values) {
      const field = fieldOf(value);
      const length = Buffer.alloc(4);
      length.writeInt32BE(field?.byteLength ?? -1);
      held.push(length);
      if (field !== undefined) held.push(field);
      bytes += 4 + (field?.byteLength ?? 0);
    }
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
  }
  yield Buffer.concat([...held, END]);
}

/** All our integers are of eight bytes. */
function fieldOf(value: Value): Uint8Array | undefined {
  if (value === null) return undefined;
  if (typeof value === 'string') return Buffer.from(value);
  if (typeof value !== 'number') return value;
  const field = Buffer.alloc(8);
  field.writeBigInt64BE(BigInt(value));
  return field;
}
