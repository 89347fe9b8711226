// `arx attachments verify` while a pull writes into the folder: each file is as it was, as it will be, or not there.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { VerifyReport } from '../../../src/contract/reports/files.ts';
import { MANIFEST_FILE } from '../../../src/download/manifest.ts';
import { serveCatalogue, type ForeignFile } from '../../support/catalogue-server.ts';
import { arx } from '../../support/command.ts';
import { sha256Of } from '../../support/digest.ts';
import { answer, type Misbehaving } from '../../support/misbehaving-server.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('during')));
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const ENV = { LANG: 'C.UTF-8', ARX_TOKEN: 'a-token' };
const pull = (line = '') =>
  arx(dir, `attachments pull --all --to dl --json --base-url ${server!.url} --insecure-http ${line}`, {
    env: ENV,
  });

async function verify(
  options: Parameters<typeof arx>[2] = {},
): Promise<{ exit: number; stderr: string; report: VerifyReport }> {
  const { exit, stdout, stderr } = await arx(dir, 'attachments verify dl --json', { env: ENV, ...options });
  return { exit, stderr, report: JSON.parse(stdout) as VerifyReport };
}

/** A file whose second half is sent when it is released. */
function heldFile(content: string): { file: ForeignFile; asked: Promise<void>; release(): void } {
  let ask!: () => void;
  const asked = new Promise<void>((resolve) => (ask = resolve));
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  const bytes = answer(200, content);
  const half = bytes.length - Math.floor(content.length / 2);
  return {
    file: {
      content,
      script: (socket) => {
        socket.write(bytes.subarray(0, half));
        ask();
        void released.then(() => socket.write(bytes.subarray(half)));
      },
    },
    asked,
    release,
  };
}

const NEW = 'new content '.repeat(20_000);

test('H6 a file that is being downloaded is not there', async () => {
  const held = heldFile(NEW);
  server = await serveCatalogue([{ content: 'first' }, held.file, { content: 'third' }]);
  const pulling = pull();
  await held.asked;
  const { exit, report } = await verify();
  // Nothing, or files that no line of the manifest names yet: no reason to fail.
  expect([0, 3]).toContain(exit);
  for (const { path, verdict } of report.files)
    expect([path, verdict]).toEqual([
      expect.not.stringMatching(/file-2|part$/),
      expect.stringMatching(/match|extra/),
    ]);
  held.release();
  expect((await pulling).exit).toBe(0);
  const after = await verify();
  expect([after.exit, after.report.verdicts.match]).toEqual([0, 3]);
});

test('H6 a file that is being replaced is the old one, then the new one', async () => {
  server = await serveCatalogue([{ content: 'old' }, { content: 'second' }]);
  expect((await pull()).exit).toBe(0);
  await server.close();
  const held = heldFile(NEW);
  server = await serveCatalogue([held.file, { content: 'second' }]);
  const pulling = pull('--force');
  await held.asked;
  const during = await verify();
  // The pull has not ended, so its completeness is not known.
  expect([during.exit, during.report.completeness]).toEqual([3, 'unknown']);
  expect(during.report.files).toMatchObject([
    { path: 'file-1.txt', verdict: 'match', actual: sha256Of('old') },
    { path: 'file-2.txt', verdict: 'match' },
  ]);
  held.release();
  expect((await pulling).exit).toBe(3);
  const after = await verify();
  expect([after.exit, after.report.files[0]?.actual]).toEqual([0, sha256Of(NEW)]);
});

/** A line of the manifest for a file of this content. */
const line = (id: string, path: string, content: string) =>
  `${JSON.stringify({ id, path, sha256: sha256Of(content), bytes: content.length, redacted: false })}\n`;

test('H6 a file that was replaced before its line was written is the new one', async () => {
  server = await serveCatalogue([{ content: 'old' }, { content: 'gone' }]);
  expect((await pull()).exit).toBe(0);
  const manifest = join(dir, 'dl', MANIFEST_FILE);
  const before = readFileSync(manifest, 'utf8');
  // What is on the disk between two steps of a pull.
  writeFileSync(join(dir, 'dl/file-1.txt'), 'new');
  const waits: number[] = [];
  const { exit, report } = await verify({
    sleep: async (ms) => {
      waits.push(ms);
      writeFileSync(manifest, before + line('att_1', 'file-1.txt', 'new'));
    },
  });
  expect(waits).toHaveLength(1);
  expect([exit, report.files[0]]).toMatchObject([
    0,
    { path: 'file-1.txt', verdict: 'match', actual: sha256Of('new') },
  ]);
});

test('H6 a file that differs is waited for once, and is reported', async () => {
  server = await serveCatalogue([{ content: 'old' }, { content: 'gone' }]);
  expect((await pull()).exit).toBe(0);
  writeFileSync(join(dir, 'dl/file-1.txt'), 'altered');
  const waits: number[] = [];
  const { exit, report } = await verify({ sleep: async (ms) => void waits.push(ms) });
  expect(waits).toHaveLength(1);
  expect([exit, report.files[0]?.verdict]).toEqual([12, 'mismatch']);
});

test('H6 verifying again and again while many files are replaced never fails', async () => {
  const files = (word: string) =>
    Array.from({ length: 150 }, (_, index) => ({ content: `${word} ${index}` }));
  server = await serveCatalogue(files('old'));
  expect((await pull()).exit).toBe(0);
  await server.close();
  server = await serveCatalogue(files('new'));
  const run = { isPulling: true };
  const pulling = pull('--force').finally(() => (run.isPulling = false));
  let verified = 0;
  // The sleep of a real world lets the pull go on.
  const sleep = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_000));
  while (run.isPulling) {
    const { exit, report } = await verify({ sleep });
    // 3: the pull has not ended.
    expect([0, 3]).toContain(exit);
    expect(report.files.filter(({ verdict }) => verdict !== 'match')).toEqual([]);
    verified += 1;
  }
  expect((await pulling).exit).toBe(3);
  expect(verified).toBeGreaterThan(0);
});
