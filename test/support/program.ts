// The program as it is shipped, built once per test run, and started as real processes with folders of their own.
import { execFileSync, spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from './temp-folder.ts';

const ROOT = join(import.meta.dirname, '../..');

export type Ended = { stdout: string; stderr: string; exit: number | null; signal: NodeJS.Signals | null };
export type Running = {
  child: ChildProcess;
  pid: number;
  /** Resolves when what was written to the stream so far matches; rejects when the process ends before. */
  says(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string>;
  ended: Promise<Ended>;
};
export type StartOptions = {
  /** Home, current folder, and parent of `data` and `config`. */
  dir: string;
  env?: Record<string, string>;
  stdio?: StdioOptions;
};
export type Program = {
  /** Path of the launcher. */
  launcher: string;
  start(args: readonly string[], options: StartOptions): Running;
  run(args: readonly string[], options: StartOptions): Promise<Ended>;
};

/** Environment variable: the folder in which the program of this test run is built (`global-setup.ts`). */
export const PROGRAM_FOLDER = 'ARX_TEST_PROGRAM';

/**
 * Returns the program as an installed package. It is built from the sources once per test run, by the first caller;
 * callers in other processes wait until it is there. Outside of the test runner each call builds it.
 */
export function buildProgram(): Program {
  const root = process.env[PROGRAM_FOLDER] ?? tempFolder('program');
  const built = join(root, 'built');
  if (claim(join(root, 'bin'))) {
    // Some tests run it as another user.
    chmodSync(root, 0o755);
    for (const name of ['arx.js', 'start.js', 'code-cache.js'])
      cpSync(join(ROOT, 'bin', name), join(root, 'bin', name));
    cpSync(join(ROOT, 'package.json'), join(root, 'package.json'));
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    // Last, because the build runs what it built.
    execFileSync(process.execPath, [join(ROOT, 'bin/build.mjs'), join(root, 'dist')], { stdio: 'pipe' });
    writeFileSync(built, '');
  } else waitFor(built);
  const launcher = join(root, 'bin/arx.js');
  const start: Program['start'] = (args, options) =>
    startProcess(process.execPath, [launcher, ...args], options);
  return { launcher, start, run: (args, options) => start(args, options).ended };
}

/** Makes the folder. Returns false if it is already there. */
function claim(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** Blocks until the file exists. Throws after a minute. */
function waitFor(file: string): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 0; !existsSync(file); tries += 1) {
    if (tries === 1_200) throw new Error('the program was not built: see the first test that needs it');
    Atomics.wait(pause, 0, 0, 50);
  }
}

/** What a run sees of the outside: nothing of this process but PATH. */
export function outside(dir: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: dir,
    ARX_DATA_DIR: join(dir, 'data'),
    ARX_CONFIG_DIR: join(dir, 'config'),
    LANG: 'C.UTF-8',
  };
}

/** Nobody is left behind by a run that ends early. */
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Any command in the same surroundings as the program; stdin is empty unless `stdio` says otherwise. */
export function startProcess(command: string, args: readonly string[], options: StartOptions): Running {
  const child = spawn(command, args, {
    cwd: options.dir,
    env: { ...outside(options.dir), ...options.env },
    stdio: options.stdio ?? ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  const text = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (chunk: string) => (text[stream] += chunk));
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exit, signal) => resolve({ ...text, exit, signal }));
  });
  return {
    child,
    pid: child.pid ?? 0,
    ended,
    says: (stream, pattern) =>
      new Promise((resolve, reject) => {
        const look = () => pattern.test(text[stream]) && resolve(text[stream]);
        child[stream]?.on('data', look);
        look();
        void ended.then(({ stdout, stderr }) =>
          reject(new Error(`ended before ${pattern}: ${stdout}${stderr}`)),
        );
      }),
  };
}
