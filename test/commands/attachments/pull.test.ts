// `arx attachments pull` with hostile services and folders, broken connections, and many files.
import { execFileSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HEADERS } from '../../../src/contract/routes.ts';
import { PullReport, VerifyReport } from '../../../src/contract/reports/files.ts';
import { Fault } from '../../../src/faults.ts';
import { MANIFEST_FILE } from '../../../src/download/manifest.ts';
import { serveCatalogue, type CatalogueOptions, type ForeignFile } from '../../support/catalogue-server.ts';
import { arx, exitRecordOf, type Ran } from '../../support/command.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { answer, type Misbehaving } from '../../support/misbehaving-server.ts';
import { numberedText } from '../../support/numbered-text.ts';
import { NOON, type FakeWorldOptions } from '../../support/fake-world.ts';
import { sha256Of } from '../../support/digest.ts';

/** The headers that our service adds to every response. */
const OURS = Object.fromEntries(Object.values(HEADERS).map((name) => [name, '0']));
const TOKEN = 'arx_0123456789.abcdefghijklmnop';
let dir: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('pull')));
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(files: readonly ForeignFile[], options?: CatalogueOptions): Promise<void> {
  await server?.close();
  server = await serveCatalogue(files, options);
}
const pull = (line: string, options: FakeWorldOptions = {}): Promise<Ran> =>
  arx(dir, `attachments pull ${line} --base-url ${server!.url}`, {
    env: { LANG: 'C.UTF-8', ARX_TOKEN: TOKEN },
    ...options,
  });
const reportOfVerify = ({ stdout }: Ran) => VerifyReport.parse(JSON.parse(stdout));
const reportOf = ({ stdout }: Ran) => PullReport.parse(JSON.parse(stdout));
const manifestLine = (path: string, id = 'att_1') =>
  `${JSON.stringify({ id, path, sha256: sha256Of('old'), bytes: 3, redacted: false })}\n`;

describe('a manifest that means harm', () => {
  test.each(['sub/pwned.txt', '.bashrc', MANIFEST_FILE])('its path %s is not written', async (path) => {
    mkdirSync(join(dir, 'outside'));
    mkdirSync(join(dir, 'dl'));
    symlinkSync('../outside', join(dir, 'dl/sub'));
    writeFileSync(join(dir, 'dl', MANIFEST_FILE), manifestLine(path));
    await serve([{ content: 'hello' }]);
    const { exit, stderr } = await pull('att_1 --to dl --force');
    expect([exit, stderr]).toEqual([3, expect.stringContaining('another hash')]);
    expect(readFileSync(join(dir, 'dl/file-1.txt'), 'utf8')).toBe('hello');
    expect(readdirSync(join(dir, 'outside'))).toEqual([]);
    expect(readdirSync(join(dir, 'dl')).sort()).toEqual([MANIFEST_FILE, 'file-1.txt', 'sub']);
    expect(readFileSync(join(dir, 'dl', MANIFEST_FILE), 'utf8')).toMatch(/"path":"file-1\.txt".*\n$/);
  });

  test('a name that it gives to two rows is that of the last', async () => {
    mkdirSync(join(dir, 'dl'));
    writeFileSync(join(dir, 'dl', MANIFEST_FILE), manifestLine('x.txt') + manifestLine('x.txt', 'att_2'));
    await serve([{ content: 'one' }, { content: 'two' }]);
    expect((await pull('att_1 att_2 --to dl --force')).exit).toBe(3);
    expect(readFileSync(join(dir, 'dl/file-1.txt'), 'utf8')).toBe('one');
    expect(readFileSync(join(dir, 'dl/x.txt'), 'utf8')).toBe('two');
  });
});

test('a file named as a list of checksums is no reference, and the list that the help makes does not replace it', async () => {
  const content = `${sha256Of('other')}  file-2.txt\n`;
  await serve([{ filename: 'SHA256SUMS', content }, { content: 'other' }, { content: 'more' }]);
  const ran = await pull('--all --to dl');
  expect([ran.exit, readdirSync(join(dir, 'dl')).sort()]).toEqual([
    0,
    [MANIFEST_FILE, 'att_1-SHA256SUMS', 'file-2.txt', 'file-3.txt'],
  ]);
  expect(ran.stderr).toContain('att_1: its name is not safe here and is kept as att_1-SHA256SUMS');
  const sums = await arx(dir, 'attachments verify dl -o sums');
  writeFileSync(join(dir, 'dl/SHA256SUMS'), sums.stdout);
  expect((await arx(dir, 'attachments verify dl')).exit).toBe(0);
  rmSync(join(dir, 'dl', MANIFEST_FILE));
  expect(JSON.parse((await arx(dir, 'attachments verify dl --json')).stdout)).toMatchObject({ checked: 3 });
  const exact = await pull('att_1 --to exact --exact-names');
  expect([exact.exit, exact.stderr]).toEqual([13, expect.stringContaining('file name of att_1 is that of')]);
});

