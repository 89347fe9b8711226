// Keeps an import out of the archive that it writes to.
import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { Fault } from '../faults.ts';

/**
 * Throws Fault 'unsafe' for a path that is the folder of an archive, one of its own files, or holds it, also through links: the database, with its
 * key of file addresses, would be stored as a file that others may read.
 */
export async function refuseArchiveFolder(paths: readonly string[], folder: string): Promise<void> {
  const own = await realPathOf(folder);
  if (own === undefined) return;
  for (const path of paths) {
    const at = await realPathOf(path);
    if (at === undefined) continue;
    const what =
      at === own ? 'is' : isOwnFile(at, own) ? 'belongs to' : isBelow(own, at) ? 'holds' : undefined;
    if (what === undefined) continue;
    const place = what === 'holds' ? `, ${folder}` : '';
    const name = what === 'belongs to' ? 'the archive itself' : 'the folder of the archive itself';
    throw new Fault('unsafe', `${path} ${what} ${name}${place}`, {
      hint: 'name other folders, or keep the archive elsewhere (arx help environment)',
    });
  }
}

/** Other files may be beside those of the archive. */
function isOwnFile(path: string, own: string): boolean {
  return /^(?:archive\.db.*|blobs)$/.test(relative(own, path).split(sep)[0] ?? '');
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !/^\.\.[/\\]/.test(way) && !isAbsolute(way);
}

/** Returns the path without links; undefined where nothing is there, which whoever reads it reports. */
function realPathOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}
