// `arx attachments pull` into a folder that has files of earlier pulls: what it says where the archive no longer gives them as they were.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MANIFEST_FILE } from '../../../src/download/manifest.ts';
import { PullPlan, PullReport, VerifyReport } from '../../../src/contract/reports/files.ts';
import { serveCatalogue, type ForeignFile } from '../../support/catalogue-server.ts';
import { arx, type Ran } from '../../support/command.ts';
import { sha256Of } from '../../support/digest.ts';
import { answer, type Misbehaving } from '../../support/misbehaving-server.ts';
import { sampleData } from '../../support/sample.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const TOKEN = 'arx_0123456789.abcdefghijklmnop';
const env = { LANG: 'C.UTF-8', ARX_TOKEN: TOKEN };
let dir: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('mirror')));
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(...contents: (string | ForeignFile)[]): Promise<void> {
  await server?.close();
  server = await serveCatalogue(
    contents.map((content) => (typeof content === 'string' ? { content } : content)),
  );
}
const pull = (line: string): Promise<Ran> =>
  arx(
    dir,
    `attachments pull ${line} --to dl${server === undefined ? '' : ` --base-url ${server.url}`}`,
    server === undefined ? {} : { env },
  );
const verify = (line = ''): Promise<Ran> => arx(dir, `attachments verify dl ${line}`);
const reportOf = ({ stdout }: Ran) => PullReport.parse(JSON.parse(stdout));
const path = (name: string): string => join(dir, 'dl', name);
const textOf = (name: string): string => readFileSync(path(name), 'utf8');

describe('a pull by a filter', () => {
  const FILE = 'hobart-040-page.pdf';
  const NEWS = '1 file that an earlier pull kept is withheld or absent now';
  beforeEach(() => sampleData(join(dir, 'data')));

  test.each([
    '--city hobart',
    '--city Hobart',
    '--type application/pdf',
    '--source external',
    '--name hobart-*',
    '--min-bytes 100',
    "--matching 'city:hobart'",
    "--matching 'city:hobart' --type application/pdf",
  ])('%s notices that a kept file is withheld, and what becomes of it', async (filter) => {
    const line = `${filter} -q --allow-withheld`;
    expect((await pull(line)).exit).toBe(0);
    expect((await arx(dir, 'redact att_12 --yes')).exit).toBe(0);
    expect(await pull(`${line} --dry-run`)).toMatchObject({ exit: 0 });
    const news = await pull(`${line} --json`);
    expect([news.exit, news.stderr]).toEqual([3, expect.stringContaining(NEWS)]);
    expect(reportOf(news).files.filter(({ newly }) => newly)).toMatchObject([
      { id: 'att_12', path: FILE, verdict: 'withheld', now: 'withheld' },
    ]);
    expect(await pull(line)).toMatchObject({ exit: 0, stderr: '' });
    writeFileSync(path(FILE), 'own');
    const damaged = await pull(line);
    expect([damaged.exit, damaged.stderr]).toEqual([
      12,
      expect.stringContaining(`${FILE} has different content, and is withheld now`),
    ]);
    rmSync(path(FILE));
    expect(await pull(`${line} --dry-run`)).toMatchObject({ exit: 12 });
    expect((await pull(line)).stderr).toContain(`${FILE} is no longer in the folder`);
    expect((await pull(`${line} --force`)).stderr).toContain('no longer expected');
    expect((await verify('-q --allow-withheld')).exit).toBe(0);
    expect(await pull(line)).toMatchObject({ exit: 0, stderr: '' });
  });

  test('of a withheld file that it cannot have selected says nothing', async () => {
    expect((await pull('--type application/pdf -q')).exit).toBe(0);
    await arx(dir, 'redact att_12 --yes');
    const other = await pull('--message msg_1 --allow-withheld --json');
    expect(other.stderr).not.toContain(NEWS);
    expect((await pull('--all -q --allow-withheld')).exit).toBe(3);
  });

  test('fetches what is missing again, also where its only file is withheld now', async () => {
    expect((await pull('--name hobart-040* --city hobart -q')).exit).toBe(0);
    rmSync(path(FILE));
    expect((await pull('--name hobart-040* --city hobart -q')).exit).toBe(0);
    expect(existsSync(path(FILE))).toBe(true);
    await arx(dir, 'redact att_12 --yes');
    const named = await pull('--name hobart-040* --city hobart -q');
    expect([named.exit, named.stderr]).toEqual([3, expect.stringContaining(NEWS)]);
  });
});

