// Vitest runs this once, before all tests of a run. It starts PostgreSQL and names the folder of the built program.
import { startCluster } from './cluster.ts';
import { PROGRAM_FOLDER } from './program.ts';
import { removeTempFolders, tempFolder } from './temp-folder.ts';

/** Returns the function that Vitest calls at the end of the run. */
export async function setup(): Promise<() => Promise<void>> {
  process.env[PROGRAM_FOLDER] = tempFolder('program');
  const stopCluster = await startCluster();
  return async () => {
    await stopCluster();
    removeTempFolders();
  };
}
