// A folder of its own for each test of a file, gone when the test is over and all it had open is closed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** Called before the file's other hooks, so that the folder is there in them all. */
export function inFolder(name: string, enter: (dir: string) => void): void {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), `arx-${name}-`));
    enter(dir);
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
}
