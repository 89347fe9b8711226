// Inserts rows into PostgreSQL by COPY in binary form, for the types that our tables use: integers, text and bytes.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from } from 'pg-copy-streams';
import type { Value } from '../sql/database.ts';

/** Bytes that are passed on at once. A larger row is passed on whole. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Inserts rows in order, in the transaction of the connection. The values of a row stand in the order of `columns`.
 * Throws the errors of the client.
 */
export async function copyRows(
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
): Promise<void> {
  // Nothing may follow a COPY on the connection, so a client that pipelines refuses one.
  const alone = Object.assign(client, { pipeline: false });
  try {
    const copying = alone.query(from(`COPY ${table} (${columns.join(',')}) FROM STDIN (FORMAT binary)`));
    await pipeline(Readable.from(chunksOf(rows), { objectMode: false }), copying);
  } finally {
    alone.pipeline = true;
  }
}

/** The signature, then flags and the length of an extension, both 0. */
const HEADER = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const TRAILER = Buffer.from([0xff, 0xff]);

function* chunksOf(rows: readonly (readonly Value[])[]): Generator<Buffer> {
  let pending: Uint8Array[] = [HEADER];
  let bytes = 0;
  for (const values of rows) {
    const count = Buffer.alloc(2);
    count.writeInt16BE(values.length);
    pending.push(count);
    for (const value of values) {
      const field = fieldOf(value);
      const length = Buffer.alloc(4);
      length.writeInt32BE(field?.byteLength ?? -1);
      pending.push(length);
      if (field !== undefined) pending.push(field);
      bytes += 4 + (field?.byteLength ?? 0);
    }
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(pending);
    pending = [];
    bytes = 0;
  }
  yield Buffer.concat([...pending, TRAILER]);
}

/** Returns the bytes of a value, undefined for null. All our integers are BIGINT. */
function fieldOf(value: Value): Uint8Array | undefined {
  if (value === null) return undefined;
  if (typeof value === 'string') return Buffer.from(value);
  if (typeof value !== 'number') return value;
  const field = Buffer.alloc(8);
  field.writeBigInt64BE(BigInt(value));
  return field;
}
