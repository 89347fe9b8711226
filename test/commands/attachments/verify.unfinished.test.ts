// `arx attachments verify` of a folder whose pull did not keep every file, or did not end: it never says complete.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { VerifyReport } from '../../../src/contract/reports/files.ts';
import { EXIT } from '../../../src/exit.ts';
import { Fault } from '../../../src/faults.ts';
import { MANIFEST_FILE } from '../../../src/download/manifest.ts';
import { serveCatalogue, type ForeignFile } from '../../support/catalogue-server.ts';
import { arx, type Ran } from '../../support/command.ts';
import type { Misbehaving } from '../../support/misbehaving-server.ts';
import { answer } from '../../support/misbehaving-server.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('unfinished')));
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const SIZED = (content: string): ForeignFile => ({ content, row: { bytes: content.length } });
async function serve(files: readonly ForeignFile[]): Promise<void> {
  await server?.close();
  server = await serveCatalogue(files);
}
const pull = (words: string, options = {}): Promise<Ran> =>
  arx(dir, `attachments pull ${words} --to dl --base-url ${server!.url} --retries 0 --json`, {
    env: { ARX_TOKEN: 'arx_any' },
    ...options,
  });
async function verified(words = ''): Promise<{ exit: number; stderr: string; report: VerifyReport }> {
  const { exit, stdout, stderr } = await arx(dir, `attachments verify dl --json ${words}`);
  return { exit, stderr, report: JSON.parse(stdout) as VerifyReport };
}
const names = (): string[] => readdirSync(join(dir, 'dl')).sort();

test('a file whose hash did not match is missing, with the reason, until it is pulled', async () => {
  const wrong: ForeignFile['script'] = (socket) => void socket.write(answer(200, 'jello'));
  await serve([SIZED('a'), { content: 'hello', script: wrong }]);
  expect((await pull('--all')).exit).toBe(EXIT.integrity);
  const { exit, stderr, report } = await verified();
  expect([exit, report.completeness, report.fixity]).toEqual([EXIT.integrity, 'incomplete', 'ok']);
  expect(report.files[1]).toMatchObject({
    id: 'att_2',
    path: 'file-2.txt',
    verdict: 'missing',
    reason: expect.stringContaining('sha256'),
  });
  expect(stderr).toContain('1 file missing: the pull could not keep it');
  expect(stderr).toContain('run that pull again');
  const sums = await arx(dir, 'attachments verify dl -o sums');
  expect(sums.stdout).toContain('  file-2.txt\n');
  expect((await arx(dir, 'attachments export --format bagit --to bag --from dl --offline')).exit).not.toBe(0);

  await serve([SIZED('a'), SIZED('hello')]);
  expect((await pull('--all')).exit).toBe(0);
  expect(await verified()).toMatchObject({ exit: 0, report: { completeness: 'complete' } });
  expect(names()).toEqual([MANIFEST_FILE, 'file-1.txt', 'file-2.txt']);
});

test('a file that could not be fetched is missing; one without a hash cannot be checked', async () => {
  const gone: ForeignFile['script'] = (socket) => void socket.write(answer(404, 'no'));
  await serve([SIZED('a'), { content: 'b', script: gone }, { content: 'c', row: { sha256: undefined } }]);
  await pull('--all');
  const { exit, report } = await verified();
  expect([exit, report.completeness]).toEqual([EXIT.integrity, 'incomplete']);
  expect(report.files.map(({ verdict }) => verdict)).toEqual(['match', 'missing', 'unverifiable']);
});

test('a file that an earlier pull kept stays known by its hash', async () => {
  await serve([SIZED('a')]);
  await pull('--all');
  rmSync(join(dir, 'dl', 'file-1.txt'));
  await serve([{ content: 'a', script: (socket) => void socket.write(answer(404, 'no')) }]);
  await pull('--all');
  const { exit, report, stderr } = await verified();
  expect([exit, report.files[0]?.verdict]).toEqual([EXIT.integrity, 'missing']);
  expect(stderr).toContain('arx: 1 file missing: file-1.txt [');
});

