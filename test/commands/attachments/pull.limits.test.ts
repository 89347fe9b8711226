// `--max-rate` and `--max-bytes` of the commands that download files.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { EXIT } from '../../../src/exit.ts';
import type { PullReport } from '../../../src/contract/reports/files.ts';
import { serveCatalogue } from '../../support/catalogue-server.ts';
import { arx, type Ran } from '../../support/command.ts';
import type { FakeWorldOptions } from '../../support/fake-world.ts';
import { sampleData } from '../../support/sample.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const servers: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** Runs on a service with these files; `ms` is how long the sleeps took together. */
async function served(
  files: readonly string[],
  { isSized = true } = {},
): Promise<(line: string, options?: FakeWorldOptions) => Promise<Ran & { ms: number; dir: string }>> {
  const row = (content: string) => (isSized ? { bytes: content.length } : {});
  const catalogue = await serveCatalogue(files.map((content) => ({ content, row: row(content) })));
  servers.push(catalogue);
  const dir = tempFolder('limits');
  const env = { ARX_BASE_URL: catalogue.url, ARX_TOKEN: 'arx_limited' };
  return async (line, options) => {
    let now = 0;
    const clock = { monotonic: () => now, sleep: async (ms: number) => void (now += ms) };
    const ran = await arx(dir, line, { env, ...clock, ...options });
    return { ...ran, ms: now, dir };
  };
}
const TEN = Array.from({ length: 10 }, (_, at) => `${at}`.repeat(1000));

test('pull downloads all files together at the rate, and starts no worker of its own connections', async () => {
  const run = await served(TEN);
  const started: string[] = [];
  const thread: FakeWorldOptions['thread'] = (name) => {
    started.push(name);
    throw new Error(`no ${name} in this test`);
  };
  const ran = await run('attachments pull --all --to files --max-rate 2kB --concurrency 1');
  expect(ran.exit).toBe(0);
  expect(ran.ms).toBeGreaterThanOrEqual(4900);
  expect(ran.ms).toBeLessThanOrEqual(5100);
  await run('attachments pull --all --to more --max-rate 2kB', { thread }).catch(() => {});
  expect(started).not.toContain('small-file-worker');
  const free = await run('attachments pull --all --to free');
  expect(free.ms).toBe(0);
});

test('cat and content get --save keep to the rate', async () => {
  const run = await served(TEN);
  const ran = await run('attachments cat att_1 att_2 --max-rate 1kB');
  expect(ran).toMatchObject({ exit: 0, stdout: TEN[0]! + TEN[1]! });
  expect(ran.ms).toBeGreaterThanOrEqual(1900);

  const dir = tempFolder('limits-local');
  await sampleData(join(dir, 'data'));
  let slept = 0;
  const sleep = async (ms: number): Promise<void> => void (slept += ms);
  const save = 'content get msg_1 --save letter --max-rate 10kB';
  expect((await arx(dir, save, { sleep, monotonic: () => slept })).exit).toBe(0);
  expect(slept).toBeGreaterThan(0);
});

test('pull begins no file after --max-bytes, says what it left out, and goes on with the same command', async () => {
  const run = await served(TEN);
  const line = 'attachments pull --all --to files --max-bytes 3.5kB --concurrency 1';
  const first = await run(`${line} --json`);
  expect(first.exit).toBe(EXIT.partial);
  expect(first.stderr).toContain('6 files left out (6.0 kB): --max-bytes was reached');
  expect(first.stderr).toContain(`arx ${line} --json`);
  const report = JSON.parse(first.stdout) as PullReport;
  expect(report.verdicts).toMatchObject({ match: 4, missing: 6 });
  expect(report.completeness).toBe('incomplete');
  const reasons = report.files.map(({ verdict, reason }) => `${verdict} ${reason ?? ''}`);
  expect(reasons.toSorted()).toEqual([
    ...Array.from({ length: 4 }, () => 'match '),
    ...Array.from({ length: 6 }, () => 'missing not begun: --max-bytes was reached'),
  ]);
  const shown = (await run('attachments pull --all --to others --max-bytes 3.5kB --concurrency 1 -o table'))
    .stdout;
  expect(shown).toMatch(/└─ - not begun 6: --max-bytes was reached\n {3}├─ \S+ +att_\d+\n/);
  expect(shown).not.toContain('missing');
  expect(readdirSync(join(first.dir, 'files')).filter((name) => name.endsWith('.txt'))).toHaveLength(4);
  await run(line);
  const last = await run(line);
  expect(last.exit).toBe(0);
  expect(readdirSync(join(last.dir, 'files')).filter((name) => name.endsWith('.txt'))).toHaveLength(10);
});

test('of files of unknown size, no more are begun than there are connections when the limit is reached', async () => {
  const run = await served(TEN, { isSized: false });
  const ran = await run('attachments pull --all --to files --max-bytes 3.5kB --concurrency 1');
  expect(ran.exit).toBe(EXIT.partial);
  expect(ran.stderr).toContain('6 files left out (not all of known size): --max-bytes was reached');
});

test('cat names the files that it left out in the command that goes on', async () => {
  const run = await served(TEN);
  const ran = await run('attachments cat att_1 att_2 att_3 --max-bytes 1kB');
  expect(ran).toMatchObject({ exit: EXIT.partial, stdout: TEN[0]! });
  expect(ran.stderr).toContain('2 files left out (2.0 kB): --max-bytes was reached');
  expect(ran.stderr).toContain('arx attachments cat --max-bytes 1kB att_2 att_3');
});

test('content get and conversations export leave files out too', async () => {
  const dir = tempFolder('limits-local');
  await sampleData(join(dir, 'data'));
  const ids = 'msg_1 msg_2 msg_3 msg_4 msg_5 msg_6 msg_7 msg_8';
  const saved = await arx(dir, `content get ${ids} --save letters --max-bytes 1`);
  expect(saved.exit).toBe(EXIT.partial);
  expect(saved.stderr).toMatch(/\d+ files left out .*: --max-bytes was reached/);
  expect((await arx(dir, 'content get msg_1 --max-bytes 1')).exit).toBe(EXIT.usage);
});

test('limits are sizes of at least a byte, and do not go with a plan', async () => {
  const run = await served(TEN);
  for (const size of ['0', '-1', 'fast', '1XB'])
    for (const option of ['--max-rate', '--max-bytes'])
      expect(await run(`attachments pull --all ${option}=${size}`)).toMatchObject({ exit: 2, stdout: '' });
  const planned = await run('attachments pull --all --dry-run --max-bytes 1kB');
  expect(planned).toMatchObject({ exit: 2, stdout: '' });
});
