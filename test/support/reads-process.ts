// The process of the program that runs long reads of SQLite.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { OwnProcess } from '../../src/world.ts';

/** Starts it as `arx serve` does. `root`: the folder of the project. */
export function startReads(root = join(import.meta.dirname, '../..')): OwnProcess & { pid: number } {
  const child = spawn(process.execPath, [join(root, 'dist/reads-process.js')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return {
    pid: child.pid!,
    stdin: child.stdin,
    stdout: child.stdout,
    kill: () => void child.kill('SIGKILL'),
  };
}
