// The built explorer at a real terminal: at any end the terminal is as it was, and Ctrl-Z leaves it to the shell.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildProgram, type Program, type Running } from '../support/program.ts';
import { sampleData } from '../support/sample.ts';
import { atTerminal } from '../support/shell.ts';
import { tempFolder } from '../support/temp-folder.ts';

let arx: Program;
let dir: string;
beforeAll(async () => {
  arx = buildProgram();
  dir = tempFolder('explore-terminal');
  await sampleData(join(dir, 'data'));
  // Ends like an error that nobody expected.
  writeFileSync(
    join(dir, 'crash.cjs'),
    `process.on('SIGUSR2', () => setImmediate(() => { throw new Error('a crash'); }));`,
  );
  // The build takes most of it.
});

/* oxlint-disable no-control-regex */
const ENTERED = /\u001b\[\?1049h[^]*Files by type/;
const LEFT = /\u001b\[\?25h\u001b\[\?1049l/;

/** A bash at a terminal that runs the explorer, and then says how it ended and whether the settings of the terminal are the same. */
function start(name: string, { after = '', nodeOptions = '' } = {}): Running & { explorer(): number } {
  const folder = join(dir, name);
  mkdirSync(folder);
  const run = `sh -c 'echo $$ > ${folder}/pid; exec node ${nodeOptions} ${arx.launcher} explore'`;
  const line = `ulimit -c 0; stty cols 90 rows 30; stty -g > ${folder}/before; set -m; ${run}; echo "exit $?"; ${after} stty -g | cmp - ${folder}/before && echo "as before"`;
  const env = { ARX_DATA_DIR: join(dir, 'data'), LANG: 'C.UTF-8' };
  const running = atTerminal(line, { dir, env });
  return { ...running, explorer: () => Number(readFileSync(join(folder, 'pid'), 'utf8')) };
}

const END = /exit (\d+)\r\n[^]*as before/;
const leaves = async (running: Running): Promise<string> => {
  const text = await running.says('stdout', END);
  expect(text).toMatch(LEFT);
  return END.exec(text)![1]!;
};

test.concurrent.each([
  ['q', 'q', '0'],
  ['ctrl-c', '\x03', '0'],
])('%s', async (name, keys, exit) => {
  const running = start(name);
  await running.says('stdout', ENTERED);
  running.child.stdin!.write(keys);
  expect(await leaves(running)).toBe(exit);
});

test.concurrent.each([
  ['SIGINT', '130'],
  ['SIGTERM', '143'],
  ['SIGHUP', '129'],
  ['SIGQUIT', '131'],
  ['SIGABRT', '134'],
  ['SIGALRM', '142'],
  ['SIGXCPU', '152'],
] as const)('%s', async (signal, exit) => {
  const running = start(signal);
  await running.says('stdout', ENTERED);
  process.kill(running.explorer(), signal);
  expect(await leaves(running)).toBe(exit);
});

test.concurrent('an error that nobody expected is read on the normal screen', async () => {
  const running = start('crash', { nodeOptions: `--require ${join(dir, 'crash.cjs')}` });
  await running.says('stdout', ENTERED);
  process.kill(running.explorer(), 'SIGUSR2');
  const exit = await leaves(running);
  expect(exit).not.toBe('0');
  const { stdout } = await running.ended;
  expect(stdout.split('\u001b[?1049l').at(-1)).toContain('a crash');
});

test.concurrent('Ctrl-Z gives the terminal to the shell, and fg draws the screen again', async () => {
  const running = start('suspend', { after: 'echo "stopped here"; fg; echo "exit $?";' });
  await running.says('stdout', ENTERED);
  running.child.stdin!.write('\x1a');
  await running.says(
    'stdout',
    /\u001b\[\?1049l[^]*exit 14[78]\r\nstopped here[^]*\u001b\[\?1049h[^]*Files by type/,
  );
  running.child.stdin!.write('q');
  await running.says('stdout', /exit 0\r\n[^]*as before/);
});
