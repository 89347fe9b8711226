// `arx attachments verify`: the references it compares with, and hostile folders.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { VerifyReport } from '../../../src/contract/reports/files.ts';
import { MANIFEST_FILE } from '../../../src/download/manifest.ts';
import { bagOf, writeBag } from '../../support/bag.ts';
import { serveCatalogue } from '../../support/catalogue-server.ts';
import { arx } from '../../support/command.ts';
import { sampleData } from '../../support/sample.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { sha256Of } from '../../support/digest.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('verify')));
beforeEach(() => {
  mkdirSync(join(dir, 'dl'));
});

const put = (name: string, text: string) => writeFileSync(join(dir, 'dl', name), text);
const verify = (line: string) => arx(dir, `attachments verify ${line}`);
const entry = (id: string, path: string | null, content: string, redacted = false) =>
  `${JSON.stringify({ id, path, sha256: sha256Of(content), bytes: content.length, redacted })}\n`;

describe.each([MANIFEST_FILE, 'SHA256SUMS'])('%s is never followed or waited for', (name) => {
  test.each(['fifo', 'symlink', 'device', 'folder', 'large'])('as a %s', async (kind) => {
    const path = join(dir, 'dl', name);
    if (kind === 'fifo') execFileSync('mkfifo', [path]);
    if (kind === 'symlink') {
      writeFileSync(join(dir, 'elsewhere'), '');
      symlinkSync('../elsewhere', path);
    }
    if (kind === 'device') symlinkSync('/dev/zero', path);
    if (kind === 'folder') mkdirSync(path);
    if (kind === 'large') execFileSync('truncate', ['-s', '257M', path]);
    for (const line of ['dl', `dl --against ${name === MANIFEST_FILE ? 'manifest' : 'sums'}`]) {
      const { exit, stderr } = await verify(line);
      expect([exit, stderr]).toEqual([13, expect.stringContaining(name)]);
    }
  });
});

test.each(['../x', '/etc/passwd', '..\\x', 'a\\..\\..\\x', 'C:x', 'C:/x'])(
  'a manifest that names %s is damaged',
  async (path) => {
    put(MANIFEST_FILE, entry('att_1', path, 'a'));
    expect((await verify('dl')).exit).toBe(15);
  },
);

test('a link is not followed', async () => {
  mkdirSync(join(dir, 'outside/inner'), { recursive: true });
  symlinkSync('../outside', join(dir, 'dl/sub'));
  put(MANIFEST_FILE, entry('att_1', 'sub/inner', 'a'));
  const { stdout } = await verify('dl --json');
  expect(JSON.parse(stdout).files).toMatchObject([
    { path: 'sub/inner', verdict: 'missing' },
    { path: 'sub', verdict: 'extra' },
  ]);
});

test('-o sums says what should be there, so that sha256sum fails where we do', async () => {
  for (const name of ['same', 'other', 'extra']) put(name, name);
  put(
    MANIFEST_FILE,
    entry('att_1', 'same', 'same') +
      entry('att_2', 'other', 'else') +
      entry('att_3', 'gone', 'gone') +
      entry('att_4', null, 'secret', true),
  );
  const { stdout, exit } = await verify('dl -o sums');
  expect(exit).toBe(12);
  expect(stdout.trim().split('\n').sort()).toEqual(
    [`${sha256Of('same')}  same`, `${sha256Of('else')}  other`, `${sha256Of('gone')}  gone`].sort(),
  );
  expect(() =>
    execFileSync('sha256sum', ['-c'], { cwd: join(dir, 'dl'), input: stdout, stdio: 'pipe' }),
  ).toThrow();
});

test('odd names go to sha256sum and come from it', async () => {
  const names = ['plain', 'with space', 'new\nline', 'back\\slash', 'both\\n\n', 'ret\rurn', '-dash', 'ünï'];
  for (const name of names) put(name, name);
  const sums = execFileSync('sha256sum', ['--', ...names], { cwd: join(dir, 'dl'), encoding: 'utf8' });
  put('SHA256SUMS', sums);
  const { exit, stdout } = await verify('dl --json');
  const { files } = JSON.parse(stdout) as { files: { path: string; verdict: string }[] };
  expect([exit, files.map(({ path }) => path)]).toEqual([0, names]);
  const lines = (await verify('dl -o sums')).stdout;
  expect(lines).toBe(sums);
  execFileSync('sha256sum', ['--check', '--strict'], { cwd: join(dir, 'dl'), input: lines, stdio: 'pipe' });
});

