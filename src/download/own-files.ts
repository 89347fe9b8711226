// Which files of a folder belong to the download itself: the manifest, the partial files and the marks of pulls.
import { MANIFEST_FILE } from './manifest.ts';
import { PARTIAL_FILE } from './partial-names.ts';
import { isUndecidedMark, isUnfinishedMark } from './unfinished-pull.ts';

/** Returns whether `path`, relative to the target folder, is the manifest, a partial file or a mark, and not a downloaded file. */
export function isOwnFile(path: string): boolean {
  return path === MANIFEST_FILE || PARTIAL_FILE.test(path) || isUnfinishedMark(path) || isUndecidedMark(path);
}
