// Temporary folders for tests. Nobody has to remove them: the test runner does.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atFileEnd } from './file-end.ts';

const made: string[] = [];

/**
 * Returns the absolute path of a new, empty folder. `name` appears in the path.
 *
 * It is removed when all tests of the file are over (`file-end.ts`), or, outside of the test runner, when the
 * process exits.
 */
export function tempFolder(name: string, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, `arx-${name}-`));
  made.push(folder);
  return folder;
}

/** Removes all folders that {@link tempFolder} made in this process. */
export function removeTempFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

atFileEnd(removeTempFolders);
process.once('exit', removeTempFolders);
