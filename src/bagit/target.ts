// The folder or zip file that a bag is written to. It gets its name when all of it is on the disk.
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { placeFile } from '../disk/atomic-file.ts';
import { diskFault } from '../disk/disk-fault.ts';
import { requireFolder } from '../disk/require-folder.ts';
import { syncPath, writeAll } from '../disk/durable-write.ts';
import { makeFolder } from '../disk/make-folder.ts';
import { Fault } from '../faults.ts';
import type { World } from '../world.ts';
import { createZipWriter } from './zip-writer.ts';

/** A bag while it is written, as a folder or as a zip file. Paths are relative to the base directory of the bag. */
export type BagTarget = {
  /** Writes a file of the bag. Errors of `bytes` pass; then the bag can only be discarded. */
  add(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Makes the bag durable and gives it its name. Throws Fault 'unsafe' if something has the name by now. */
  finish(): Promise<void>;
  /** Removes what was written. Does nothing after {@link finish}. */
  discard(): Promise<void>;
};

type TargetWorld = Pick<World, 'randomBytes' | 'now' | 'pid' | 'running'>;

/** `.arx-RANDOM-PID.bag`, or `.part` for a zip: an incomplete bag and the process that writes it. */
const UNFINISHED = /^\.arx-[0-9a-f]{16}-(\d{1,10})\.(?:bag|part)$/;

/**
 * Opens a bag that will be at `path`: a zip file if that ends in .zip, else a folder. Removes incomplete bags of ended
 * exports beside it. Throws Fault 'unsafe' if something is at `path`, 'disk' if it cannot be written.
 */
export async function openBagTarget(path: string, world: TargetWorld): Promise<BagTarget> {
  await refuseTaken(path);
  const dir = dirname(path);
  const temporary = join(dir, `.arx-${Buffer.from(world.randomBytes(8)).toString('hex')}-${world.pid}`);
  try {
    if (path.endsWith('.zip')) await requireFolder(dir);
    else await makeFolder(dir);
    await removeLeft(dir, world);
    return path.endsWith('.zip')
      ? await openZip(path, `${temporary}.part`, world.now())
      : await openFolder(path, `${temporary}.bag`);
  } catch (error) {
    throw diskFault(error, path);
  }
}

async function removeLeft(dir: string, { pid, running }: TargetWorld): Promise<void> {
  for (const name of await readdir(dir)) {
    const owner = Number(UNFINISHED.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(owner) || (owner !== pid && running(owner))) continue;
    // One that cannot be removed does no harm.
    await rm(join(dir, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

async function refuseTaken(path: string): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw diskFault(error, path);
  });
  if (found !== undefined) throw taken(path);
}

async function openFolder(path: string, temporary: string): Promise<BagTarget> {
  await mkdir(temporary, { mode: 0o700 });
  const made = new Set(['.']);
  return {
    async add(name, bytes) {
      const folder = dirname(name);
      try {
        if (!made.has(folder)) await makeFolder(join(temporary, folder), 0o700);
        for (let each = folder; !made.has(each); each = dirname(each)) made.add(each);
        const file = await open(join(temporary, name), 'wx', 0o600);
        try {
          let at = 0;
          for await (const chunk of bytes) {
            await writeAll(file, chunk, at);
            at += chunk.length;
          }
          await file.sync();
        } finally {
          await file.close();
        }
      } catch (error) {
        throw diskFault(error, join(path, name));
      }
    },
    async finish() {
      try {
        for (const folder of made) await syncPath(join(temporary, folder));
        await refuseTaken(path);
        // Fails if anything but an empty folder has taken the name meanwhile.
        await rename(temporary, path);
        await syncPath(dirname(path));
      } catch (error) {
        throw (error as NodeJS.ErrnoException).code === 'ENOTEMPTY' ? taken(path) : diskFault(error, path);
      }
    },
    discard: () => rm(temporary, { recursive: true, force: true }),
  };
}

async function openZip(path: string, temporary: string, now: number): Promise<BagTarget> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  const zip = createZipWriter((bytes, at) => writeAll(file, bytes, at), now);
  // The top folder has the name of the file (RFC 8493 4).
  const base = basename(path, '.zip');
  let last: Promise<void> = Promise.resolve();
  return {
    async add(name, bytes) {
      // One file after the other. After a failure no more are written.
      last = last.then(() => zip.add(`${base}/${name}`, bytes));
      last.catch(() => undefined);
      await last.catch((error: unknown) => {
        throw diskFault(error, path);
      });
    },
    async finish() {
      try {
        await last;
        await zip.end();
        await file.sync();
        if (placeFile({ temporary, path, force: false }) === 'taken') throw taken(path);
        await syncPath(dirname(path));
      } catch (error) {
        throw diskFault(error, path);
      }
    },
    async discard() {
      await last.catch(() => undefined);
      await file.close();
      await rm(temporary, { force: true });
    },
  };
}

function taken(path: string): Fault {
  return new Fault('unsafe', `${path} exists already`, { hint: 'name one that does not exist yet' });
}
