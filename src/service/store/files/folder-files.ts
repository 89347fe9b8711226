// Files in a folder, under the SHA-256 of their content. A name exists only when the file is whole and durable.
import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import {
  access,
  lstat,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  type FileHandle,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFileAtomically } from '../../../disk/atomic-file.ts';
import { diskFault } from '../../../disk/disk-fault.ts';
import { syncPath, writeAll } from '../../../disk/durable-write.ts';
import { makeFolder } from '../../../disk/make-folder.ts';
import { openIfRegular } from '../../../disk/regular-file.ts';
import { blobPath, type Blobs } from './blobs.ts';

/** Opens the files of a folder. The folder is created with the first file. */
export function openFolderFiles(dir: string): Blobs {
  const pathOf = (sha256: string) => blobPath(dir, sha256);

  const size = async (sha256: string): Promise<number | undefined> => {
    try {
      // Not what a link points to: nobody but an intruder puts one here.
      const found = await lstat(pathOf(sha256));
      return found.isFile() ? found.size : undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  };

  /**
   * Runs `write` on a temporary file and gives it its name, durably, if that answers true. Not by disk/atomic-file.ts, which
   * waits for the disk synchronously: an import stores many files at a time.
   */
  const store = async (sha256: string, write: (file: FileHandle) => Promise<boolean>): Promise<boolean> => {
    const folder = dirname(pathOf(sha256));
    const temporary = `${pathOf(sha256)}.${randomUUID()}.new`;
    const file = await open(temporary, 'wx', 0o600).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      await makeFolder(folder, 0o700);
      return open(temporary, 'wx', 0o600);
    });
    try {
      const whole = await write(file);
      if (whole) await file.sync();
      await file.close();
      if (whole) await rename(temporary, pathOf(sha256));
      else await rm(temporary, { force: true });
      if (!whole) return false;
    } catch (error) {
      await file.close().catch(() => {});
      await rm(temporary, { force: true });
      throw error;
    }
    await syncPath(folder);
    return true;
  };

  const putChunks = (sha256: string, chunks: AsyncIterable<Uint8Array>): Promise<boolean> =>
    store(sha256, async (file) => {
      const hash = createHash('sha256');
      let at = 0;
      for await (const chunk of chunks) {
        hash.update(chunk);
        await writeAll(file, chunk, at);
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
      read: (name) => readMark(dir, name),
      write: (name, text) => writeMark(dir, name, text),
    },
    async names(shard) {
      const found = await readdir(join(dir, shard)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      return found.filter((name) => /^[0-9a-f]{62}$/.test(name)).map((name) => shard + name);
    },
    size,
    async *read(sha256, from = 0, to) {
      const file = await open(
        pathOf(sha256),
        constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      );
      // The stream closes the file at its end, and when the reader stops early.
      yield* file.createReadStream({ start: from, ...(to === undefined ? {} : { end: to }) });
    },
    async put(sha256, content) {
      if ((await size(sha256)) === content.byteLength) return;
      await store(sha256, async (file) => {
        await writeAll(file, content, 0);
        return true;
      });
    },
    putChunks,
    async putFile(sha256, path) {
      const source = await openIfRegular(path);
      if (source === undefined) return false;
      try {
        if ((await size(sha256)) === (await source.stat()).size) return true;
        return await putChunks(
          sha256,
          source.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Uint8Array>,
        );
      } finally {
        await source.close();
      }
    },
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
      for (const folder of await readdir(dir).catch(() => [])) {
        for (const name of await readdir(join(dir, folder)).catch(() => [])) {
          if (!name.endsWith('.new')) continue;
          const path = join(dir, folder, name);
          const found = await stat(path).catch(() => undefined);
          if (found !== undefined && found.mtimeMs < before) await rm(path, { force: true }).catch(() => {});
        }
      }
    },
  };
}

async function readMark(dir: string, name: string): Promise<string | undefined> {
  return readFile(join(dir, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw diskFault(error, `--blobs ${dir}`);
  });
}

/** Makes the folder and writes the file, never over another. Where only the file cannot be written, it is left out. */
async function writeMark(dir: string, name: string, text: string): Promise<void> {
  try {
    await makeFolder(dir, 0o700);
  } catch (error) {
    throw diskFault(error, `--blobs ${dir}`);
  }
  const temporary = join(dir, `${name}.${randomUUID()}.new`);
  try {
    writeFileAtomically({ temporary, path: join(dir, name), force: false }, Buffer.from(text));
  } catch (error) {
    if (!('code' in (error as Error))) throw error;
  }
}
