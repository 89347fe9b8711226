// Real exports killed (I1) and on disks that fail (I2, J3): a bag stands whole under its name or not at all, and what the dead left goes.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MANIFEST_FILE } from '../../../src/download/manifest.ts';
import { arx } from '../../support/command.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { buildProgram, startProcess, type Ended, type Program } from '../../support/program.ts';
import { sha256Of } from '../../support/digest.ts';

let program: Program;
beforeAll(() => void (program = buildProgram()));

let dir: string;
beforeEach(() => void (dir = tempFolder('exporting')));
beforeEach(() => {
  mkdirSync(join(dir, 'dl'));
  const lines = Array.from({ length: 20 }, (_, index) => {
    const [path, content] = [`file-${index}.txt`, `file ${index} `.repeat(1 + 700 * index)];
    writeFileSync(join(dir, 'dl', path), content);
    return `${JSON.stringify({ id: `att_${index}`, path, sha256: sha256Of(content), bytes: content.length, redacted: false })}\n`;
  });
  writeFileSync(join(dir, 'dl', MANIFEST_FILE), lines.join(''));
});

const hasStrace = spawnSync('strace', ['-V']).status === 0;
if (!hasStrace)
  process.stderr.write('SKIPPED: strace is not here; failing system calls of export are not tested\n');

const line = (to: string) => ['attachments', 'export', 'dl', '--offline', '--json', '--to', to];
const leftovers = () => readdirSync(dir).filter((name) => name.startsWith('.arx-'));
/** strace counts the calls of each thread, so there is one. */
const env = { UV_THREADPOOL_SIZE: '1' };
const injected = (to: string, injection: string): Promise<Ended> => {
  const call = injection.slice(0, injection.indexOf(':'));
  const traced = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${injection}`];
  return startProcess('strace', [...traced, process.execPath, program.launcher, ...line(to)], { dir, env })
    .ended;
};
const isValid = async (to: string) => (await arx(dir, `attachments verify ${to} --against bag`)).exit === 0;

describe.skipIf(!hasStrace).each(['bag', 'bag.zip'])('%s', (to) => {
  /** What gives it its name. */
  const name = to === 'bag' ? 'rename' : 'link';

  test.each([
    'pwrite64:error=ENOSPC:when=1+',
    'pwrite64:error=EIO:when=1',
    'pwrite64:error=EDQUOT:when=2',
    'fsync:error=EIO:when=1+',
    'fsync:error=ENOSPC:when=2',
    `${name}:error=EIO:when=1+`,
    `${name}:error=EROFS:when=1`,
  ])('%s: exit 14, nothing stands there, and the next comes out well', async (injection) => {
    const { exit, stderr } = await injected(to, injection);
    expect([exit, stderr.split('\n').at(-2)]).toEqual([14, expect.stringContaining('"exit":14')]);
    // Its name may be all that was not synced.
    const isNamed = existsSync(join(dir, to));
    if (isNamed) expect([injection, await isValid(to)]).toEqual(['fsync:error=ENOSPC:when=2', true]);
    expect(leftovers()).toEqual([]);
    if (isNamed) rmSync(join(dir, to), { recursive: true });
    expect((await program.run(line(to), { dir })).exit).toBe(0);
    expect(await isValid(to)).toBe(true);
  });

  test('short writes: a disk that fills up within a file', async () => {
    const cramped = ['-c', 'ulimit -f 4; exec "$@"', 'sh', process.execPath, program.launcher, ...line(to)];
    expect((await startProcess('sh', cramped, { dir }).ended).exit).toBe(14);
    expect([existsSync(join(dir, to)), leftovers()]).toEqual([false, []]);
  });

  test.each([
    'pwrite64:signal=SIGKILL:when=2',
    'fsync:signal=SIGKILL:when=1',
    `${name}:signal=SIGKILL:when=1`,
  ])(
    'killed at %s: nothing but a whole bag has its name, and the next removes what was left',
    async (injection) => {
      await injected(to, injection);
      // The call itself may still have been done.
      if (existsSync(join(dir, to))) {
        expect(await isValid(to)).toBe(true);
        rmSync(join(dir, to), { recursive: true });
      } else expect(leftovers()).toHaveLength(1);
      const living = `.arx-0123456789abcdef-${process.pid}.bag`;
      mkdirSync(join(dir, living));
      expect((await program.run(line(to), { dir })).exit).toBe(0);
      expect(await isValid(to)).toBe(true);
      expect(leftovers()).toEqual([living]);
    },
  );
});
