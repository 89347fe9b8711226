// A WARC file that has its name only when it is whole: one gzip member a record, in a temporary file beside it until then.
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
import { createUniqueKeys, partialFileName, scanFolder } from '../download/partial-files.ts';
import type { World } from '../world.ts';
import { namedFields, type Field } from './warc-fields.ts';
import type { Block } from './record-block.ts';

const SAMPLE_BYTES = 64 * 1024;
const VERSION = Buffer.from('WARC/1.1\r\n');
const LINE = Buffer.from('\r\n');
const END = Buffer.from('\r\n\r\n');

type RecordBlock = Pick<Block, 'length' | 'pieces' | 'isSmall'>;

export type WarcFile = {
  /** A file of the same folder that nobody else can open. */
  scratch(): Promise<FileHandle>;
  /** One record; after those before it, and whole or not there. A block that is not small ends with the run, by its reason. */
  append(fields: readonly Field[], block: RecordBlock): Promise<void>;
  /** Gives the name; durable when it resolves to the size. Throws `unsafe` where it was taken meanwhile. */
  finish(): Promise<number>;
  /** Without a name it is gone. */
  discard(): Promise<void>;
};

/**
 * Faults: `unsafe` where the name is taken (but for a regular file and `force`), `disk`. Temporaries that a killed run
 * left in the folder are removed.
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
  await checkFree(path, force);
  await scanFolder(dir, world);
  const { temporary, file } = await create().catch((error: unknown) => {
    throw diskFault(error, path);
  });
  let size = 0;
  let last: Promise<unknown> = Promise.resolve();

  const headOf = (fields: readonly Field[], { length }: RecordBlock): Buffer =>
    Buffer.concat([VERSION, namedFields([...fields, ['Content-Length', String(length)]]), LINE]);
  async function* recordOf(fields: readonly Field[], block: RecordBlock): AsyncGenerator<Uint8Array> {
    yield headOf(fields, block);
    for await (const piece of block.pieces()) {
      if (!block.isSmall()) world.signal.throwIfAborted();
      yield piece;
    }
    yield END;
  }
  async function memberOf(fields: readonly Field[], block: RecordBlock): Promise<AsyncIterable<Uint8Array>> {
    const pieces = recordOf(fields, block);
    if (block.isSmall()) return small(pieces);
    const member = createGzip({ level: await levelFor(block) });
    const source = Readable.from(pieces, { objectMode: false });
    source.on('error', (error) => member.destroy(error));
    return source.pipe(member);
  }
  async function write(fields: readonly Field[], block: RecordBlock): Promise<void> {
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
    scratch: async () => {
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
        if (commitFile({ temporary, path, force }, file.fd) === 'taken') throw taken(path);
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

async function* small(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  yield await promisify(gzip)(Buffer.concat(all));
}

/** Large bodies are often compressed already: then another time is only time. */
async function levelFor(block: RecordBlock): Promise<number> {
  const level = constants.Z_BEST_SPEED;
  for await (const piece of block.pieces()) {
    const sample = piece.subarray(-SAMPLE_BYTES);
    return deflateRawSync(sample, { level }).length > 0.95 * sample.length
      ? constants.Z_NO_COMPRESSION
      : level;
  }
  return level;
}

async function checkFree(path: string, force: boolean): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw diskFault(error, path);
  });
  if (found === undefined) return;
  if (!found.isFile()) throw new Fault('unsafe', `${basename(path)} exists and is not a regular file`);
  if (!force) throw taken(path);
}

function taken(path: string): Fault {
  return new Fault('unsafe', `${basename(path)} exists already`, { hint: 'replace it with --force' });
}
