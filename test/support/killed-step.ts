// Ends a run of the real program at its n-th step: a write to a database or a bucket, or a file that is written, synced or named.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ended, Program } from './program.ts';

/**
 * `before`: nothing of the step happened; `within`: half of a message was sent, or the step happened. Steps of which there are
 * fewer end nothing. SIGINT, as Ctrl-C sends it, lets the run end by itself.
 */
export type KilledStep = { step: number; when: 'before' | 'within'; signal: 'SIGKILL' | 'SIGINT' };

/** Runs the program in a folder with this end. */
export async function runUntil(
  program: Program,
  argv: readonly string[],
  { dir, env = {}, end }: { dir: string; env?: Record<string, string>; end: KilledStep },
): Promise<Ended> {
  return program.run(argv, {
    dir,
    env: { ...env, ARX_TEST_KILL: JSON.stringify(end), NODE_OPTIONS: `--import=${PRELOAD}` },
  });
}

/** Runs the program to its end, and returns the number of its steps. */
export async function countSteps(
  program: Program,
  argv: readonly string[],
  { dir, env = {} }: { dir: string; env?: Record<string, string> },
): Promise<number> {
  const tally = join(dir, 'steps');
  const ended = await program.run(argv, {
    dir,
    env: { ...env, ARX_TEST_KILL: JSON.stringify({ step: 0, tally }), NODE_OPTIONS: `--import=${PRELOAD}` },
  });
  if (ended.exit !== 0) throw new Error(`exit ${ended.exit}: ${ended.stderr}`);
  return Number(readFileSync(tally, 'utf8'));
}

const PRELOAD = `data:text/javascript,${encodeURIComponent(`
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
const { step, when, signal, tally } = JSON.parse(process.env.ARX_TEST_KILL);
let steps = 0;
const comes = () => ++steps === step;
const end = () => process.kill(process.pid, signal);
const { write } = Socket.prototype;
Socket.prototype.write = function (chunk, ...rest) {
  if (this === process.stdout || this === process.stderr || !comes()) return write.call(this, chunk, ...rest);
  if (signal === 'SIGKILL' && when === 'within') {
    const bytes = Buffer.from(chunk);
    write.call(this, bytes.subarray(0, Math.ceil(bytes.length / 2)));
  }
  end();
  return write.call(this, chunk, ...rest);
};
for (const name of ['writeSync', 'fsync', 'fsyncSync', 'renameSync', 'linkSync']) {
  const original = fs[name];
  fs[name] = (...values) => {
    const isLast = (name !== 'writeSync' || values[0] > 2) && comes();
    if (isLast && when === 'before') end();
    const result = original(...values);
    if (isLast && when === 'within') end();
    return result;
  };
}
syncBuiltinESMExports();
if (tally !== undefined) process.on('exit', () => {
  const total = steps;
  fs.writeFileSync(tally, String(total));
});
`)}`;