describe('filters that share a folder', () => {
  const FILE = 'hobart-040-page.pdf';
  const withheldOf = (ran: Ran): unknown[] =>
    reportOf(ran).files.flatMap(({ id, verdict }) => (verdict === 'withheld' ? [id] : []));
  const linesOf = (): Record<string, unknown>[] =>
    textOf(MANIFEST_FILE)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  beforeEach(() => sampleData(join(dir, 'data')));

  test.each([
    ['--city hobart', '--city lisbon'],
    ['--city hobart', '--type image/png'],
    ['--all', '--city hobart'],
    ['att_12', '--city hobart'],
  ])('a file that %s kept is none of %s', async (keeping, other) => {
    await pull(`${other} -q`);
    // What both keep is of both.
    if (other === '--city hobart') rmSync(path(MANIFEST_FILE));
    expect((await pull(`${keeping} -q`)).exit).toBe(keeping === '--all' ? 3 : 0);
    expect((await arx(dir, 'redact att_12 --yes')).exit).toBe(0);
    const ran = await pull(`${other} --json`);
    expect([withheldOf(ran), ran.stderr]).toEqual([[], expect.not.stringContaining('withheld or absent')]);
    for (const line of [`pull ${other} --to dl --dry-run`, `verify dl --against catalogue ${other}`]) {
      const more = await arx(dir, `attachments ${line} --json`);
      expect([line, more.stdout]).toEqual([line, expect.not.stringContaining('"now":"withheld"')]);
    }
  });

  test('a file that both kept is withheld in both, by any letter case, and the manifest says so', async () => {
    for (const filter of ['--city hobart', '--type application/pdf']) await pull(`${filter} -q`);
    expect(linesOf().findLast(({ id }) => id === 'att_12')).toMatchObject({
      selections: ['--city hobart', '--type application/pdf'],
    });
    await arx(dir, 'redact att_12 --yes');
    for (const filter of ['--city Hobart', '--type application/pdf']) {
      expect(withheldOf(await pull(`${filter} --json`))).toEqual(['att_12']);
      const verified = await verify(`--against catalogue ${filter} --json`);
      expect([verified.exit, VerifyReport.parse(JSON.parse(verified.stdout)).files]).toEqual([
        0,
        expect.arrayContaining([
          expect.objectContaining({ id: 'att_12', path: FILE, verdict: 'match', now: 'withheld' }),
        ]),
      ]);
    }
  });

  test('a line without selections, as an early build wrote it, may be of any filter', async () => {
    await pull('--city hobart -q');
    const old = linesOf().map((line) => `${JSON.stringify({ ...line, selections: undefined })}\n`);
    writeFileSync(path(MANIFEST_FILE), old.join(''));
    // That another filter selects the file does not tell which ones did before.
    await pull('--type application/pdf -q');
    await arx(dir, 'redact att_12 --yes');
    for (const filter of ['--city lisbon', '--city hobart'])
      expect(withheldOf(await pull(`${filter} --json`))).toEqual(['att_12']);
  });
});