test('what --max-bytes left out makes the completeness unknown until the rest is there', async () => {
  await serve(['a', 'b', 'c'].map(SIZED));
  expect((await pull('--all --max-bytes 2')).exit).toBe(EXIT.partial);
  const { exit, report, stderr } = await verified();
  expect([exit, report.completeness, report.fixity]).toEqual([EXIT.partial, 'unknown', 'ok']);
  expect(stderr).toContain('did not end, or left files out (--max-bytes)');
  rmSync(join(dir, 'dl', 'file-1.txt'));
  const less = await verified();
  expect([less.exit, less.report.verdicts.missing]).toEqual([EXIT.integrity, 1]);
  expect(less.stderr).toContain('arx: at least 1 file missing: ');
  // Another pull that ends says nothing of this one.
  await pull('att_1');
  expect((await verified()).exit).toBe(EXIT.partial);
  await pull('--all --max-bytes 5');
  expect(await verified()).toMatchObject({ exit: 0, report: { completeness: 'complete' } });
});

test('so does an interruption; a pull of all files ends every other one', async () => {
  const controller = new AbortController();
  const stop: ForeignFile['script'] = () => controller.abort(new Fault('interrupted', 'stopped'));
  await serve([SIZED('a'), { content: 'b', script: stop }]);
  await pull('--name *.txt --concurrency 1', { signal: controller.signal });
  expect(await verified()).toMatchObject({ exit: EXIT.partial, report: { completeness: 'unknown' } });
  expect(await verified('--against catalogue --offline').catch(() => undefined)).toBeUndefined();
  await serve([SIZED('a'), SIZED('b')]);
  expect((await pull('--all')).exit).toBe(0);
  expect(await verified()).toMatchObject({ exit: 0, report: { completeness: 'complete' } });
});

test('so does the end of --max-time, which is said once, with what is kept', async () => {
  const controller = new AbortController();
  const late = new Fault('network', 'not done within 2 s', { hint: '--max-time allows more' });
  const stop: ForeignFile['script'] = () => controller.abort(late);
  await serve([
    SIZED('a'),
    { content: 'b', script: stop },
    ...Array.from({ length: 30 }, () => ({ content: 'c', script: () => {} })),
  ]);
  const { exit, stderr } = await pull('--all --concurrency 4', { signal: controller.signal });
  expect([exit, stderr.match(/^arx: .*/gm)]).toEqual([
    EXIT.network,
    ['arx: not done within 2 s [network, exit 10]'],
  ]);
  expect(stderr).toMatch(/^ {2}kept: [01] files? in the folder$/m);
  expect(await verified()).toMatchObject({ exit: EXIT.partial, report: { completeness: 'unknown' } });
});

test('an interruption enters every file that got its name, also behind one that did not end', async () => {
  const controller = new AbortController();
  const hang: ForeignFile['script'] = () => {};
  const stop: ForeignFile['script'] = () => controller.abort(new Fault('interrupted', 'stopped'));
  await serve([
    { content: 'a', script: hang },
    ...['b', 'c', 'd', 'e'].map(SIZED),
    { content: 'f', script: stop },
  ]);
  const { stderr } = await pull('--all --concurrency 2', { signal: controller.signal });
  const kept = names().filter((name) => name.startsWith('file-'));
  expect(kept.length).toBeGreaterThanOrEqual(2);
  expect(stderr).toContain(`interrupted: ${kept.length} files in the folder;`);
  const { report } = await verified();
  expect(report.verdicts).toMatchObject({ match: kept.length, extra: 0 });
  expect(report.completeness).toBe('unknown');
});

test('files that could not be kept are not counted as files in the folder', async () => {
  const controller = new AbortController();
  const gone: ForeignFile['script'] = (socket) => void socket.write(answer(404, 'no'));
  const stop: ForeignFile['script'] = () => controller.abort(new Fault('interrupted', 'stopped'));
  await serve([{ content: 'a', script: gone }, SIZED('b'), { content: 'c', script: stop }]);
  const { stderr } = await pull('--all --concurrency 1', { signal: controller.signal });
  const kept = names().filter((name) => name.startsWith('file-'));
  expect(stderr).toContain(`interrupted: ${kept.length} file${kept.length === 1 ? '' : 's'} in the folder;`);
});
