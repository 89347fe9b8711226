// What the launcher answers itself: version, help and completions, without the streams of Node.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildProgram, startProcess, type Program } from '../support/program.ts';
import { tempFolder } from '../support/temp-folder.ts';

let arx: Program;
beforeAll(() => {
  arx = buildProgram();
});

const COMPLETE = ['__complete', 'bash', 'attachments', '--', '', 'arx attachments show '];
const CASES = [[['--version']], [['--help']], [['attachments', 'ls', '--help']], [COMPLETE]];

/** Runs the launcher after a script. */
async function runAfter(script: string, args: readonly string[]) {
  const dir = tempFolder('home');
  const preload = join(dir, 'preload.cjs');
  writeFileSync(preload, script);
  return startProcess(process.execPath, ['--require', preload, arx.launcher, ...args], { dir }).ended;
}

test.each(CASES)('%j loads neither streams nor sockets', async (args) => {
  const ended = await runAfter(
    `process.on('exit', () => require('node:fs').writeSync(2, process.moduleLoadList.join('\\n')))`,
    args,
  );
  expect(ended).toMatchObject({ exit: 0 });
  const loaded = ended.stderr.split('\n').map((name) => name.split(' ').at(-1));
  expect(loaded).toContain('fs');
  expect(loaded.filter((name) => name === 'stream' || name === 'net' || name === 'tty')).toEqual([]);
});

test.each(CASES)('%j is written whole where the pipe is full at first, or takes a part', async (args) => {
  const { stdout } = await arx.run(args, { dir: tempFolder('home') });
  const isFull = await runAfter(
    `require('node:fs').writeSync = () => { throw Object.assign(new Error('full'), { code: 'EAGAIN' }); };`,
    args,
  );
  expect(isFull).toEqual({ stdout, stderr: '', exit: 0, signal: null });
  const takesParts = await runAfter(
    `const fs = require('node:fs');
    const { writeSync } = fs;
    fs.writeSync = (fd, bytes) => writeSync(fd, bytes.subarray(0, 3));`,
    args,
  );
  expect(takesParts).toEqual({ stdout, stderr: '', exit: 0, signal: null });
});
