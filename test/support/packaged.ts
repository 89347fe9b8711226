// The built program as a package has it: without the code cache that the build makes for its own Node.
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildProgram, startProcess, type Ended } from './program.ts';
import { tempFolder } from './temp-folder.ts';

export type Packaged = {
  /** Path of the bundle. */
  main: string;
  /** Runs a command with `dir` as home, by the Node of the tests or another one. */
  run(
    args: readonly string[],
    dir: string,
    options?: { env?: Record<string, string>; node?: string },
  ): Promise<Ended>;
};

/** Returns the program in a folder of its own. */
export function packagedProgram(): Packaged {
  const built = dirname(dirname(buildProgram().launcher));
  const root = tempFolder('packaged');
  cpSync(join(built, 'bin'), join(root, 'bin'), { recursive: true });
  cpSync(join(built, 'package.json'), join(root, 'package.json'));
  mkdirSync(join(root, 'dist'));
  for (const name of readdirSync(join(built, 'dist')).filter((each) => !each.endsWith('.cache'))) {
    symlinkSync(join(built, 'dist', name), join(root, 'dist', name));
  }
  const launcher = join(root, 'bin/arx.js');
  return {
    main: join(root, 'dist/main.js'),
    run: (args, dir, { env = {}, node = process.execPath } = {}) =>
      startProcess(node, [launcher, ...args], { dir, env }).ended,
  };
}

/** Returns the files of the code cache below a home folder, with what each holds. */
export function codeCacheIn(home: string): Map<string, Buffer> {
  const folder = join(home, '.cache/arx/code');
  return new Map(readdirSync(folder).map((name) => [join(folder, name), readFileSync(join(folder, name))]));
}

/** Other versions of Node that the long tests use, set by those who installed them. */
export const otherNodes = (process.env['ARX_TEST_NODES'] ?? '').split(' ').filter((path) => path !== '');