test.each(['SHA256SUMS', 'bagit.txt'])('a folder of --by gets no name %j', async (city) => {
  await serve([{ content: 'a', row: { origin_city: city } }]);
  expect((await pull('att_1 --to dl --by city')).exit).toBe(0);
  expect(readdirSync(join(dir, 'dl')).sort()).toEqual([MANIFEST_FILE, `folder-${city}`]);
});

describe('--allow-withheld, for a mirror that is pulled every day', () => {
  const HIDDEN = { redacted: true, file_url: null, redaction_reason: 'private' };
  const withheld = { content: 'x', row: HIDDEN };
  const absent = {
    content: 'y',
    row: { sha256: null, file_url: null, absent_reason: 'is not in the export' },
  };
  const line = '--all --to dl -q --allow-withheld';
  const NEWS = '1 file that an earlier pull kept is withheld or absent now';
  const verify = (options: string) => arx(dir, `attachments verify dl -q ${options}`);

  test('withheld and absent files are no failure of a pull and a verification', async () => {
    await serve([{ content: 'a' }, withheld, absent]);
    for (let day = 0; day < 2; day += 1)
      expect(await pull(line)).toMatchObject({ exit: 0, stdout: '', stderr: '' });
    expect((await pull('--all --to dl -q')).exit).toBe(3);
    expect((await verify('')).exit).toBe(3);
    const checked = await verify('--allow-withheld --json');
    expect([checked.exit, checked.stderr]).toEqual([0, '']);
    expect(JSON.parse(checked.stdout)).toMatchObject({ completeness: 'incomplete', verdicts: { match: 1 } });
  });

  test('other failures stay, and a folder where nothing could be checked', async () => {
    await serve([{ content: 'a', row: { sha256: sha256Of('b') } }, withheld]);
    expect((await pull(line)).exit).toBe(12);
    await serve([withheld]);
    for (const selected of ['--all', 'att_1']) {
      const all = await pull(`${selected} --to none -q --allow-withheld`);
      expect([all.exit, all.stderr]).toEqual([3, expect.stringContaining('1 of 1 file is withheld')]);
    }
    const none = await arx(dir, 'attachments verify none --allow-withheld');
    expect([none.exit, none.stderr]).toEqual([3, expect.stringContaining('nothing was checked')]);
  });

  test('a kept file that is withheld later is said once, and is still checked', async () => {
    const files = ['one', 'two', 'three', 'four'].map((content) => ({ content }));
    await serve(files);
    expect((await pull(line)).exit).toBe(0);
    await serve([
      { content: 'one' },
      { content: 'two', row: { ...HIDDEN, sha256: undefined } },
      { content: 'three', row: HIDDEN },
      { content: 'four', row: { file_url: null, sha256: null } },
    ]);
    const first = await pull(line);
    expect([first.exit, first.stderr]).toEqual([
      3,
      expect.stringContaining('3 files that an earlier pull kept are withheld or absent now'),
    ]);
    expect(await pull(line)).toMatchObject({ exit: 0, stdout: '', stderr: '' });
    expect(await verify('--allow-withheld')).toMatchObject({ exit: 0, stderr: '' });
    writeFileSync(join(dir, 'dl/file-2.txt'), 'own');
    // No pull can replace it.
    expect((await pull(`${line} --force`)).exit).toBe(12);
    rmSync(join(dir, 'dl/file-3.txt'));
    const lost = await pull(line);
    expect(lost).toMatchObject({ exit: 12 });
    expect(lost.stderr).toContain('att_2: file-2.txt has different content, and is withheld now');
    expect(lost.stderr).toContain('hint: only another copy can replace it\n');
    expect(lost.stderr).toContain('att_3: file-3.txt is no longer in the folder, and is withheld now');
    expect(await pull(`${line} --dry-run`)).toMatchObject({ exit: 12 });
    for (const against of ['', `--against catalogue --base-url ${server!.url}`]) {
      const ran = await arx(dir, `attachments verify dl --allow-withheld --json ${against}`, {
        env: { ARX_TOKEN: TOKEN },
      });
      const verdicts = reportOfVerify(ran).files.map(({ verdict }) => verdict);
      expect([ran.exit, verdicts]).toEqual([12, ['match', 'mismatch', 'missing', 'match']]);
      expect(ran.stderr).not.toContain('could not keep');
      expect(ran.stderr).not.toContain('run that pull again');
      expect(ran.stderr).toContain(
        '1 file with different content, withheld or absent now: file-2.txt [integrity, exit 12]\n  hint: only another copy can replace it\n',
      );
      expect(ran.stderr).toContain('1 file missing, withheld or absent now: file-3.txt [integrity]');
    }
    // A bag holds what a pull kept, so there is none where a file is lost.
    rmSync(join(dir, 'dl/file-2.txt'));
    const bag = await arx(dir, 'attachments export dl --to bag --offline --json');
    expect([bag.exit, bag.stdout]).toEqual([12, '']);
    expect(readdirSync(dir)).not.toContain('bag');
    // Whoever deleted them on purpose says so.
    const accepted = await pull('--all --to dl --allow-withheld --force');
    expect([accepted.exit, accepted.stderr]).toEqual([
      3,
      expect.stringContaining(
        '2 files that an earlier pull kept are gone, and the archive no longer gives them',
      ),
    ]);
    expect((await verify('--allow-withheld')).exit).toBe(0);
    await serve(files);
    expect((await pull(line)).exit).toBe(0);
    expect((await verify('')).exit).toBe(0);
  });

  test('a report tells which files are withheld now, and which were not before', async () => {
    await serve([{ content: 'one' }, { content: 'two' }, withheld]);
    await pull(line);
    await serve([{ content: 'one', row: HIDDEN }, { content: 'two' }, withheld]);
    const plan = await pull('--all --to dl --dry-run --json');
    expect([plan.exit, plan.stderr]).toEqual([
      0,
      expect.stringContaining(`${NEWS}: the pull says so with exit 3`),
    ]);
    expect(JSON.parse(plan.stdout)).toMatchObject({
      rows: [{ action: 'withheld', path: 'file-1.txt', newly: true }, { action: 'here' }, { path: null }],
    });
    const one = { verdict: 'withheld', path: 'file-1.txt', expected: sha256Of('one'), now: 'withheld' };
    const news = reportOf(await pull(`${line} --json`));
    expect(news.files).toMatchObject([{ ...one, newly: true }, { verdict: 'match' }, { path: null }]);
    expect(news.files[2]).not.toHaveProperty('now');
    const next = reportOf(await pull(`${line} --json`));
    expect(next.files[0]).toMatchObject({ ...one, actual: sha256Of('one') });
    expect(next.files[0]).not.toHaveProperty('newly');
    const verified = reportOfVerify(await verify('--allow-withheld --json'));
    expect(verified.files[0]).toMatchObject({ ...one, verdict: 'match' });
    for (const { checked, bytes, completeness } of [news, next])
      expect({ checked, bytes, completeness }).toEqual({
        checked: verified.checked,
        bytes: verified.bytes,
        completeness: verified.completeness,
      });
    const both = '--ids - --to dl --json -q --allow-withheld';
    expect(reportOf(await pull(both, { stdin: 'att_1\natt_2\n' }))).toMatchObject({
      checked: 2,
      completeness: 'complete',
    });
  });

  test('a kept file is not looked for through a link', async () => {
    await serve([{ content: 'one', row: { origin_city: 'rome' } }]);
    await pull(`${line} --by city`);
    renameSync(join(dir, 'dl/rome'), join(dir, 'moved'));
    symlinkSync('../moved', join(dir, 'dl/rome'));
    await serve([{ content: 'one', row: { ...HIDDEN, origin_city: 'rome' } }, { content: 'two' }]);
    const ran = await pull(line);
    expect([ran.exit, ran.stderr]).toEqual([
      12,
      expect.stringContaining('rome/file-1.txt is no longer in the folder'),
    ]);
  });

  test('a pull that was interrupted, or killed, leaves it to the next one to say that', async () => {
    await serve([{ content: 'a' }]);
    expect((await pull(line)).exit).toBe(0);
    const controller = new AbortController();
    let recorded = '';
    const stop = (): void => {
      recorded = readFileSync(join(dir, 'dl', MANIFEST_FILE), 'utf8');
      controller.abort(new Fault('interrupted', 'stopped'));
    };
    const hidden = { content: 'a', row: HIDDEN };
    await serve([hidden, ...'bc'.split('').map((content) => ({ content })), { content: 'd', script: stop }]);
    const ran = await pull(`${line} --concurrency 1`, { signal: controller.signal });
    expect([ran.exit, ran.stderr.includes(NEWS)]).toEqual([130, false]);
    expect(recorded).not.toContain('"redacted":true');
    await serve([hidden, { content: 'b' }]);
    expect(await pull(line)).toMatchObject({ exit: 3, stderr: expect.stringContaining(NEWS) });
    expect(await pull(line)).toMatchObject({ exit: 0, stderr: '' });
  });

  test('it is said also beside more failures than are shown', async () => {
    await serve([{ content: 'a' }]);
    expect((await pull(line)).exit).toBe(0);
    const gone: ForeignFile['script'] = (socket) => void socket.write(answer(404, 'no'));
    const lost = Array.from({ length: 30 }, () => ({ content: 'b', script: gone }));
    await serve([{ content: 'a', row: HIDDEN }, ...lost, { content: 'x', row: { sha256: sha256Of('y') } }]);
    const ran = await pull(`${line} --retries 0`);
    expect(ran.stderr).toContain('more failures');
    expect(ran.stderr).toContain(NEWS);
  });

  test('does not go with --strict, which fails for them', async () => {
    await serve([withheld]);
    for (const command of ['pull --all --to dl', 'verify .']) {
      const ran = await arx(dir, `attachments ${command} --strict --allow-withheld`);
      expect([ran.exit, ran.stderr]).toEqual([2, expect.stringContaining('--allow-withheld')]);
    }
  });
});

