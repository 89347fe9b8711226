// Verifying a folder: every file named with its verdict, rows D10 to D13 of the fault list, sums that sha256sum reads.
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { VerifyReport } from '../../src/contract/reports/files.ts';
import { compareFolder, readFolder } from '../../src/verify/check-folder.ts';
import { digestFile } from '../../src/verify/digest.ts';
import { MANIFEST_FILE, openManifest, readManifest } from '../../src/download/manifest.ts';
import { isOwnFile } from '../../src/download/own-files.ts';
import { parseChecksumList, checksumLine } from '../../src/verify/checksum-list.ts';
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
  return { report, kinds: verifyFaultsOf(report).map((fault) => fault.kind) };
}
const row = (path: string | null, content: string, more: Partial<ExpectedFile> = {}): ExpectedFile => ({
  id: `att_${path}`,
  path,
  sha256: sha256Of(content),
  ...more,
});
const verdictsOf = (report: VerifyReport) =>
  Object.fromEntries(report.files.map((file) => [file.path, file.verdict]));

test('all right', async () => {
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

test('a record without a path is found by its hash, each file once; our own files do not count', async () => {
  await writeFile(join(dir, 'renamed'), 'A');
  await writeFile(join(dir, MANIFEST_FILE), '');
  await writeFile(join(dir, `.arx-${'0'.repeat(16)}.part`), 'half');
  const { report } = await check([row(null, 'A'), row(null, 'A'), row(null, 'B')]);
  expect(report.files.map((file) => file.verdict)).toEqual(['match', 'missing', 'missing']);
});

test('a folder that is none, and one that is missing', async () => {
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

describe('the manifest', () => {
  const entry = (id: string) => ({
    id,
    path: `${id}.txt`,
    sha256: sha256Of(id),
    bytes: id.length,
    redacted: false,
  });

  test('is whole after a cut at every byte', async () => {
    const path = join(dir, MANIFEST_FILE);
    const manifest = await openManifest(dir);
    for (const id of ['a', 'ü', 'c', 'a']) manifest.add(entry(id));
    await manifest.close();
    expect([...((await readManifest(dir)) ?? []).keys()]).toEqual(['a', 'ü', 'c']);
    const whole = await readFile(path);
    for (let at = 0; at < whole.length; at++) {
      await writeFile(path, whole.subarray(0, at));
      const lines = [...whole.subarray(0, at)].filter((byte) => byte === 10).length;
      const again = await openManifest(dir);
      expect(again.entries.size).toBe(Math.min(lines, 3));
      again.add(entry('z'));
      await again.close();
      expect((await readManifest(dir))?.get('z')).toEqual(entry('z'));
    }
  });

  test.each(['{"id":"a"}', 'hello', JSON.stringify({ ...entry('a'), path: '../x' })])(
    '%s is damage',
    async (line) => {
      await writeFile(join(dir, MANIFEST_FILE), `${line}\n`);
      await expect(readManifest(dir)).rejects.toMatchObject({ kind: 'store' });
    },
  );

  test('is never written through a link, nor waited for', async () => {
    await symlink(join(dir, 'victim'), join(dir, MANIFEST_FILE));
    await expect(openManifest(dir)).rejects.toMatchObject({ kind: 'unsafe' });
    await rm(join(dir, MANIFEST_FILE));
    execFileSync('mkfifo', [join(dir, MANIFEST_FILE)]);
    await expect(openManifest(dir)).rejects.toMatchObject({ kind: 'unsafe' });
  });
});

describe('sums', () => {
  test('sha256sum -c reads what is written, odd names too', async () => {
    const names = ['plain', 'with space', 'new\nline', 'back\\slash', 'ret\rurn', 'ünïcode'];
    for (const name of names) await writeFile(join(dir, name), name);
    const sums = names.map((name) => checksumLine(sha256Of(name), name)).join('');
    const read = execFileSync('sha256sum', ['--check', '--strict'], {
      cwd: dir,
      input: sums,
      encoding: 'utf8',
    });
    expect(read.match(/OK$/gm)).toHaveLength(names.length);
    await truncate(join(dir, 'plain'), 1);
    expect(() => execFileSync('sha256sum', ['-c'], { cwd: dir, input: sums, stdio: 'pipe' })).toThrow();
    await writeFile(join(dir, 'plain'), 'plain');
    expect(
      parseChecksumList(execFileSync('sha256sum', names, { cwd: dir, encoding: 'utf8' })).map(
        ({ path }) => path,
      ),
    ).toEqual(names);
  });

  test('property: what is written is read back', () => {
    const path = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => /^[^/\0]*$/.test(text) && text !== '..');
    fc.assert(
      fc.property(fc.array(path), (paths) => {
        const text = paths.map((each) => checksumLine(sha256Of(each), each)).join('');
        expect(parseChecksumList(text)).toEqual(
          paths.map((each) => ({ id: null, path: each, sha256: sha256Of(each) })),
        );
      }),
    );
  });

  test.each([
    ['usage', 'hello'],
    ['usage', `${'0'.repeat(63)}  a`],
    ['unsafe', `${'0'.repeat(64)}  ../a`],
    ['unsafe', `${'0'.repeat(64)}  /etc/passwd`],
  ])('%s: %s', (kind, line) =>
    expect(() => parseChecksumList(`\n# note\n${line}\n`)).toThrow(expect.objectContaining({ kind })),
  );
});
