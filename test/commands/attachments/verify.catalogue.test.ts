// `arx attachments verify --against catalogue` on files of an earlier pull that the archive no longer lists, or lists with another hash.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PullReport, VerifyReport } from '../../../src/contract/reports/files.ts';
import { serveCatalogue, type ForeignFile } from '../../support/catalogue-server.ts';
import { arx, type Ran } from '../../support/command.ts';
import { sha256Of } from '../../support/digest.ts';
import type { Misbehaving } from '../../support/misbehaving-server.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const env = { LANG: 'C.UTF-8', ARX_TOKEN: 'arx_0123456789.abcdefghijklmnop' };
let dir: string;
let server: Misbehaving | undefined;
beforeEach(async () => {
  dir = tempFolder('catalogue');
  await serve({ content: 'one' }, { content: 'two' }, { content: 'three' });
  expect((await run('pull --all --to dl -q')).exit).toBe(0);
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(...files: ForeignFile[]): Promise<void> {
  await server?.close();
  server = await serveCatalogue(files);
}
const run = (line: string): Promise<Ran> =>
  arx(dir, `attachments ${line} --base-url ${server!.url}`, { env });
const verify = (options = ''): Promise<Ran> => run(`verify dl --against catalogue ${options}`);
const reportOf = ({ stdout }: Ran): VerifyReport => VerifyReport.parse(JSON.parse(stdout));

test('another hash than when a file was downloaded is said, and not that its content is different', async () => {
  await serve({ content: 'other' }, { content: 'two' }, { content: 'three' });
  const ran = await verify();
  expect([ran.exit, ran.stderr]).toEqual([
    12,
    expect.stringContaining(
      'the archive gives another hash for 1 file than when it was downloaded: file-1.txt',
    ),
  ]);
  expect(ran.stderr).not.toContain('different content');
  expect(ran.stderr).toContain('hint: --against manifest checks them as they were downloaded');
  const row = { id: 'att_1', verdict: 'mismatch', changed: true, actual: sha256Of('one') };
  expect(reportOf(await verify('--json')).files[0]).toMatchObject(row);
  const pulled = await run('pull --all --to dl --json');
  expect(PullReport.parse(JSON.parse(pulled.stdout)).files[0]).toMatchObject(row);
  const forced = await run('pull --all --to dl --json --force');
  expect(PullReport.parse(JSON.parse(forced.stdout)).files[0]).toMatchObject({
    verdict: 'match',
    changed: true,
  });
  expect(reportOf(await verify('--json')).files[0]).not.toHaveProperty('changed');
});

test('another hash of a file that is withheld now does not count as damage that only a copy can mend', async () => {
  await serve(
    { content: 'one', row: { redacted: true, file_url: null, sha256: sha256Of('other') } },
    { content: 'two' },
    { content: 'three' },
  );
  const ran = await verify('--allow-withheld');
  expect([ran.exit, ran.stderr]).toEqual([12, expect.stringContaining('the archive gives another hash')]);
  expect(ran.stderr).not.toContain('another copy');
});

test('extra files that a pull kept and the list no longer has are counted, and have their ids', async () => {
  await serve({ content: 'one' });
  writeFileSync(join(dir, 'dl', 'own.txt'), 'own');
  const ran = await verify();
  expect([ran.exit, ran.stderr]).toEqual([
    0,
    expect.stringContaining("2 kept files are no longer in the archive's list"),
  ]);
  expect(ran.stdout).toContain("no longer in the archive's list");
  const { completeness, files } = reportOf(await verify('--json'));
  expect(completeness).toBe('unknown');
  expect(files.filter(({ verdict }) => verdict === 'extra')).toMatchObject([
    { path: 'file-2.txt', id: 'att_2', now: 'unlisted' },
    { path: 'file-3.txt', id: 'att_3', now: 'unlisted' },
    { path: 'own.txt', id: null },
  ]);
  const part = await verify('--name file-1.txt --json');
  expect(part.stderr).not.toContain('no longer in');
  expect(reportOf(part).completeness).toBe('complete');
});