describe('where files may come from', () => {
  test.each([
    // --allow-asset-host stands for https.
    ['http://169.254.169.254', /leads to http:\/\/169\.254\.169\.254, which is no known origin/, false],
    ['https://evil.test:8443', /leads to https:\/\/evil\.test:8443, /, true],
  ])('an announced origin %s of another host is not trusted', async (origin, words, isHostEnough) => {
    await serve([{ content: 'a', row: { file_url: `${origin}/latest/meta-data` } }], {
      assetUrl: () => origin,
    });
    const { exit, stderr } = await pull('att_1 --to dl');
    expect(exit).toBe(13);
    expect(stderr).toMatch(words);
    expect(stderr).toContain(`--asset-url ${origin}`);
    expect(stderr.includes(`--allow-asset-host ${new URL(origin).host}`)).toBe(isHostEnough);
  });

  test('another port of the same host is', async () => {
    const assets = await serveCatalogue([{ content: 'a' }]);
    await serve([{ content: 'a', row: { file_url: `${assets.url}/files/0` } }], {
      assetUrl: () => assets.url,
    });
    expect((await pull('att_1 --to dl')).exit).toBe(0);
    await assets.close();
  });

  test.each(['not a url', 'file:///etc', 'http://u:p@127.0.0.1'])(
    'the announcement %s is malformed',
    async (announced) => {
      await serve([{ content: 'a' }], { assetUrl: () => announced });
      const { exit, stderr } = await pull('att_1 --to dl');
      expect(exit).toBe(11);
      expect(stderr).toMatch(/asset_url/);
    },
  );

  test('connections are kept from file to file', async () => {
    const ports = new Set<number | undefined>();
    await serve(
      Array.from({ length: 20 }, () => ({
        content: 'a',
        script: (socket) => {
          ports.add(socket.remotePort);
          socket.write('HTTP/1.1 200 X\r\ncontent-length: 1\r\n\r\na');
        },
      })),
    );
    expect((await pull('--all --to dl')).exit).toBe(0);
    expect(ports.size).toBeLessThanOrEqual(6);
  });

  test.each([400, 401, 403, 404, 405, 422, 501, 503])('health that answers %i names none', async (status) => {
    await serve([{ content: 'a' }], { health: answer(status, '<html>', { 'content-type': 'text/html' }) });
    expect(await pull('att_1 --to dl --retries 0')).toMatchObject({ exit: 0, stderr: '' });
  });

  test.each([
    ['one of our service, which may name it later', answer(503, '{}', OURS), 9],
    ['a redirect', answer(302, '', { location: 'https://evil.test/' }), 11],
  ])('no health but %s', async (_what, health, exit) => {
    await serve([{ content: 'a' }], { health });
    expect((await pull('att_1 --to dl --retries 0')).exit).toBe(exit);
  });

  test('health is asked once, whatever the number of files', async () => {
    await serve([{ content: 'a' }, { content: 'b' }, { content: 'c' }]);
    expect((await pull('--all --to dl')).exit).toBe(0);
    expect(server!.requests.filter(({ head }) => head.includes('/api/health'))).toHaveLength(1);
  });
});

