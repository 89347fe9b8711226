// Temporary folders for tests, removed by the test runner.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Environment variable that tells the processes of a test run which folder contains all temporary folders. */
const RUN_FOLDER = 'ARX_TEST_FOLDER';

/** Makes the folder of a test run. Vitest calls it once, before all tests, and calls the returned function at the end. */
export function setup(): () => void {
  const folder = makeRoot();
  process.env[RUN_FOLDER] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/**
 * Returns the absolute path of a new, empty folder. `name` appears in the path.
 *
 * Nobody has to remove it: the test runner does, at the end of the run. Outside of the test runner (benchmarks) it is
 * removed when the process exits.
 */
export function tempFolder(name: string): string {
  return mkdtempSync(join((process.env[RUN_FOLDER] ??= rootOfThisProcess()), `${name}-`));
}

function makeRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), 'arx-test-'));
  // PostgreSQL and some tests run as another user, who must be able to enter.
  chmodSync(folder, 0o711);
  return folder;
}

function rootOfThisProcess(): string {
  const folder = makeRoot();
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
