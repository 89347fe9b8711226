// Which files of a folder belong to the download itself: the manifest and the partial files.
import { MANIFEST_FILE } from './manifest.ts';
import { PARTIAL_FILE } from './partial-names.ts';

/** Returns whether `path`, relative to the target folder, is the manifest or a partial file and not a downloaded file. */
export function isOwnFile(path: string): boolean {
  return path === MANIFEST_FILE || PARTIAL_FILE.test(path);
}