test('-v shows nothing of a token that a header echoes', async () => {
  await serve([{ content: 'a' }], { rowHeaders: { 'x-drift-ratio': TOKEN } });
  const echoed = await pull('att_1 --to dl -v');
  expect(echoed.exit).toBe(0);
  expect(echoed.stderr).not.toContain(TOKEN.slice(0, 6));
  await serve([{ content: 'a' }], { rowHeaders: { 'x-drift-ratio': '0.13' } });
  expect((await pull('att_1 --to dl -v')).stderr).toContain('drift 0.13');
});

test.each([
  ['its words', answer(403, JSON.stringify({ error: { code: 'asset_forbidden', message: `no ${TOKEN}` } }))],
  ['its code', answer(403, JSON.stringify({ error: { code: TOKEN, message: 'no' } }))],
  ['the request id', answer(403, '', { 'x-request-id': TOKEN })],
  ['the encoding', answer(200, 'b', { 'content-encoding': TOKEN })],
])('a file whose server echoes the token in %s: no message shows it', async (_, bytes) => {
  await serve([{ content: 'a', script: (socket) => void socket.write(bytes) }]);
  const ran = await pull('att_1 --to dl --json');
  expect([ran.exit > 0, ran.stderr.includes('[token]')]).toEqual([true, true]);
  expect(ran.stderr).not.toContain(TOKEN.slice(0, 8));
});

test('a large refusal of a file is read whole', async () => {
  const error = { code: 'asset_forbidden', message: 'not for you', detail: numberedText(5_000_000) };
  await serve([{ content: 'a', script: (socket) => socket.write(answer(403, JSON.stringify({ error }))) }]);
  const ran = await pull('att_1 --to dl --json');
  expect([ran.exit, ran.stderr]).toEqual([5, expect.stringContaining('not for you')]);
});

test('nor one whose address holds it', async () => {
  const origin = `http://${TOKEN.replaceAll(/[_.]/g, '-')}.example`;
  await serve([{ content: 'a', row: { file_url: `${origin}/a` } }]);
  const ran = await pull('att_1 --to dl --json');
  expect([ran.exit, ran.stderr]).toEqual([13, expect.stringContaining('--asset-url http://')]);
  expect(ran.stderr).not.toContain(TOKEN.slice(5, 13));
});