test('--html writes a page beside the report, and over another file only with --force', async () => {
  put('a', 'a');
  put('SHA256SUMS', `${sha256Of('a')}  a\n`);
  const page = join(dir, 'r.html');
  const { exit, stdout } = await verify('dl --html r.html --json');
  expect([exit, JSON.parse(stdout)]).toMatchObject([0, { fixity: 'ok' }]);
  expect(readFileSync(page, 'utf8')).toMatch(/<title>Verification of dl<\/title>/);
  put('a', 'b');
  expect((await verify('dl --html r.html')).exit).toBe(13);
  expect((await verify('dl --html r.html --force')).exit).toBe(12);
  expect(readFileSync(page, 'utf8')).toMatch(/fixity failed/);
  expect((await verify('dl --force')).exit).toBe(2);
});

test('--offline: never the catalogue', async () => {
  put('a', 'a');
  put(MANIFEST_FILE, entry('att_1', 'a', 'a'));
  const nowhere = '--base-url http://127.0.0.1:1 --offline';
  expect((await verify(`dl ${nowhere}`)).exit).toBe(0);
  expect((await verify(`dl ${nowhere} --against catalogue`)).exit).toBe(2);
});

test('a row without an address is absent, as the pull said, also when held against the catalogue', async () => {
  const server = await serveCatalogue([{ content: 'a' }, { content: 'b', row: { file_url: null } }]);
  const asked = (line: string) =>
    arx(dir, `attachments ${line} --json --base-url ${server.url}`, { env: { ARX_TOKEN: 'arx_0.a' } });
  try {
    for (const line of ['pull --all --to dl', 'verify dl', 'verify dl --against catalogue']) {
      const { exit, stdout } = await asked(line);
      const verdicts = (JSON.parse(stdout) as VerifyReport).files.map(({ verdict }) => verdict);
      expect([line, exit, verdicts]).toEqual([line, 3, ['match', 'absent']]);
    }
  } finally {
    await server.close();
  }
});

test('a bag is known by its declaration, where nothing else speaks for the folder', async () => {
  writeBag(join(dir, 'dl'), bagOf());
  const { exit, stdout } = await verify('dl --json');
  expect([exit, JSON.parse(stdout)]).toMatchObject([0, { bag: { version: '1.0' } }]);
  put('SHA256SUMS', `${sha256Of('hello')}  data/hello.txt\n`);
  expect(JSON.parse((await verify('dl --json')).stdout)).not.toHaveProperty('bag');
});

test.skipIf(process.getuid?.() === 0)(
  'D10: what cannot be read is named, and 14 (skipped for root, who may read all)',
  async () => {
    put('a', 'a');
    put('SHA256SUMS', `${sha256Of('a')}  a\n`);
    chmodSync(join(dir, 'dl/a'), 0);
    mkdirSync(join(dir, 'dl/closed'), { mode: 0 });
    const { exit, stdout } = await verify('dl -o ndjson');
    chmodSync(join(dir, 'dl/closed'), 0o700);
    expect(exit).toBe(14);
    expect(stdout.match(/"verdict":"unreadable"/g)).toHaveLength(2);
  },
);

describe('what it is held against', () => {
  test('a folder that is not there', async () => {
    const { exit, stderr } = await verify('nodir');
    expect(exit).toBe(6);
    expect(stderr).toMatch(/nodir does not exist \[not_found, exit 6\]\n {2}/);
  });

  test('a file is no folder', async () => {
    put('file', '');
    const { exit, stderr } = await verify('dl/file');
    expect([exit, stderr]).toEqual([13, expect.stringContaining(`${join(dir, 'dl/file')} is not a folder`)]);
  });

  test.each(['sums', 'manifest'])('--against %s where there is none', async (reference) => {
    const { exit, stderr } = await verify(`dl --against ${reference}`);
    expect(exit).toBe(6);
    expect(stderr).toMatch(/hint|try/);
  });

  test('nothing to check against', async () => {
    put('a', 'a');
    const { exit, stdout, stderr } = await verify('dl');
    expect([exit, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/nothing to check .*dl against \[partial, exit 3\]\n.*--against catalogue/);
  });

  test('the sums file, where there is no manifest', async () => {
    put('a', 'a');
    put('SHA256SUMS', `${sha256Of('a')}  a\n`);
    const { exit, stdout } = await verify('dl --json');
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ checked: 1, completeness: 'complete' });
    put(MANIFEST_FILE, entry('att_1', 'a', 'b'));
    expect((await verify('dl')).exit).toBe(12);
  });
});

