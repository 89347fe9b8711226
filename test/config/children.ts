// Child processes that use a token store, built once, and a tracer that hurts them at a chosen system call.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { beforeAll } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';

const root = new URL('../..', import.meta.url).pathname;
let program = '';

/** Call once in a test file: bundles the child's program into a folder that goes with the tests. */
export function buildChild(): void {
  let folder = '';
  beforeAll(async () => {
    folder = tempFolder('child');
    program = `${folder}/child.mjs`;
    await build({
      entryPoints: [join(root, 'test/config/put-child.ts')],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      external: ['conf'],
    });
    symlinkSync(resolve(root, 'node_modules'), `${folder}/node_modules`);
  });
}

export const hasStrace = spawnSync('strace', ['-V']).status === 0;
if (!hasStrace)
  process.stderr.write('SKIPPED: strace is not here; kills and failing system calls are not tested\n');

/** System calls of a put and how many of each an undisturbed one makes. */
export const CALLS: [call: string, count: number][] = [
  ['mkdir', 1],
  ['symlink', 1],
  ['openat', 6],
  ['getdents64', 2],
  ['pwrite64', 1],
  ['fsync', 2],
  ['close', 6],
  ['rename', 1],
  ['readlink', 2],
  ['unlink', 1],
];

export type Ended = { output: string; signal: NodeJS.Signals | null };
type Child = { process: ChildProcess; go(): void; ended: Promise<Ended> };

/** Starts a child that has loaded everything and waits for its `go`. */
export function startChild(...words: string[]): Promise<Child> {
  return start(process.execPath, [program, ...words]);
}

/** The same, where no file can grow beyond 512 bytes: writes are cut there, as on a disk that fills up. */
export function startCrampedChild(...words: string[]): Promise<Child> {
  return start('sh', ['-c', 'ulimit -f 1; exec "$@"', 'sh', process.execPath, program, ...words]);
}

async function start(command: string, words: string[]): Promise<Child> {
  const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'ignore'] });
  let output = '';
  const ended = new Promise<Ended>((done) => {
    child.on('close', (_code, signal) => done({ output: output.replace(/^ready\n/, '').trim(), signal }));
  });
  await new Promise<void>((ready) => {
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output.startsWith('ready\n')) ready();
    });
    child.on('close', () => ready());
  });
  return { process: child, go: () => child.stdin.end('\n'), ended };
}

/** Runs a child to its end with `injection` (as strace takes it after `inject=`) from its go on. */
export function hurtChild(injection: string, ...words: string[]): Promise<Ended> {
  const call = injection.slice(0, injection.indexOf(':'));
  return traceChild(['-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${injection}`], words);
}

/** Runs a child to its end under strace with these options, attached before its go. */
export async function traceChild(options: string[], words: string[]): Promise<Ended> {
  const child = await startChild(...words);
  const tracer = spawn('strace', ['-f', '-p', String(child.process.pid), ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = new Promise((done) => tracer.on('close', done));
  await new Promise<void>((attached) => {
    tracer.stderr.on('data', (chunk) => String(chunk).includes('attached') && attached());
    tracer.on('close', () => attached());
  });
  child.go();
  const ended = await child.ended;
  await gone;
  return ended;
}
