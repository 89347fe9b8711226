// Marks the folder in which an archive on PostgreSQL keeps its files, so that no other folder is taken for it.
import { randomUUID } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomically } from '../../disk/atomic-file.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { makeFolder } from '../../disk/make-folder.ts';
import { Fault } from '../../faults.ts';
import type { Archive } from './archive.ts';
import { archiveId } from './meta-table/file-key.ts';

const MARK = 'arx-archive.json';
const Mark = z.object({ version: z.literal(1), archive: z.string() });

/** How many of the oldest files are looked for in a folder without a mark. */
const OLDEST_FILES = 16;

/**
 * Makes sure that this is the folder of the archive, and marks it unless the archive is read-only. A folder without a
 * mark, as an older arx leaves it, must contain one of the archive's oldest files, if there are any. Returns a function
 * that tells whether the folder still exists. Throws Fault 'store' for another folder, 'disk' or 'unsafe' when the folder
 * cannot be created or read.
 */
export async function claimFolder(archive: Archive, dir: string): Promise<() => Promise<boolean>> {
  const path = (await claimMark(archive, dir)) ? join(dir, MARK) : dir;
  const isThere = () =>
    access(path).then(
      () => true,
      () => false,
    );
  // There is no folder yet, and a read-only archive creates none.
  return (await isThere()) ? isThere : async () => true;
}

async function claimMark(archive: Archive, dir: string): Promise<boolean> {
  // A read-only archive may have lost its key. `arx fsck` reports that.
  const id = await archiveId(archive).catch((error: unknown) => {
    if (!archive.readOnly) throw error;
    return undefined;
  });
  const named = await markIn(dir);
  if (named !== undefined && id !== undefined) {
    if (named !== id) throw wrongFolderFault(dir, `its ${MARK} names another archive`);
    return true;
  }
  if (!(await holdsOldest(archive)))
    throw wrongFolderFault(dir, 'it holds none of the oldest files of the archive');
  if (archive.readOnly || id === undefined) return false;
  try {
    await makeFolder(dir, 0o700);
  } catch (error) {
    throw diskFault(error, `--blobs ${dir}`);
  }
  mark(dir, id);
  const markAfter = await markIn(dir);
  if (markAfter !== undefined && markAfter !== id)
    throw wrongFolderFault(dir, `its ${MARK} names another archive`);
  return markAfter === id;
}

async function holdsOldest({ database, blobs }: Archive): Promise<boolean> {
  const rows = await database.all<{ sha256: string }>(
    'SELECT sha256 FROM attachments WHERE stored = 1 ORDER BY n LIMIT $1',
    [OLDEST_FILES],
  );
  for (const { sha256 } of rows) if ((await blobs.size(sha256)) !== undefined) return true;
  return rows.length === 0;
}

async function markIn(dir: string): Promise<string | undefined> {
  const text = await readFile(join(dir, MARK), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw diskFault(error, `--blobs ${dir}`);
  });
  if (text === undefined) return undefined;
  try {
    return Mark.parse(JSON.parse(text)).archive;
  } catch {
    throw wrongFolderFault(dir, `its ${MARK} cannot be understood`);
  }
}

/** Writes the mark whole, never over another. Where that fails, the folder is recognised by its files. */
function mark(dir: string, archive: string): void {
  const temporary = join(dir, `${MARK}.${randomUUID()}.new`);
  const text = `${JSON.stringify({ version: 1, archive } satisfies z.infer<typeof Mark>)}\n`;
  try {
    writeFileAtomically({ temporary, path: join(dir, MARK), force: false }, Buffer.from(text));
  } catch (error) {
    if (!('code' in (error as Error))) throw error;
  }
}

function wrongFolderFault(dir: string, why: string): Fault {
  return new Fault('store', `--blobs ${dir} is not the folder of this archive: ${why}`, {
    kept: 'nothing was changed',
    hint: 'give the folder that the archive began with; is it mounted?',
  });
}
