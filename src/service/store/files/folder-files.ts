// Files in a folder, under the SHA-256 of their content. A name exists only when the file is whole and durable.
import { createHash, randomUUID } from 'node:crypto';
import { closeSync, constants, fsync, lstatSync, openSync, renameSync, rmSync, type Stats } from 'node:fs';
import { access, lstat, open, readdir, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { writeFileAtomically } from '../../../disk/atomic-file.ts';
import { diskFault } from '../../../disk/disk-fault.ts';
import { writeAllSync } from '../../../disk/durable-write.ts';
import { makeFolder, makeFolderSync } from '../../../disk/make-folder.ts';
import { readBytesIfExists } from '../../../disk/regular-file.ts';
import { Fault } from '../../../faults.ts';
import { blobPath, type Blobs, SHARDS } from './blobs.ts';
import { putRegularFile } from './put-file.ts';

const waitForDisk = promisify(fsync);

/** A mark has about a hundred bytes. */
const MAX_MARK_BYTES = 4096;

/**
 * Opens the files of a folder. The folder is created with the first file. What stands in it is not followed where it is a link.
 * `option`: the option that named the folder, for messages.
 */
export function openFolderFiles(dir: string, option = '--blobs'): Blobs {
  const pathOf = (sha256: string) => blobPath(dir, sha256);

  const size = async (sha256: string): Promise<number | undefined> => {
    if (shardProblem(dir, sha256) !== undefined) return undefined;
    try {
      return sizeOf(await lstat(pathOf(sha256)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  };

  const putChunks = (sha256: string, chunks: AsyncIterable<Uint8Array>): Promise<boolean> =>
    storeFile(dir, sha256, async (fd) => {
      const hash = createHash('sha256');
      let at = 0;
      for await (const chunk of chunks) {
        hash.update(chunk);
        writeAllSync(fd, chunk, at);
        at += chunk.length;
      }
      return hash.digest('hex') === sha256;
    });

  return {
    dir,
    mark: {
      place: dir,
      kind: 'folder',
      isThere: () =>
        access(dir).then(
          () => true,
          () => false,
        ),
      option,
      read: (name) => readMark(dir, name, option),
      write: (name, text) => writeMark({ dir, option }, name, text),
    },
    async names(begin) {
      const names: string[] = [];
      for (const shard of begin === '' ? SHARDS : [begin]) {
        if (shardProblem(dir, shard) !== undefined) continue;
        const found = await readdir(join(dir, shard)).catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return [];
          throw error;
        });
        for (const name of found) if (/^[0-9a-f]{62}$/.test(name)) names.push(shard + name);
      }
      return names;
    },
    size,
    async *read(sha256, from = 0, to) {
      checkShard(dir, sha256);
      const file = await open(
        pathOf(sha256),
        constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      );
      // The stream closes the file at its end, and when the reader stops early.
      yield* file.createReadStream({ start: from, ...(to === undefined ? {} : { end: to }) });
    },
    async put(sha256, content) {
      checkShard(dir, sha256);
      const found = lstatSync(pathOf(sha256), { throwIfNoEntry: false });
      if (found !== undefined && sizeOf(found) === content.byteLength) return;
      await storeFile(dir, sha256, (fd) => {
        writeAllSync(fd, content);
        return true;
      });
    },
    putChunks,
    putFile: (sha256, path) => putRegularFile({ size, putChunks }, sha256, path),
    async writable() {
      try {
        // The folder is created with the first file.
        const at = await access(dir).then(
          () => dir,
          () => dirname(dir),
        );
        await access(at, constants.W_OK | constants.X_OK);
        return (await statfs(at)).bavail > 0;
      } catch {
        return false;
      }
    },
    async removeUnfinished(before) {
      for (const folder of await readdir(dir, { withFileTypes: true }).catch(() => [])) {
        if (!folder.isDirectory()) continue;
        for (const name of await readdir(join(dir, folder.name)).catch(() => [])) {
          if (!name.endsWith('.new')) continue;
          const path = join(dir, folder.name, name);
          const found = await lstat(path).catch(() => undefined);
          if (found !== undefined && found.mtimeMs < before) await rm(path, { force: true }).catch(() => {});
        }
      }
    },
  };
}

async function readMark(dir: string, name: string, option: string): Promise<string | undefined> {
  try {
    return (await readBytesIfExists(join(dir, name), MAX_MARK_BYTES))?.toString();
  } catch (error) {
    throw diskFault(error, `${option} ${dir}`);
  }
}

/** Makes the folder and writes the file, never over another. Where only the file cannot be written, it is left out. */
async function writeMark(
  { dir, option }: { dir: string; option: string },
  name: string,
  text: string,
): Promise<void> {
  try {
    await makeFolder(dir, 0o700);
  } catch (error) {
    throw diskFault(error, `${option} ${dir}`);
  }
  const temporary = join(dir, `${name}.${randomUUID()}.new`);
  try {
    writeFileAtomically({ temporary, path: join(dir, name), force: false }, Buffer.from(text));
  } catch (error) {
    if (!('code' in (error as Error))) throw error;
  }
}

/** Returns the size of a stored file. What a link points to is none: nobody but an intruder puts one here. */
function sizeOf(found: Stats): number | undefined {
  return found.isFile() ? found.size : undefined;
}

/**
 * Returns why the folder of the files that begin like this hash is not used: something else has its name. A link is not followed:
 * files of strangers would be read, and files be written and removed where it leads. Undefined for a folder, and for none.
 */
export function shardProblem(dir: string, sha256: string): string | undefined {
  const found = lstatSync(join(dir, sha256.slice(0, 2)), { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return undefined;
  return found.isSymbolicLink() ? 'a symbolic link' : 'not a folder';
}

/** Throws Fault 'unsafe' where the folder of these files is not used, as {@link shardProblem} says. */
export function checkShard(dir: string, sha256: string): void {
  const problem = shardProblem(dir, sha256);
  if (problem === undefined) return;
  throw new Fault('unsafe', `${join(dir, sha256.slice(0, 2))} is ${problem}`, {
    hint: 'arx follows no link to stored files: put the folder itself in its place',
  });
}

/**
 * Runs `write` on a temporary file and gives it the path of this hash, durably, if that answers true; else removes it. Returns what
 * `write` answers. Throws the Fault of {@link checkShard}.
 * Not by disk/atomic-file.ts, which waits for the disk synchronously: an import stores many files at a time. Only that waiting
 * is asynchronous, because for a small file each other step costs less than its way through the thread pool.
 */
async function storeFile(
  dir: string,
  sha256: string,
  write: (fd: number) => boolean | Promise<boolean>,
): Promise<boolean> {
  checkShard(dir, sha256);
  const path = blobPath(dir, sha256);
  const folder = dirname(path);
  const temporary = `${path}.${randomUUID()}.new`;
  const fd = openNew(temporary);
  try {
    let isWhole;
    try {
      isWhole = await write(fd);
      if (isWhole) await waitForDisk(fd);
    } finally {
      closeSync(fd);
    }
    if (isWhole) renameSync(temporary, path);
    else rmSync(temporary, { force: true });
    if (!isWhole) return false;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  const opened = openSync(folder, 'r');
  await waitForDisk(opened).finally(() => closeSync(opened));
  return true;
}

/** Makes a file that did not exist, with its folder. */
function openNew(path: string): number {
  const make = (): number => openSync(path, 'wx', 0o600);
  try {
    return make();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    makeFolderSync(dirname(path), 0o700);
    return make();
  }
}
