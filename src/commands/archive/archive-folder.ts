// Keeps an import out of the folders of arx: the archive that it writes to, the settings and tokens, and the cache.
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { Fault } from '../../faults.ts';

/** A folder of arx: what it is called, and the first part of the path of its own files. Other files may be beside them. */
type OwnFolder = { path: string; name: string; owner: string; files: RegExp };

/**
 * Throws Fault 'unsafe' for a path that is a folder of arx, one of its own files, or holds it, also through links: the database with its key of
 * file addresses, or the tokens, would be stored as a file that others may read. A folder that is not there yet counts: the import makes
 * it. `archive`: absent where the archive is not in a folder.
 */
export async function refuseOwnFolders(
  paths: readonly string[],
  { archive, config, cache }: { archive?: string | undefined; config: string; cache: string },
): Promise<void> {
  if (archive !== undefined)
    await refuseFolder(paths, {
      path: archive,
      name: 'the folder of the archive itself',
      owner: 'the archive itself',
      files: /^(?:archive\.db.*|blobs)$/,
    });
  const name = 'the settings and tokens of arx';
  await refuseFolder(paths, {
    path: config,
    name: `the folder of ${name}`,
    owner: name,
    files: /^(?:(?:config|tokens)\.json|owner-).*$/,
  });
  await refuseFolder(paths, {
    path: cache,
    name: 'the cache of arx',
    owner: 'the cache of arx',
    files: /^code$/,
  });
}

async function refuseFolder(
  paths: readonly string[],
  { path: folder, name, owner, files }: OwnFolder,
): Promise<void> {
  const own = await futurePathOf(folder);
  const isOwnFile = (path: string): boolean => files.test(relative(own, path).split(sep)[0] ?? '');
  for (const path of paths) {
    const at = await realPathOf(path);
    if (at === undefined) continue;
    const what =
      at === own
        ? `is ${name}`
        : isOwnFile(at)
          ? `belongs to ${owner}`
          : isBelow(own, at)
            ? `holds ${name}, ${folder}`
            : undefined;
    if (what === undefined) continue;
    throw new Fault('unsafe', `${path} ${what}`, {
      hint: 'name other folders, or keep it elsewhere (arx help environment)',
    });
  }
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !/^\.\.[/\\]/.test(way) && !isAbsolute(way);
}

/** Returns the path without links; undefined where nothing is there, which whoever reads it reports. */
function realPathOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}

/** Returns the path without links, also of a folder that is still to be made. */
async function futurePathOf(path: string): Promise<string> {
  const parent = dirname(path);
  const real = await realPathOf(path);
  return real ?? (parent === path ? path : join(await futurePathOf(parent), basename(path)));
}
