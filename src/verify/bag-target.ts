// Where a bag is written: a folder or a zip file that gets its name only when all of it is on the disk.
import { constants } from 'node:fs';
import { link, lstat, mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { once } from 'node:events';
import { Readable, type PassThrough } from 'node:stream';
import { diskFault } from '../disk-fault.ts';
import { Fault } from '../faults.ts';

export type BagTarget = {
  /** Writes a file of the bag; whatever the bytes throw passes, and the bag can only be given up then. */
  add(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Makes the bag durable under its name. Fault `unsafe` where something has that name by now. */
  finish(): Promise<void>;
  /** Removes all that was written; for a finished bag it does nothing. */
  discard(): Promise<void>;
};

export type TargetOptions = { randomBytes: (count: number) => Uint8Array; now: number };

/**
 * Opens a bag that will be `path`: a zip where that ends in .zip, else a folder. Fault `unsafe` where something is
 * there, `disk` where it cannot be written.
 */
export async function openBagTarget(path: string, options: TargetOptions): Promise<BagTarget> {
  await refuseTaken(path);
  const chance = Buffer.from(options.randomBytes(8)).toString('hex');
  try {
    await mkdir(dirname(path), { recursive: true });
    return path.endsWith('.zip')
      ? await openZip(path, join(dirname(path), `.arx-${chance}.part`), options.now)
      : await openFolder(path, join(dirname(path), `.arx-${chance}.bag`));
  } catch (error) {
    throw diskFault(error, path);
  }
}

async function refuseTaken(path: string): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw diskFault(error, path);
  });
  if (found !== undefined) throw new Fault('unsafe', `${path} exists already`);
}

async function openFolder(path: string, temporary: string): Promise<BagTarget> {
  await mkdir(temporary, { mode: 0o700 });
  const made = new Set(['.']);
  return {
    async add(name, bytes) {
      const folder = dirname(name);
      try {
        if (!made.has(folder)) await mkdir(join(temporary, folder), { recursive: true, mode: 0o700 });
        for (let each = folder; !made.has(each); each = dirname(each)) made.add(each);
        const file = await open(join(temporary, name), 'wx', 0o600);
        try {
          for await (const chunk of bytes) await writeAll(file, chunk);
          await file.sync();
        } finally {
          await file.close();
        }
      } catch (error) {
        throw diskFault(error, name);
      }
    },
    async finish() {
      try {
        for (const folder of made) await syncFolder(join(temporary, folder));
        await refuseTaken(path);
        // Fails on anything but an empty folder that came there meanwhile.
        await rename(temporary, path);
        await syncFolder(dirname(path));
      } catch (error) {
        throw (error as NodeJS.ErrnoException).code === 'ENOTEMPTY'
          ? new Fault('unsafe', `${path} exists already`)
          : diskFault(error, path);
      }
    },
    discard: () => rm(temporary, { recursive: true, force: true }),
  };
}

/** What we know of yazl 3.3.1's own record of a file, whose version is pinned for it. */
type YazlEntry = { state: number; doFileDataPump: unknown };
const YAZL_DONE = 3;

async function openZip(path: string, temporary: string, now: number): Promise<BagTarget> {
  const { default: yazl } = await import('yazl');
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  const zip = new yazl.ZipFile();
  const entry = { mtime: new Date(now), mode: 0o100644 };
  // One folder at the top, named as the file is (RFC 8493 4).
  const base = basename(path, '.zip');
  const written = (async () => {
    for await (const chunk of zip.outputStream) await writeAll(file, chunk as Buffer);
  })();
  let giveUp!: (error: Error) => void;
  /** Rejects when the zip is spoiled: then nothing takes the bytes of a file any more. */
  const spoiled = new Promise<never>((_, reject) => (giveUp = reject));
  spoiled.catch(() => undefined);
  written.catch(giveUp);
  zip.on('error', giveUp);
  const finished: YazlEntry[] = [];
  // yazl looks through its list from the start for every file, and its entries hold on to the bytes they were made of.
  const inner = zip as unknown as { entries: YazlEntry[] };
  const putAside = (): void => {
    while (inner.entries[0]?.state === YAZL_DONE) {
      const entry = inner.entries.shift()!;
      entry.doFileDataPump = undefined;
      finished.push(entry);
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    async add(name, bytes) {
      // One after the other: yazl would hold open all that wait.
      const before = last;
      const added = (async () => {
        await Promise.race([before, spoiled]);
        putAside();
        const { whole, rest } = await taste(bytes);
        if (whole !== undefined) {
          zip.addBuffer(whole, `${base}/${name}`, { ...entry, compress: false });
          const out = zip.outputStream as PassThrough;
          if (out.writableNeedDrain) await Promise.race([once(out, 'drain'), spoiled]);
          return;
        }
        const stream = Readable.from(rest, { objectMode: false });
        const read = new Promise<void>((resolve, reject) => {
          stream.once('end', resolve);
          stream.once('error', reject);
        });
        zip.addReadStream(stream, `${base}/${name}`, entry);
        // Where the zip is spoiled the file is still open.
        await Promise.race([read, spoiled]).finally(() => stream.destroy());
      })();
      last = added;
      try {
        await added;
      } catch (error) {
        giveUp(error as Error);
        throw diskFault(error, path);
      }
    },
    async finish() {
      try {
        inner.entries = finished.concat(inner.entries);
        zip.end();
        await Promise.race([written, spoiled]);
        await file.sync();
        await giveName(temporary, path);
        await syncFolder(dirname(path));
      } catch (error) {
        throw diskFault(error, path);
      }
    },
    async discard() {
      (zip.outputStream as Readable).destroy();
      await file.close();
      await rm(temporary, { force: true });
    },
  };
}

/**
 * A file that comes in one piece is kept whole and stored as it is, which costs yazl far less than a stream and goes
 * straight to its output; of others nothing is kept.
 */
async function taste(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ whole: Buffer | undefined; rest: AsyncIterable<Uint8Array> }> {
  const pieces = bytes[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done === true) return { whole: Buffer.alloc(0), rest: bytes };
  const second = await pieces.next();
  if (second.done === true) return { whole: asBuffer(first.value), rest: bytes };
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

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** A link never takes the place of something; a file system without them gets one more look. */
async function giveName(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    await refuseTaken(path);
    await rename(temporary, path);
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length;) {
    const { bytesWritten } = await file.write(chunk, at, chunk.length - at);
    at += bytesWritten;
  }
}

async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r');
  await folder.sync().finally(() => folder.close());
}
