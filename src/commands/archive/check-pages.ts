// Has the pages of a large SQLite file checked by a process of its own, so that they are checked beside the rows.
import { statSync } from 'node:fs';
import type { App } from '../../app.ts';
import type { FsckOptions } from '../../service/fsck/check-archive.ts';

/** The pages of a smaller file are checked sooner than a process starts. */
const MIN_OWN_PROCESS_BYTES = 32 * 1024 * 1024;

/** Returns the function with which a check has pages checked by another process. */
export function checkPagesElsewhere(
  app: Pick<App, 'world'>,
): NonNullable<FsckOptions['checkPagesElsewhere']> {
  return async (path, signal) =>
    statSync(path).size < MIN_OWN_PROCESS_BYTES ? undefined : app.world.runOwn('pages-process', path, signal);
}
