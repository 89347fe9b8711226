// Comparing a folder with what is expected: a verdict for each file (bad inputs D10 to D13).
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { VerifyReport } from '../../src/contract/reports/files.ts';
import { compareFolder, readFolder } from '../../src/verify/check-folder.ts';
import { digestFile } from '../../src/verify/digest.ts';
import { MANIFEST_FILE } from '../../src/download/manifest.ts';
import { isOwnFile } from '../../src/download/own-files.ts';
import { verifyFaultsOf, verdictRow, verifyReportOf, type ExpectedFile } from '../../src/verify/verdicts.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { sha256Of } from '../support/digest.ts';

const signal = new AbortController().signal;
let dir: string;
beforeEach(() => void (dir = tempFolder('check')));

async function check(expected: ExpectedFile[], whole = true) {
  const files = compareFolder(
    expected,
    await readFolder(dir, { signal, thread: undefined, isIgnored: isOwnFile }).contents,
  );
  const report = verifyReportOf(files, whole);
  expect(VerifyReport.parse(report)).toEqual(report);
  return { report, kinds: verifyFaultsOf(report, 'manifest').map((fault) => fault.kind) };
}
const row = (path: string | null, content: string, more: Partial<ExpectedFile> = {}): ExpectedFile => ({
  id: `att_${path}`,
  path,
  sha256: sha256Of(content),
  ...more,
});
const verdictsOf = (report: VerifyReport) =>
  Object.fromEntries(report.files.map((file) => [file.path, file.verdict]));

test('every file matches', async () => {
  await writeFile(join(dir, 'a'), 'A');
  await mkdir(join(dir, 'sub'));
  await writeFile(join(dir, 'sub', 'b'), 'B');
  const { report, kinds } = await check([row('a', 'A', { bytes: 1 }), row('sub/b', 'B')]);
  expect(report).toMatchObject({ checked: 2, bytes: 2, fixity: 'ok', completeness: 'complete' });
  expect(kinds).toEqual([]);
  expect((await check([row('a', 'A'), row('sub/b', 'B')], false)).report.completeness).toBe('unknown');
});

test('D10, D13: different, missing, extra, folder, link, FIFO, withheld and uncheckable files are each named', async () => {
  for (const name of ['same', 'other', 'extra', 'long', 'nohash']) await writeFile(join(dir, name), name);
  await mkdir(join(dir, 'folder'));
  await symlink(join(dir, 'same'), join(dir, 'link'));
  execFileSync('mkfifo', [join(dir, 'fifo')]);
  const { report, kinds } = await check([
    row('same', 'same'),
    row('other', 'else'),
    row('long', 'long', { bytes: 9 }),
    row('gone', 'gone'),
    row('folder', 'folder'),
    row('link', 'same'),
    row('fifo', 'fifo'),
    row('nohash', '', { sha256: null }),
    row(null, 'secret', { redacted: true }),
  ]);
  expect(verdictsOf(report)).toEqual({
    same: 'match',
    other: 'mismatch',
    long: 'mismatch',
    gone: 'missing',
    folder: 'unreadable',
    link: 'unreadable',
    fifo: 'unreadable',
    nohash: 'unverifiable',
    extra: 'extra',
    null: 'withheld',
  });
  expect(report).toMatchObject({ checked: 3, fixity: 'failed', completeness: 'incomplete' });
  expect(kinds).toEqual(['integrity', 'integrity', 'disk', 'partial', 'partial']);
  expect(report.files.find((file) => file.path === 'other')).toMatchObject({
    expected: sha256Of('else'),
    actual: sha256Of('other'),
  });
});

test('D12: verifying nothing is no success', async () => {
  const { report, kinds } = await check([]);
  expect(report).toMatchObject({ checked: 0, fixity: 'nothing_checked' });
  expect(kinds).toEqual(['partial']);
  await writeFile(join(dir, 'extra'), '');
  expect((await check([])).kinds).toEqual(['partial']);
});

test('an expected file without a path is found by its hash; the manifest and partial files do not count', async () => {
  await writeFile(join(dir, 'renamed'), 'A');
  await writeFile(join(dir, MANIFEST_FILE), '');
  await writeFile(join(dir, `.arx-${'0'.repeat(16)}.part`), 'half');
  const { report } = await check([row(null, 'A'), row(null, 'A'), row(null, 'B')]);
  expect(report.files.map((file) => file.verdict)).toEqual(['match', 'missing', 'missing']);
});

test('a path that is no folder, and a missing folder', async () => {
  await writeFile(join(dir, 'file'), '');
  for (const [name, kind] of [
    ['file', 'unsafe'],
    ['none', 'disk'],
  ] as const) {
    await expect(readFolder(join(dir, name), { signal, thread: undefined }).contents).rejects.toMatchObject({
      kind,
    });
  }
});

test('a file that changes while it is read has no verdict on its hash', async () => {
  const path = join(dir, 'a');
  await writeFile(path, Buffer.alloc(3 * 1024 * 1024));
  let once = true;
  let changing: Promise<void> | undefined;
  const onBytes = () => {
    if (once) changing = appendFile(path, 'more');
    once = false;
  };
  const digest = await digestFile(path, { signal, onBytes });
  await changing;
  expect(digest.changed).toBe(true);
  expect(verdictRow(row('a', ''), { path: 'a', hash: 'changed', bytes: 0 }).verdict).toBe('unverifiable');
  expect(await digestFile(path, { signal })).toMatchObject({ changed: false, bytes: 3 * 1024 * 1024 + 4 });
});

test('C12: a FIFO and a link are refused by the digest itself, without waiting', async () => {
  execFileSync('mkfifo', [join(dir, 'fifo')]);
  await symlink('/dev/zero', join(dir, 'link'));
  await expect(digestFile(join(dir, 'fifo'), { signal })).rejects.toMatchObject({ kind: 'unsafe' });
  await expect(digestFile(join(dir, 'link'), { signal })).rejects.toMatchObject({ code: 'ELOOP' });
});