describe('a body that breaks off', () => {
  const cut =
    (times: number, content: string): NonNullable<ForeignFile['script']> =>
    (socket, count) => {
      socket.write(`HTTP/1.1 200 X\r\ncontent-length: ${content.length}\r\n\r\n`);
      if (count < times) socket.end(content.slice(0, 2));
      else socket.write(content);
    };

  test('is asked for again, and the attempts are counted', async () => {
    await serve([{ content: 'hello', script: cut(2, 'hello') }, { content: 'b' }]);
    const ran = await pull('--all --to dl --json');
    expect(ran.exit).toBe(0);
    expect(reportOf(ran).files).toMatchObject([
      { verdict: 'match', attempts: 3 },
      { verdict: 'match', attempts: 1 },
    ]);
    expect(readdirSync(join(dir, 'dl')).sort()).toEqual([MANIFEST_FILE, 'file-1.txt', 'file-2.txt']);
  });

  test('for ever is a network fault that says how often it was tried', async () => {
    await serve([{ content: 'hello', script: cut(99, 'hello') }]);
    const ran = await pull('att_1 --to dl --json');
    expect(ran.exit).toBe(10);
    expect(ran.stderr).toMatch(/cut after \d of 5 bytes \(after 5 tries\)/);
    expect(reportOf(ran).files).toMatchObject([{ verdict: 'missing', path: 'file-1.txt', attempts: 5 }]);
    expect(server!.requests.filter(({ head }) => head.includes('/files/'))).toHaveLength(5);
  });

  test('leaves nothing; what a killed run left is removed when it is old', async () => {
    mkdirSync(join(dir, 'dl'));
    const old = join(dir, 'dl', `.arx-${'0'.repeat(16)}.part`);
    const young = join(dir, 'dl', `.arx-${'1'.repeat(16)}.part`);
    const link = join(dir, 'dl', `.arx-${'2'.repeat(16)}.part`);
    for (const path of [old, young]) writeFileSync(path, 'half');
    symlinkSync(old, link);
    utimesSync(old, new Date(NOON - 3_700_000), new Date(NOON - 3_700_000));
    utimesSync(young, new Date(NOON - 3_500_000), new Date(NOON - 3_500_000));
    await serve([{ content: 'hello' }]);
    expect((await pull('att_1 --to dl')).exit).toBe(0);
    expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
    expect(readdirSync(join(dir, 'dl'))).toContain(`.arx-${'2'.repeat(16)}.part`);
  });
});

test.each([
  [1, 'arx: att_1: its name is not safe here and is kept as att_1-x\n'],
  [
    12,
    'arx: 12 files are kept under another name than in the catalogue; -v names them, --json has the path of each id\n',
  ],
])('%i unsafe names are one line; -v names each', async (count, said) => {
  await serve(Array.from({ length: count }, () => ({ filename: '../x', content: 'hello' })));
  for (const line of ['--dry-run', '']) {
    const words = line === '' ? said : said.replace(/\bare kept|is kept/, 'would be kept');
    expect(await pull(`--all --to dl --json ${line}`)).toMatchObject({ exit: 0, stderr: words });
    const named = (await pull(`--all --to named --json -v ${line}`)).stderr;
    const each = /^arx: att_\d+: its name is not safe here and (?:is|would be) kept as/gm;
    expect(named.match(each)).toHaveLength(count);
    expect(named).not.toContain('under another name');
  }
});

test('an id that is named twice is one file', async () => {
  await serve([{ content: 'hello' }]);
  const ran = await pull('att_1 att_1 --to dl --json');
  expect([ran.exit, reportOf(ran).checked, reportOf(ran).files.length]).toEqual([0, 1, 1]);
});

test('a file of other content under the name is a mismatch, with its hash, and stays', async () => {
  mkdirSync(join(dir, 'dl'));
  writeFileSync(join(dir, 'dl/file-1.txt'), 'mine');
  await serve([{ content: 'hello' }]);
  const ran = await pull('att_1 --to dl --json');
  const { fixity, completeness } = reportOf(ran);
  expect([ran.exit, fixity, completeness]).toEqual([13, 'failed', 'complete']);
  expect(reportOf(ran).files).toMatchObject([
    { path: 'file-1.txt', verdict: 'mismatch', actual: sha256Of('mine'), bytes: 4, attempts: 0 },
  ]);
  expect(ran.stderr).toContain('replace it with --force');
  expect(readFileSync(join(dir, 'dl/file-1.txt'), 'utf8')).toBe('mine');
});

