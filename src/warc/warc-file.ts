// Writes a WARC file: one gzip member per record, in a temporary file that gets its name when it is complete.
import { constants as flags } from 'node:fs';
import { lstat, open, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGzip, deflateRawSync, gzip } from 'node:zlib';
import { commitFile } from '../disk/atomic-file.ts';
import { diskFault } from '../disk/disk-fault.ts';
import { writeAll } from '../disk/durable-write.ts';
import { Fault } from '../faults.ts';
import { scanFolder } from '../download/folder-scan.ts';
import { createUniqueKeys, partialFileName } from '../download/partial-names.ts';
import type { World } from '../world.ts';
import type { Block } from './record-block.ts';
import { formatWarcFields, type WarcField } from './warc-fields.ts';

/** How much of a large block is compressed to decide whether compression is worth the time. */
const SAMPLE_BYTES = 64 * 1024;
const VERSION = Buffer.from('WARC/1.1\r\n');
const LINE = Buffer.from('\r\n');
const END = Buffer.from('\r\n\r\n');

type RecordBlock = Pick<Block, 'length' | 'chunks' | 'isInMemory'>;

/** A WARC file that is being written. Exactly one of `finish` and `discard` ends it. */
export type WarcFile = {
  /** Opens an empty unnamed file in the same folder. Nobody else can open it. */
  openScratchFile(): Promise<FileHandle>;
  /**
   * Appends a record, after all earlier ones, as a whole or not at all. Throws the reason of the signal when the run is
   * aborted while a block that is not in memory is written.
   */
  append(fields: readonly WarcField[], block: RecordBlock): Promise<void>;
  /** Gives the file its name and returns its size in bytes. Durable then. Throws Fault 'unsafe' when the name is taken. */
  finish(): Promise<number>;
  /** Removes the file. */
  discard(): Promise<void>;
};

/**
 * Creates a WARC file, under a temporary name. `force` allows to replace a regular file. Removes temporary files that
 * killed runs left in the folder. Throws Fault 'unsafe' when the name is taken, and Fault 'disk'.
 */
export async function openWarcFile(
  path: string,
  force: boolean,
  world: Pick<World, 'now' | 'running' | 'pid' | 'randomBytes' | 'signal'>,
): Promise<WarcFile> {
  const dir = dirname(path);
  const freshKey = createUniqueKeys(world.randomBytes);
  const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = flags;
  const create = async (): Promise<{ temporary: string; file: FileHandle }> => {
    const temporary = join(dir, partialFileName(freshKey(), world.pid));
    return { temporary, file: await open(temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600) };
  };
  await assertNameIsFree(path, force);
  await scanFolder(dir, world);
  const { temporary, file } = await create().catch((error: unknown) => {
    throw diskFault(error, path);
  });
  let size = 0;
  let last: Promise<unknown> = Promise.resolve();

  const recordHead = (fields: readonly WarcField[], { length }: RecordBlock): Buffer =>
    Buffer.concat([VERSION, formatWarcFields([...fields, ['Content-Length', String(length)]]), LINE]);
  async function* recordOf(fields: readonly WarcField[], block: RecordBlock): AsyncGenerator<Uint8Array> {
    yield recordHead(fields, block);
    for await (const piece of block.chunks()) {
      if (!block.isInMemory()) world.signal.throwIfAborted();
      yield piece;
    }
    yield END;
  }
  async function memberOf(
    fields: readonly WarcField[],
    block: RecordBlock,
  ): Promise<AsyncIterable<Uint8Array>> {
    const pieces = recordOf(fields, block);
    if (block.isInMemory()) return gzipAtOnce(pieces);
    const member = createGzip({ level: await compressionLevel(block) });
    const source = Readable.from(pieces, { objectMode: false });
    source.on('error', (error) => member.destroy(error));
    return source.pipe(member);
  }
  async function write(fields: readonly WarcField[], block: RecordBlock): Promise<void> {
    const start = size;
    try {
      for await (const piece of await memberOf(fields, block)) {
        await writeAll(file, piece, size);
        size += piece.length;
      }
    } catch (error) {
      await file.truncate(start);
      size = start;
      throw error;
    }
  }
  return {
    openScratchFile: async () => {
      const made = await create();
      await rm(made.temporary, { force: true });
      return made.file;
    },
    append: (fields, block) => {
      const written = last.then(() => write(fields, block));
      last = written.catch(() => {});
      return written;
    },
    finish: async () => {
      await last;
      try {
        if (commitFile({ temporary, path, force }, file.fd) === 'taken') throw nameTaken(path);
        return size;
      } catch (error) {
        throw diskFault(error, path);
      } finally {
        await file.close().catch(() => {});
        await rm(temporary, { force: true }).catch(() => {});
      }
    },
    discard: async () => {
      await last;
      await file.close().catch(() => {});
      await rm(temporary, { force: true }).catch(() => {});
    },
  };
}

async function* gzipAtOnce(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  yield await promisify(gzip)(Buffer.concat(all));
}

/** Large bodies are often compressed already. Compressing them again would only take time. */
async function compressionLevel(block: RecordBlock): Promise<number> {
  const level = constants.Z_BEST_SPEED;
  for await (const piece of block.chunks()) {
    const sample = piece.subarray(-SAMPLE_BYTES);
    return deflateRawSync(sample, { level }).length > 0.95 * sample.length
      ? constants.Z_NO_COMPRESSION
      : level;
  }
  return level;
}

async function assertNameIsFree(path: string, force: boolean): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw diskFault(error, path);
  });
  if (found === undefined) return;
  if (!found.isFile()) throw new Fault('unsafe', `${basename(path)} exists and is not a regular file`);
  if (!force) throw nameTaken(path);
}

function nameTaken(path: string): Fault {
  return new Fault('unsafe', `${basename(path)} exists already`, { hint: 'replace it with --force' });
}
