// The marks of a pull in its folder: until everything it was asked for is there, and where it cannot tell what that is.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFault } from '../disk/disk-fault.ts';

/** `.arx-KEY.unfinished`. KEY is a hash of what was asked for, so that the same pull removes it later. */
const UNFINISHED_FILE = /^\.arx-[0-9a-f]{16}\.unfinished$/;

/** Returns whether a path, relative to the target folder, is the mark of a pull that runs or did not end. */
export const isUnfinishedMark = (path: string): boolean => UNFINISHED_FILE.test(path);

/** `.arx-KEY.undecided`, with the KEY of {@link UNFINISHED_FILE}. */
const UNDECIDED_FILE = /^\.arx-[0-9a-f]{16}\.undecided$/;

/** Returns whether a path is the mark of a pull that left out rows of which it could not tell whether they match. */
export const isUndecidedMark = (path: string): boolean => UNDECIDED_FILE.test(path);

/** The mark of a pull that runs. */
export type PullMark = {
  /**
   * Removes the mark. With `isAll`, the pull was of everything, and the marks of other pulls are removed, too. One that cannot be removed
   * is removed by the next pull. `isUndecided`: rows were left out of which it could not be told whether they match; a mark says so then.
   */
  remove(options: { isAll: boolean; isUndecided: boolean }): Promise<void>;
};

/** Marks a folder as one whose pull did not end. `selection` says what is pulled. Throws Fault 'disk'. */
export async function markUnfinished(dir: string, selection: string): Promise<PullMark> {
  const key = createHash('sha256').update(selection).digest('hex').slice(0, 16);
  const name = `.arx-${key}.unfinished`;
  const undecided = `.arx-${key}.undecided`;
  await makeMark(dir, name);
  return {
    async remove({ isAll, isUndecided }) {
      if (isUndecided) await makeMark(dir, undecided);
      const names = isAll ? await readdir(dir).catch(() => []) : [name, undecided];
      const isOver = (mark: string) =>
        isUnfinishedMark(mark) || (isUndecidedMark(mark) && !(isUndecided && mark === undecided));
      for (const mark of names.filter(isOver)) await rm(join(dir, mark), { force: true }).catch(() => {});
    },
  };
}

async function makeMark(dir: string, name: string): Promise<void> {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    await (await open(join(dir, name), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)).close();
  } catch (error) {
    // What has the name of the mark is in the way; else the folder cannot be written to.
    const isTaken = ['ELOOP', 'EISDIR', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '');
    throw diskFault(error, isTaken ? join(dir, name) : dir);
  }
}