describe('a folder with a part of the catalogue', () => {
  beforeEach(async () => {
    await sampleData(join(dir, 'data'));
    expect((await arx(dir, 'attachments pull --city lisbon --type image/* --to dl')).exit).toBe(0);
  });

  test('is compared with that part', async () => {
    const whole = await verify('dl --against catalogue');
    expect([whole.exit, whole.stderr]).toEqual([
      12,
      expect.stringMatching(
        /files missing: .*\n.*hint: .*give verify and pull the same options, e\.g\. --city/s,
      ),
    ]);
    const { exit, stdout } = await verify('dl --against catalogue --city lisbon --type image/* --json');
    const { checked, verdicts, completeness } = JSON.parse(stdout) as VerifyReport;
    expect([exit, verdicts]).toMatchObject([0, { missing: 0, extra: 0, match: checked }]);
    expect([checked > 1, completeness]).toEqual([true, 'unknown']);
    const more = await verify('dl --against catalogue --city lisbon --json');
    expect(more.exit).toBe(12);
  });

  test('no row matches, or the options go with nothing', async () => {
    const none = await verify('dl --against catalogue --city nowhere');
    expect(none.exit).toBe(3);
    expect(none.stderr).toContain('no city "nowhere"');
    const alone = await verify('dl --city lisbon');
    expect([alone.exit, alone.stderr]).toEqual([
      2,
      expect.stringContaining('--city goes with --against catalogue'),
    ]);
    expect((await verify('dl --against catalogue --since nonsense')).exit).toBe(2);
  });
});

test('the list that -o sums leaves in the folder is no extra file', async () => {
  put('a', 'a');
  put('b', 'b');
  put(MANIFEST_FILE, entry('att_1', 'a', 'a'));
  put('SHA256SUMS', (await verify('dl -o sums')).stdout);
  const { files } = JSON.parse((await verify('dl --json')).stdout) as VerifyReport;
  expect(files.map(({ path, verdict }) => [path, verdict])).toEqual([
    ['a', 'match'],
    ['b', 'extra'],
  ]);
});

describe('what to do about damage', () => {
  const AGAIN = 'hint: run that pull again';
  const COPY = 'hint: take these files from another copy; the report names them';
  test.each([
    [
      'manifest',
      'different content',
      `${AGAIN}: it says of each file whether it can be fetched again, and how`,
    ],
    ['manifest', 'missing', AGAIN],
    ['sums', 'different content', COPY],
    ['sums', 'missing', COPY],
    ['bag', 'different content', 'hint: take another copy of the bag, or export it again'],
    ['bag', 'missing', 'hint: take another copy of the bag, or export it again'],
  ])('compared with %s: %s', async (against, what, hint) => {
    if (against === 'bag') writeBag(join(dir, 'dl'), bagOf({ payload: { 'a.txt': 'whole' } }));
    if (against === 'manifest') put(MANIFEST_FILE, entry('att_1', 'a.txt', 'whole'));
    if (against === 'sums') put('SHA256SUMS', `${sha256Of('whole')}  a.txt\n`);
    const path = against === 'bag' ? 'data/a.txt' : 'a.txt';
    if (what === 'missing') rmSync(join(dir, 'dl', path), { force: true });
    else put(path, 'other');
    const { exit, stderr } = await verify(`dl --against ${against}`);
    expect([exit, stderr]).toEqual([12, expect.stringContaining(`${what}: ${path} [`)]);
    expect(stderr).toContain(`  ${hint}\n`);
  });

  test('names the first files, and how many more there are', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    put('SHA256SUMS', names.map((name) => `${sha256Of('whole')}  ${name}\n`).join(''));
    expect((await verify('dl')).stderr).toContain('arx: 5 files missing: a, b, c and 2 more [');
    for (const name of names.slice(1)) put(name, 'other');
    const { stderr } = await verify('dl');
    expect(stderr).toContain('arx: 4 files with different content: b, c, d and 1 more [');
    expect(stderr).toContain('1 file missing: a [');
    expect((await verify('dl --json')).stderr).toContain(
      '"message":"4 files with different content: b, c, d',
    );
  });
});