test('a mismatch names its path and what it has instead', async () => {
  await serve([{ content: 'hello', script: (socket) => socket.end('HTTP/1.1 200 X\r\n\r\nhullo') }]);
  const ran = await pull('att_1 --to dl --json');
  expect([ran.exit, reportOf(ran).completeness]).toEqual([12, 'incomplete']);
  expect(reportOf(ran).files).toEqual([
    {
      path: 'file-1.txt',
      id: 'att_1',
      verdict: 'mismatch',
      expected: sha256Of('hello'),
      actual: sha256Of('hullo'),
      bytes: 5,
      resumed_from: 0,
      attempts: 2,
    },
  ]);
  const sums = await pull('att_1 --to dl -o sums');
  expect(sums.stdout).toBe(`${sha256Of('hello')}  file-1.txt\n`);
});

test('a file that the archive cannot give is not there: the pull is incomplete', async () => {
  const body = JSON.stringify({ error: { code: 'asset_damaged', message: 'x', request_id: 'req_1' } });
  const head = `HTTP/1.1 500 X\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  await serve([{ content: 'hello', script: (socket) => socket.end(head + body) }]);
  const ran = await pull('att_1 --to dl --json');
  const { files, completeness } = reportOf(ran);
  expect([ran.exit, completeness]).toEqual([12, 'incomplete']);
  expect(files).toMatchObject([{ verdict: 'mismatch', actual: null }]);
});

test('rows, notices and faults stand in the order of the catalogue, whatever comes first', async () => {
  const waiting: (() => void)[] = [];
  const asked = new Set<number>();
  const files: ForeignFile[] = Array.from({ length: 12 }, (_, index) => ({
    filename: index % 3 === 0 ? `../${index}` : 'same.txt',
    content: `file ${index}`,
    // Every fourth first request lets the three before it go, in turned order. Other bytes are asked for twice.
    script: (socket) => {
      const body = index % 5 === 0 ? 'other!' : `file ${index}`;
      const go = (): void =>
        void socket.write(`HTTP/1.1 200 X\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      if (asked.has(index)) return go();
      asked.add(index);
      waiting.push(go);
      if (waiting.length === 4) for (const go of waiting.splice(0).toReversed()) go();
    },
  }));
  await serve(files);
  const ran = await pull('--all --to dl --json -v');
  expect(ran.exit).toBe(12);
  expect(reportOf(ran).files.map(({ id }) => id)).toEqual(files.map((_, index) => `att_${index + 1}`));
  const said = ran.stderr.split('\n');
  const record = exitRecordOf(ran);
  const failed = [record, ...(record.others ?? [])].map(({ message }) => /att_\d+/.exec(message)?.[0]);
  expect(failed).toEqual(['att_1', 'att_6', 'att_11']);
  expect(said.filter((line) => / is kept as |taken by/.test(line)).slice(0, 3)).toEqual([
    'arx: att_1: its name is not safe here and is kept as att_1-0',
    'arx: att_3: its name is taken by another file, so it is kept as att_3-same.txt',
    'arx: att_4: its name is not safe here and is kept as att_4-3',
  ]);
  const lines = readFileSync(join(dir, 'dl', MANIFEST_FILE), 'utf8')
    .trim()
    .split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(
    files.map((_, index) => `att_${index + 1}`),
  );
});

test('files that another pull writes first leave no listener and no open body behind', async () => {
  const files = Array.from({ length: 12 }, (_, index): ForeignFile => ({
    content: `file ${index}`,
    script: (socket) => {
      // Between our first look at the name and the bytes.
      writeFileSync(join(dir, `dl/file-${index + 1}.txt`), `file ${index}`);
      socket.write(answer(200, `file ${index}`));
    },
  }));
  await serve(files);
  const { signal } = new AbortController();
  const ran = await pull('--all --to dl --json', { signal });
  expect([ran.exit, ran.stderr]).toEqual([0, '']);
  expect(reportOf(ran).verdicts).toMatchObject({ match: 12 });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a terminal is told where the files are, and how to check them', async () => {
  await serve([{ content: 'hello' }]);
  const ran = await pull('att_1 --to "my files" --flat', { columns: 200 });
  expect(ran.stderr).toContain(
    "arx: 1 file of this pull is in my files; check later: arx attachments verify 'my files'\n",
  );
  expect((await pull('att_1 --to "my files" -q', { columns: 200 })).stderr).toBe('');
  expect((await pull('att_1 --to "my files"')).stderr).toBe('');
});

test('a file whose manifest line was lost is known by its hash', async () => {
  await serve([{ content: 'hello' }]);
  expect((await pull('att_1 --to dl')).exit).toBe(0);
  rmSync(join(dir, 'dl', MANIFEST_FILE));
  const ran = await pull('att_1 --to dl --json');
  expect(ran.exit).toBe(0);
  expect(reportOf(ran).files).toMatchObject([{ verdict: 'match', attempts: 0 }]);
  expect(readFileSync(join(dir, 'dl', MANIFEST_FILE), 'utf8')).toBe(
    `{"id":"att_1","path":"file-1.txt","sha256":"${sha256Of('hello')}","bytes":5,"redacted":false,"selections":[]}\n`,
  );
  // A third time there is nothing to write.
  expect((await pull('att_1 --to dl')).exit).toBe(0);
  expect(readFileSync(join(dir, 'dl', MANIFEST_FILE), 'utf8').split('\n')).toHaveLength(2);
});

