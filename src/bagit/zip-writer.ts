// Writes a zip file of any size, entry by entry. Only the directory record of each entry stays in memory.
import { crc32, createDeflateRaw } from 'node:zlib';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Writes one zip file, one entry after the other. End it with {@link ZipWriter.end}. */
export type ZipWriter = {
  /** Adds an entry; await each call before the next. Errors of `bytes` pass; then no more can be added. */
  add(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Writes the directory. */
  end(): Promise<void>;
};

/** Limits of the 32-bit and 16-bit fields; larger values go into zip64 fields (APPNOTE 4.5.3). */
const MAX_UINT32 = 0xffffffff;
const MAX_ENTRIES_32 = 0xffff;
const STORED = 0;
const DEFLATED = 8;
/** Bit 11: names are in UTF-8 (APPNOTE 4.4.4). */
const FLAGS = 0x0800;
/** Unix, version 4.5 of the format. */
const MADE_BY = (3 << 8) | 45;
/** A regular file with mode 644. */
const ATTRIBUTES = 0o100644 * 0x10000;
/** Directory records are joined by the thousand: many small buffers need more memory than their content. */
const RECORDS_PER_BUFFER = 1000;
/** Small entries are collected into writes of this size. */
const WRITE_BYTES = 256 * 1024;

/**
 * Returns a writer. `write` writes bytes at an offset of the file. An entry that comes as one chunk is stored, others are
 * compressed. `modified` is the time of all entries, in milliseconds since the epoch.
 */
export function createZipWriter(
  write: (bytes: Uint8Array, at: number) => Promise<void>,
  modified: number,
): ZipWriter {
  const directory: Buffer[] = [];
  let records: Buffer[] = [];
  const time = dosTime(modified);
  const stamp = timestamp(modified);
  let count = 0;
  let at = 0;

  const buffer = Buffer.allocUnsafeSlow(WRITE_BYTES);
  let filled = 0;
  const flush = async (): Promise<void> => {
    if (filled > 0) await write(buffer.subarray(0, filled), at - filled);
    filled = 0;
  };
  const put = async (bytes: Uint8Array): Promise<void> => {
    if (filled + bytes.length > WRITE_BYTES) await flush();
    if (bytes.length > WRITE_BYTES) await write(bytes, at);
    else {
      buffer.set(bytes, filled);
      filled += bytes.length;
    }
    at += bytes.length;
  };
  return {
    async add(name, bytes) {
      const text = Buffer.from(name);
      const start = at;
      const { whole, rest } = await readIfWhole(bytes);
      const isWhole = whole !== undefined;
      const head = (size: number, packed: number, sum: number): Buffer => {
        // The size of a stream is not known here, so it always has the zip64 field.
        const wide = isWhole ? Buffer.alloc(0) : wideField([size, packed]);
        const fields = Buffer.alloc(30);
        fields.writeUInt32LE(0x04034b50, 0);
        fields.writeUInt16LE(isWhole ? 20 : 45, 4);
        fields.writeUInt16LE(FLAGS, 6);
        fields.writeUInt16LE(isWhole ? STORED : DEFLATED, 8);
        fields.writeUInt32LE(time, 10);
        fields.writeUInt32LE(sum, 14);
        fields.writeUInt32LE(isWhole ? packed : MAX_UINT32, 18);
        fields.writeUInt32LE(isWhole ? size : MAX_UINT32, 22);
        fields.writeUInt16LE(text.length, 26);
        fields.writeUInt16LE(wide.length + stamp.length, 28);
        return Buffer.concat([fields, text, wide, stamp]);
      };
      let size = whole?.length ?? 0;
      let sum = isWhole ? crc32(whole) : 0;
      if (isWhole) {
        await put(head(size, size, sum));
        await put(whole);
      } else {
        await flush();
        at += head(0, 0, 0).length;
        const counted = async function* (): AsyncGenerator<Uint8Array> {
          for await (const piece of rest) {
            size += piece.length;
            sum = crc32(piece, sum);
            yield piece;
          }
        };
        let failure: unknown;
        await pipeline(
          Readable.from(counted(), { objectMode: false }),
          createDeflateRaw(),
          async (packed) => {
            for await (const piece of packed)
              await put(piece as Buffer).catch((error: unknown) => {
                throw (failure = error);
              });
          },
        ).catch((error: unknown) => {
          // After a failed write the error of the pipeline is that its streams were ended.
          throw failure ?? error;
        });
      }
      const packed = isWhole ? size : at - start - head(0, 0, 0).length;
      if (!isWhole) await write(head(size, packed, sum), start);
      records.push(record({ text, isWhole, size, packed, sum, start, time, stamp }));
      count += 1;
      if (records.length < RECORDS_PER_BUFFER) return;
      directory.push(Buffer.concat(records));
      records = [];
    },
    async end() {
      const start = at;
      for (const part of [...directory, ...records]) await put(part);
      await put(ending(count, start, at));
      await flush();
    },
  };
}

type Entry = {
  text: Buffer;
  isWhole: boolean;
  size: number;
  packed: number;
  sum: number;
  start: number;
  time: number;
  stamp: Buffer;
};

function record({ text, isWhole, size, packed, sum, start, time, stamp }: Entry): Buffer {
  const wide = wideField([size, packed, start].filter((value) => value >= MAX_UINT32));
  const fields = Buffer.alloc(46);
  fields.writeUInt32LE(0x02014b50, 0);
  fields.writeUInt16LE(MADE_BY, 4);
  fields.writeUInt16LE(isWhole && wide.length === 0 ? 20 : 45, 6);
  fields.writeUInt16LE(FLAGS, 8);
  fields.writeUInt16LE(isWhole ? STORED : DEFLATED, 10);
  fields.writeUInt32LE(time, 12);
  fields.writeUInt32LE(sum, 16);
  fields.writeUInt32LE(Math.min(packed, MAX_UINT32), 20);
  fields.writeUInt32LE(Math.min(size, MAX_UINT32), 24);
  fields.writeUInt16LE(text.length, 28);
  fields.writeUInt16LE(wide.length + stamp.length, 30);
  fields.writeUInt32LE(ATTRIBUTES, 38);
  fields.writeUInt32LE(Math.min(start, MAX_UINT32), 42);
  return Buffer.concat([fields, text, wide, stamp]);
}

/** Returns the end records of the directory from `start` to `end`, with the zip64 ones if a number needs them. */
function ending(count: number, start: number, end: number): Buffer {
  const isWide = count >= MAX_ENTRIES_32 || start >= MAX_UINT32 || end - start >= MAX_UINT32;
  const wide = Buffer.alloc(isWide ? 76 : 0);
  if (isWide) {
    wide.writeUInt32LE(0x06064b50, 0);
    wide.writeBigUInt64LE(44n, 4);
    wide.writeUInt16LE(MADE_BY, 12);
    wide.writeUInt16LE(45, 14);
    for (const [at, value] of [count, count, end - start, start].entries())
      wide.writeBigUInt64LE(BigInt(value), 24 + 8 * at);
    wide.writeUInt32LE(0x07064b50, 56);
    wide.writeBigUInt64LE(BigInt(end), 64);
    wide.writeUInt32LE(1, 72);
  }
  const fields = Buffer.alloc(22);
  fields.writeUInt32LE(0x06054b50, 0);
  fields.writeUInt16LE(Math.min(count, MAX_ENTRIES_32), 8);
  fields.writeUInt16LE(Math.min(count, MAX_ENTRIES_32), 10);
  fields.writeUInt32LE(Math.min(end - start, MAX_UINT32), 12);
  fields.writeUInt32LE(Math.min(start, MAX_UINT32), 16);
  return Buffer.concat([wide, fields]);
}

/** Returns the extra field of zip64; empty for no values. */
function wideField(values: readonly number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0);
  const field = Buffer.alloc(4 + 8 * values.length);
  field.writeUInt16LE(0x0001, 0);
  field.writeUInt16LE(8 * values.length, 2);
  for (const [at, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + 8 * at);
  return field;
}

/** Returns the extra field of Info-ZIP with seconds since the epoch: the time of a zip entry has no time zone. */
function timestamp(ms: number): Buffer {
  const field = Buffer.alloc(9);
  field.writeUInt16LE(0x5455, 0);
  field.writeUInt16LE(5, 2);
  field.writeUInt8(1, 4);
  field.writeInt32LE(Math.floor(ms / 1000) | 0, 5);
  return field;
}

/** Returns the date in the upper 16 bits and the time in the lower, in UTC. The earliest date is 1980. */
function dosTime(ms: number): number {
  const at = new Date(Math.max(ms, Date.UTC(1980, 0)));
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return ((date << 16) | time) >>> 0;
}

/** Returns the bytes as `whole` if they come as one chunk, else `rest` yields all of them. */
async function readIfWhole(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ whole: Uint8Array | undefined; rest: AsyncIterable<Uint8Array> }> {
  const pieces = bytes[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done === true) return { whole: new Uint8Array(), rest: bytes };
  const second = await pieces.next();
  if (second.done === true) return { whole: first.value, rest: bytes };
  async function* rest(): AsyncGenerator<Uint8Array> {
    try {
      yield first.value as Uint8Array;
      yield second.value as Uint8Array;
      for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
    } finally {
      await pieces.return?.();
    }
  }
  return { whole: undefined, rest: rest() };
}
