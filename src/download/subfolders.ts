// Folders inside the target folder, into which a pull sorts files. None is ever reached through a link.
import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { diskFault } from '../disk/disk-fault.ts';
import { syncFolder } from '../disk/durable-write.ts';
import { Fault } from '../faults.ts';
import type { FolderScan } from './folder-scan.ts';
import { nameKey } from './safe-name.ts';

/** The folders inside one target folder. Each is looked at once. */
export type Subfolders = {
  /** Returns whether files may be written there: it is a folder itself, or nothing has its name. */
  isUsable(name: string): boolean;
  /**
   * Makes the folder where it is missing, and adds the names of its files to the scan. Throws Fault 'unsafe' for what is no
   * folder or a link to one, and 'disk'.
   */
  open(name: string): void;
};

/** Returns the folders inside `dir`. `readOnly`: none is made. */
export function createSubfolders(
  dir: string,
  scan: Pick<FolderScan, 'names'>,
  { readOnly }: { readOnly: boolean },
): Subfolders {
  const kinds = new Map<string, 'folder' | 'missing' | 'other'>();
  const opened = new Set<string>();
  const kindOf = (name: string): 'folder' | 'missing' | 'other' => {
    const known = kinds.get(name) ?? look(join(dir, name));
    kinds.set(name, known);
    return known;
  };
  return {
    isUsable: (name) => kindOf(name) !== 'other',
    open: (name) => {
      if (opened.has(name)) return;
      try {
        if (kindOf(name) === 'missing' && !readOnly) {
          mkdirSync(join(dir, name));
          syncFolder(dir);
          kinds.set(name, 'folder');
        }
        if (kindOf(name) === 'other')
          throw new Fault('unsafe', `${name} exists and is not a folder`, {
            hint: 'remove it, or pull into another folder',
          });
        if (kindOf(name) === 'folder')
          for (const file of readdirSync(join(dir, name))) scan.names.add(nameKey(`${name}/${file}`));
        opened.add(name);
      } catch (error) {
        throw diskFault(error, join(dir, name));
      }
    },
  };
}

function look(path: string): 'folder' | 'missing' | 'other' {
  try {
    return lstatSync(path).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'missing';
    throw diskFault(error, path);
  }
}
