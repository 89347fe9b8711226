// `arx fsck` of a large SQLite file as real processes: its pages are checked by a process of its own, beside the rows.
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { beforeEach, expect, test } from 'vitest';
import { buildProgram, startProcess } from '../support/program.ts';
import { tempFolder } from '../support/temp-folder.ts';

const arx = buildProgram();
const PAGES_PROCESS = join(arx.launcher, '../../dist/pages-process.js');
/** Where the header of a SQLite file has the number of its unused pages. */
const UNUSED_PAGES_AT = 36;

let dir: string;
let file: string;
/** Lines that processes of ours write when they start. */
let started: string;

beforeEach(async () => {
  dir = tempFolder('fsck-pages');
  file = join(dir, 'data/archive.db');
  started = join(dir, 'started');
  writeFileSync(join(dir, 'a.eml'), 'Subject: a\nFrom: a@b\n\na\n');
  writeFileSync(started, '');
  expect(await arx.run(['import', 'a.eml'], { dir })).toMatchObject({ exit: 0 });
  // Large by pages that nothing uses.
  const database = new DatabaseSync(file);
  database.exec(
    'CREATE TABLE large (bytes BLOB); INSERT INTO large VALUES (zeroblob(40000000)); DROP TABLE large; PRAGMA wal_checkpoint(TRUNCATE)',
  );
  database.close();
});

/** Has each process of ours write its program and its id, and that which checks pages do something. */
const watched = (what = ''): Record<string, string> => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `import { appendFileSync } from 'node:fs'; const [, program] = process.argv;
    appendFileSync(${JSON.stringify(started)}, process.pid + ' ' + program + '\\n');
    if (program.endsWith('pages-process.js')) { ${what} }`,
  )}`,
});
const idOfPagesProcess = (): number =>
  Number(/^(\d+) .*pages-process\.js$/m.exec(readFileSync(started, 'utf8'))?.[1]);

function damage(): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.from([0, 0, 0, 3]), 0, 4, UNUSED_PAGES_AT);
  closeSync(handle);
}

test('what SQLite finds comes from the other process, and a small file needs none', async () => {
  const env = watched();
  expect(await arx.run(['fsck'], { dir, env })).toMatchObject({ exit: 0, stderr: '' });
  expect(idOfPagesProcess()).toBeGreaterThan(0);
  damage();
  const { exit, stdout } = await arx.run(['fsck', '--json'], { dir, env });
  expect(exit).toBe(12);
  const finding = {
    check: 'engine',
    problem: 'SQLite finds',
    subjects: [expect.stringContaining('Freelist: size is')],
  };
  expect(JSON.parse(stdout)).toMatchObject({ findings: [finding] });

  const database = new DatabaseSync(file);
  database.exec('VACUUM');
  database.close();
  writeFileSync(started, '');
  expect(await arx.run(['fsck'], { dir, env })).toMatchObject({ exit: 0 });
  expect(idOfPagesProcess()).toBeNaN();
});

test('a killed process, and one that cannot run: the pages are checked all the same', async () => {
  damage();
  for (const what of [`process.kill(process.pid, 'SIGKILL')`, 'process.exit(1)'])
    expect(await arx.run(['fsck'], { dir, env: watched(what) })).toMatchObject({
      exit: 12,
      stdout: expect.stringContaining('Freelist'),
    });
});

test('Ctrl-C while the pages are checked: exit 130 at once, no process is left, the state continues', async () => {
  const env = watched('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);');
  const running = arx.start(['fsck', '--state', 'checked', '--progress', 'json'], { dir, env });
  await running.says('stderr', /"label":"pages"/);
  process.kill(running.pid, 'SIGINT');
  expect(await running.ended).toMatchObject({ exit: 130, stderr: expect.stringContaining('is in checked') });
  // The system may take a moment to end it, and nobody may collect it.
  const isThere = () => startProcess('ps', ['-o', 'stat=', '-p', String(idOfPagesProcess())], { dir }).ended;
  let tries = 0;
  while (/^[^Z]/.test((await isThere()).stdout)) expect((tries += 1)).toBeLessThan(200);
  expect(await arx.run(['fsck', '--state', 'checked'], { dir })).toMatchObject({ exit: 0 });
});

test('the process prints nothing for a file that is no database', async () => {
  writeFileSync(join(dir, 'other'), 'x'.repeat(5_000));
  const asked = startProcess(process.execPath, [PAGES_PROCESS], { dir, stdio: ['pipe', 'pipe', 'pipe'] });
  asked.child.stdin!.end(join(dir, 'other'));
  expect(await asked.ended).toMatchObject({ stdout: '' });
});
