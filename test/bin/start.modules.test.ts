// What a start loads of Node itself: each of these modules takes a list of the local archive about 1 ms.
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagedProgram } from '../support/packaged.ts';
import { startProcess } from '../support/program.ts';
import { tempFolder } from '../support/temp-folder.ts';

const LATE = new Set(['fs/promises', 'net', 'perf_hooks', 'readline', 'tty', 'v8', 'worker_threads']);

test('a list of the local archive into a file loads no clock, terminal, network, thread or second file system of Node', async () => {
  const { main, run } = packagedProgram();
  const dir = tempFolder('home');
  const notes = tempFolder('notes');
  for (let n = 0; n < 21; n++) writeFileSync(join(notes, `note-${n}.txt`), `note ${n}`);
  expect(await run(['import', '--kind', 'folder', notes], dir)).toMatchObject({ exit: 0 });
  const [preload, loaded] = [join(dir, 'preload.cjs'), join(dir, 'loaded.json')];
  writeFileSync(
    preload,
    `process.on('exit', () =>
      require('node:fs').writeFileSync(${JSON.stringify(loaded)}, JSON.stringify(process.moduleLoadList)))`,
  );
  const output = openSync(join(dir, 'list.json'), 'w');
  const launcher = join(main, '../../bin/arx.js');
  const ended = await startProcess(
    process.execPath,
    ['--require', preload, launcher, 'attachments', 'ls', '--json'],
    { dir, stdio: ['ignore', output, 'pipe'] },
  ).ended;
  closeSync(output);
  expect(ended.exit).toBe(0);
  expect(JSON.parse(readFileSync(join(dir, 'list.json'), 'utf8'))).toMatchObject({
    summary: { rows: 20, total: 21 },
  });
  const names = (JSON.parse(readFileSync(loaded, 'utf8')) as string[]).map((name) => name.split(' ').at(-1)!);
  expect(names).toContain('crypto');
  expect(names.filter((name) => LATE.has(name))).toEqual([]);
});