describe('the target', () => {
  test('is made with its parents', async () => {
    await serve([{ content: 'hello' }]);
    expect((await pull('att_1 --to a/b/c')).exit).toBe(0);
    expect(readFileSync(join(dir, 'a/b/c/file-1.txt'), 'utf8')).toBe('hello');
  });

  test.skipIf(process.platform !== 'linux')('where no folder can be made, there is an end', async () => {
    await serve([{ content: 'hello' }]);
    const { exit, stderr } = await pull('att_1 --to /proc/none/new');
    expect([exit, stderr]).toEqual([14, expect.stringContaining('/proc/none/new: no such file or folder')]);
  });

  test.each(['file', 'file/sub'])('%s, where a file stands, is named', async (to) => {
    writeFileSync(join(dir, 'file'), '');
    await serve([{ content: 'hello' }]);
    const { exit, stderr } = await pull(`att_1 --to ${to}`);
    expect(exit).toBe(13);
    expect(stderr).toContain(`${join(dir, to)} is not a folder`);
  });

  test.each(['fifo', 'symlink', 'large'])('whose manifest is a %s is refused at once', async (kind) => {
    mkdirSync(join(dir, 'dl'));
    const path = join(dir, 'dl', MANIFEST_FILE);
    if (kind === 'fifo') execFileSync('mkfifo', [path]);
    else if (kind === 'symlink') symlinkSync('/dev/zero', path);
    else execFileSync('truncate', ['-s', '257M', path]);
    await serve([{ content: 'hello' }]);
    expect((await pull('att_1 --to dl')).exit).toBe(13);
  });
});

describe('what is asked for', () => {
  test.each(['--all --city x', 'att_1 --all', 'att_1 --type text/plain', '--all --type text/plain'])(
    '%s is two choices',
    async (line) => {
      await serve([]);
      const { exit, stderr } = await pull(line);
      expect(exit).toBe(2);
      expect(stderr).toMatch(/^arx: choose one of /);
    },
  );

  test('rows are filtered as ls filters them, also where the service does not', async () => {
    await serve([
      { content: 'a', row: { content_type: 'image/png', source: 'gateway', message_id: 'msg_1' } },
      { content: 'b', row: { source: 'external', message_id: 'msg_2' } },
    ]);
    for (const [line, id] of [
      ['--type image/png', 'att_1'],
      ['--source external', 'att_2'],
      ['--message msg_2', 'att_2'],
    ])
      expect(reportOf(await pull(`${line} --to dl --json`)).files.map((file) => file.id)).toEqual([id]);
  });
});

describe('--dry-run', () => {
  const rows: ForeignFile[] = [
    { content: 'hello', row: { bytes: 5 } },
    { content: 'unsized' },
    { content: 'here', row: { bytes: 4 } },
    { content: 'gone', row: { redacted: true, file_url: null } },
    { content: 'never had', row: { file_url: null } },
  ];
  const plan = {
    version: 1,
    files: 2,
    bytes: 5,
    unsized: 1,
    here: 1,
    withheld: 1,
    absent: 1,
    unlisted: 0,
    refused: 0,
    complete: true,
    rows: [
      { id: 'att_1', action: 'download', path: 'file-1.txt', bytes: 5 },
      { id: 'att_2', action: 'download', path: 'file-2.txt', bytes: null },
      { id: 'att_3', action: 'here', path: 'file-3.txt', bytes: 4 },
      { id: 'att_4', action: 'withheld', path: null, bytes: null },
      { id: 'att_5', action: 'absent', path: null, bytes: null },
    ].map((row, at) => ({ ...row, sha256: sha256Of(rows[at]!.content) })),
  };

  test('says what would come, asks for no file and writes nothing', async () => {
    mkdirSync(join(dir, 'dl'));
    writeFileSync(join(dir, 'dl/file-3.txt'), 'here');
    await serve(rows);
    const ran = await pull('--all --to dl --dry-run --json');
    expect([ran.exit, JSON.parse(ran.stdout)]).toEqual([0, plan]);
    expect(server!.requests.filter(({ head }) => head.includes('/files/'))).toEqual([]);
    expect(readdirSync(join(dir, 'dl'))).toEqual(['file-3.txt']);
    expect((await pull('--all --to dl --dry-run')).stdout).toBe(
      'download\tfile-1.txt\t5\tatt_1\ndownload\tfile-2.txt\t\tatt_2\nhere\tfile-3.txt\t4\tatt_3\n' +
        'withheld\t\t\tatt_4\nabsent\t\t\tatt_5\n',
    );
    const shown = (await pull('--all --to dl --dry-run -o table')).stdout.split('\n');
    expect(shown.at(-2)).toBe(
      'would download 2 files, 5 B and 1 of unknown size; 1 already here; 1 withheld; 1 absent',
    );
  });

  test('makes no folder', async () => {
    await serve(rows);
    const ran = await pull('--all --to a/b --dry-run --json');
    const { rows: planned, ...counts } = plan;
    expect(JSON.parse(ran.stdout)).toEqual({
      ...counts,
      files: 3,
      bytes: 9,
      here: 0,
      rows: planned.map((row) => (row.action === 'here' ? { ...row, action: 'download' } : row)),
    });
    expect(readdirSync(dir).filter((name) => name === 'a')).toEqual([]);
  });

  test('what would be refused is, as by the pull itself', async () => {
    mkdirSync(join(dir, 'dl'));
    writeFileSync(join(dir, 'dl/file-1.txt'), 'mine');
    await serve(rows);
    const ran = await pull('--all --to dl --dry-run --json');
    expect([ran.exit, JSON.parse(ran.stdout)]).toMatchObject([13, { refused: 1, here: 0 }]);
    expect(ran.stderr).toContain('att_1: file-1.txt exists with different content');
  });
});