describe('kept files that the list no longer has', () => {
  const NEWS = "2 kept files are no longer in the archive's list";
  const line = '--all -q --allow-withheld';
  beforeEach(async () => {
    await serve('one', 'two', 'three');
    expect((await pull(line)).exit).toBe(0);
  });

  test.each([
    ['two of them', ['one'], NEWS],
    ['all of them', [], "3 kept files are no longer in the archive's list"],
  ])('are named once: %s', async (_, contents, words) => {
    await serve(...contents);
    const plan = await pull('--all --dry-run --json');
    expect([plan.exit, plan.stderr]).toEqual([0, expect.stringContaining(`${words}: the pull says so`)]);
    expect(PullPlan.parse(JSON.parse(plan.stdout))).toMatchObject({
      unlisted: 3 - contents.length,
      complete: false,
    });
    const news = await pull(`${line} --json`);
    expect([news.exit, news.stderr]).toEqual([3, expect.stringContaining(words)]);
    expect(reportOf(news)).toMatchObject({ completeness: 'unknown', fixity: 'ok', checked: 3 });
    expect(reportOf(news).files.at(-1)).toMatchObject({
      id: 'att_3',
      path: 'file-3.txt',
      verdict: 'match',
      now: 'unlisted',
      newly: true,
    });
    expect(textOf('file-3.txt')).toBe('three');
    const next = await pull(`${line} --json`);
    expect([next.exit, next.stderr]).toEqual([0, '']);
    expect(reportOf(next)).toMatchObject({ completeness: 'unknown' });
    expect(reportOf(next).files.at(-1)).not.toHaveProperty('newly');
    const verified = await verify('--json');
    expect([verified.exit, VerifyReport.parse(JSON.parse(verified.stdout)).files.at(-1)]).toMatchObject([
      0,
      { verdict: 'match', now: 'unlisted' },
    ]);
    await serve('one', 'two', 'three');
    expect((await pull(line)).exit).toBe(0);
    await serve(...contents);
    expect((await pull(line)).exit).toBe(3);
  });

  test('are checked, and only a deletion that --force accepts ends that', async () => {
    await serve('one');
    expect((await pull(line)).exit).toBe(3);
    writeFileSync(path('file-2.txt'), 'own');
    rmSync(path('file-3.txt'));
    for (const ran of [await pull(line), await pull(`${line} --dry-run`)]) {
      expect(ran.exit).toBe(12);
      expect(ran.stderr).toContain(
        "file-2.txt has different content, and is no longer in the archive's list",
      );
      expect(ran.stderr).toContain(
        "file-3.txt is no longer in the folder, and is no longer in the archive's list",
      );
    }
    const verified = await verify('-q');
    expect([verified.exit, verified.stderr]).toEqual([
      12,
      expect.not.stringContaining('run that pull again'),
    ]);
    writeFileSync(path('file-2.txt'), 'two');
    const accepted = await pull(`${line} --force`);
    expect([accepted.exit, accepted.stderr]).toEqual([3, expect.stringContaining('no longer expected')]);
    expect(await pull(line)).toMatchObject({ exit: 0, stderr: '' });
    const checked = await verify('--json');
    expect([checked.exit, JSON.parse(checked.stdout)]).toMatchObject([0, { checked: 2 }]);
  });

  test('a pull by a filter tells those that are gone once, and afterwards those that are not as they were', async () => {
    const filtered = '--name file-* -q --allow-withheld --json';
    expect((await pull(filtered)).exit).toBe(0);
    await serve('one');
    const news = await pull(filtered);
    expect([news.exit, news.stderr]).toEqual([3, expect.stringContaining(NEWS)]);
    const next = await pull(filtered);
    expect([next.exit, reportOf(next).files.map(({ id }) => id)]).toEqual([0, ['att_1']]);
    expect(reportOf(next).completeness).toBe('complete');
    rmSync(path('file-2.txt'));
    const lost = await pull(filtered);
    expect([lost.exit, reportOf(lost).files.map(({ id }) => id)]).toEqual([12, ['att_1', 'att_2']]);
  });

  test('a list of which a part could not be read says nothing of them', async () => {
    await server?.close();
    server = await serveCatalogue([{ content: 'one' }, { content: 'two' }], {
      list: (rows) => answer(200, JSON.stringify({ data: rows })),
    });
    const ran = await pull(line);
    expect([ran.exit, ran.stderr]).toEqual([3, expect.not.stringContaining('no longer in')]);
  });
});

