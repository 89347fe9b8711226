// Which programs this machine has. Tests that need a missing one are skipped, and say so.
import { spawnSync } from 'node:child_process';

/** Returns whether the command can be started. */
export function isInstalled(command: string): boolean {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;
}