describe('--concurrency', () => {
  test.each([1, 3])('%i files at once, and no more', async (most) => {
    let open = 0;
    let seen = 0;
    const waiting: (() => void)[] = [];
    await serve(
      Array.from({ length: 9 }, (_, index) => ({
        content: `file ${index}`,
        script: (socket) => {
          seen = Math.max(seen, ++open);
          waiting.push(() => {
            open -= 1;
            socket.write(answer(200, `file ${index}`));
          });
          if (waiting.length !== most) return;
          // Time for one more to come, if it does.
          let turns = 50;
          const next = (): void => {
            if (turns-- > 0) setImmediate(next);
            else for (const go of waiting.splice(0)) go();
          };
          next();
        },
      })),
    );
    expect((await pull(`--all --to dl --concurrency ${most}`)).exit).toBe(0);
    expect(seen).toBe(most);
  });

  test.each(['0', '33', 'x', '-1'])('%s is refused', async (count) => {
    await serve([{ content: 'a' }]);
    expect((await pull(`--all --concurrency=${count}`)).exit).toBe(2);
  });
});

test('C13: the folder stays the one that was named, whatever its name leads to meanwhile', async () => {
  mkdirSync(join(dir, 'dl'));
  mkdirSync(join(dir, 'outside'));
  await serve([
    {
      content: 'hello',
      script: (socket) => {
        renameSync(join(dir, 'dl'), join(dir, 'moved'));
        symlinkSync('outside', join(dir, 'dl'));
        socket.write(answer(200, 'hello'));
      },
    },
  ]);
  expect((await pull('att_1 --to dl')).exit).toBe(0);
  expect(readdirSync(join(dir, 'outside'))).toEqual([]);
  expect(readdirSync(join(dir, 'moved')).sort()).toEqual([MANIFEST_FILE, 'file-1.txt']);
});

test('C13: a symlink that the user names is followed', async () => {
  mkdirSync(join(dir, 'real'));
  symlinkSync('real', join(dir, 'dl'));
  await serve([{ content: 'hello' }]);
  expect((await pull('att_1 --to dl')).exit).toBe(0);
  expect(readdirSync(join(dir, 'real'))).toContain('file-1.txt');
});

test('C18: only the catalogue names a file', async () => {
  const headers = { 'content-disposition': 'attachment; filename="evil.sh"' };
  await serve([{ content: 'hello', script: (socket) => socket.write(answer(200, 'hello', headers)) }]);
  expect((await pull('att_1 --to dl')).exit).toBe(0);
  expect(readdirSync(join(dir, 'dl')).sort()).toEqual([MANIFEST_FILE, 'file-1.txt']);
});

test('C1: with --exact-names an unsafe name is refused and nothing written, the others come', async () => {
  await serve([{ content: 'a', filename: '../x' }, { content: 'b' }]);
  const ran = await pull('--all --to dl --exact-names --json');
  expect([ran.exit, reportOf(ran).files.map(({ verdict }) => verdict)]).toEqual([13, ['missing', 'match']]);
  expect(readdirSync(join(dir, 'dl')).sort()).toEqual([MANIFEST_FILE, 'file-2.txt']);
});

test('B10: a redacted row is withheld, and its address never asked, whatever it says', async () => {
  await serve([{ content: 'a', row: { redacted: true } }, { content: 'b' }]);
  const ran = await pull('--all --to dl --json');
  expect([ran.exit, reportOf(ran).verdicts]).toMatchObject([3, { withheld: 1, match: 1, missing: 0 }]);
  expect(server!.requests.some(({ head }) => head.includes('/files/0'))).toBe(false);
});

test('on a terminal: files and bytes of how many, how fast, how long still', async () => {
  const content = 'x'.repeat(300_000);
  let now = 0;
  await serve(Array.from({ length: 3 }, () => ({ content, row: { bytes: content.length } })));
  const ran = await pull('--all --to dl', { columns: 100, monotonic: () => (now += 300) });
  expect(ran.exit).toBe(0);
  expect(ran.stderr).toMatch(/\d of 3 files .*kB of 900\.0 kB {2}[\d.]+ kB\/s {2}.* left/);
  const quiet = await pull('--all --to other', { monotonic: () => (now += 300) });
  expect(quiet.stderr).toBe('');
});