describe('another hash in the list than when a file was downloaded', () => {
  const WORDS = 'the archive gives another hash for file-1.txt than when it was downloaded';
  beforeEach(async () => {
    await serve('one', 'two');
    expect((await pull('--all -q')).exit).toBe(0);
    await serve('other', 'two');
  });

  test('leaves the file, and says that it is intact before --force is proposed', async () => {
    const ran = await pull('--all');
    expect([ran.exit, textOf('file-1.txt')]).toEqual([13, 'one']);
    expect(ran.stderr).toContain(`att_1: ${WORDS}, and the file here is as it was`);
    expect(ran.stderr).toMatch(/hint: .*--to.*--force replaces/);
    const plan = await pull('--all --force --dry-run --json');
    expect(plan.stderr).toContain('1 file would be downloaded again with another hash than before');
    expect(JSON.parse(plan.stdout)).toMatchObject({ rows: [{ action: 'download', changed: true }, {}] });
  });

  test('is the first thing that is said beside a file that is damaged', async () => {
    writeFileSync(path('file-2.txt'), 'own');
    const ran = await pull('--all');
    expect(ran.stderr).toMatch(/^arx: att_1: the archive gives another hash/m);
    expect(ran.stderr.indexOf('another hash')).toBeLessThan(ran.stderr.indexOf('different content'));
    expect(ran.stderr).not.toContain('hint: replace it with --force');
  });

  test('is said once where --force replaces the file, or it was gone', async () => {
    const ran = await pull('--all --force -q');
    expect([ran.exit, ran.stderr]).toEqual([3, expect.stringContaining('another hash')]);
    expect(textOf('file-1.txt')).toBe('other');
    expect(await pull('--all --force -q')).toMatchObject({ exit: 0, stderr: '' });
    await serve('third', 'two');
    rmSync(path('file-1.txt'));
    const gone = await pull('--all -q');
    expect([gone.exit, gone.stderr]).toEqual([3, expect.stringContaining('another hash')]);
    expect(await pull('--all -q')).toMatchObject({ exit: 0, stderr: '' });
  });

  test('of many files is one line and a count', async () => {
    await serve('a', 'b', 'c', 'd', 'e', 'f');
    await pull('--all --force');
    await serve('g', 'h', 'i', 'j', 'k', 'l');
    const ran = await pull('--all');
    expect(ran.stderr).toContain(
      '5 more files: the archive gives another hash than when they were downloaded',
    );
    expect(ran.stderr.match(/att_\d/g)).toHaveLength(1);
  });
});

describe('what stands in the place of a kept file', () => {
  const wrong = {
    folder: () => mkdirSync(path('file-1.txt')),
    link: () => symlinkSync('file-2.txt', path('file-1.txt')),
  };
  test.each(Object.keys(wrong) as (keyof typeof wrong)[])(
    '%s: each command says what to do',
    async (kind) => {
      await serve('one', 'two');
      await pull('--all -q');
      rmSync(path('file-1.txt'));
      wrong[kind]();
      for (const ran of [await pull('--all'), await pull('--all --force'), await verify()])
        expect([ran.exit, ran.stderr]).toEqual([
          ran.stderr.includes('unreadable') ? 14 : 13,
          expect.stringMatching(/hint: move /),
        ]);
      await serve({ content: 'one', row: { redacted: true, file_url: null } }, 'two');
      const kept = await pull('--all -q --allow-withheld');
      expect([kept.exit, kept.stderr]).toEqual([13, expect.stringContaining('hint: move ')]);
    },
  );
});

test('verify says to pull again, and leaves it to the pull to propose --force', async () => {
  await serve('one', 'two');
  await pull('--all -q');
  writeFileSync(path('file-1.txt'), 'own');
  const ran = await verify();
  expect([ran.exit, ran.stderr]).toEqual([12, expect.stringContaining('hint: run that pull again')]);
  expect(ran.stderr).not.toContain('--force');
});

test('--dry-run --json has the hash of each file, and says whether these are all', async () => {
  await serve('one', { content: 'two', row: { sha256: undefined } });
  const plan = PullPlan.parse(JSON.parse((await pull('--all --dry-run --json')).stdout));
  expect([plan.complete, plan.rows.map(({ sha256 }) => sha256)]).toEqual([true, [sha256Of('one'), null]]);
});
