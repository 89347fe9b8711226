// Groups C, D and E of the bad inputs as their user meets them: each row by its number, with its exit code and what stays.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PullReport, VerifyReport } from '../../../src/contract/reports/files.ts';
import { MANIFEST_FILE } from '../../../src/download/manifest.ts';
import { serveCatalogue, type ForeignFile } from '../../support/catalogue-server.ts';
import { AUTHORITY, CERTIFICATES, KEY } from '../../support/certificates.ts';
import { arx, type Ran } from '../../support/command.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { always, answer, misbehave, type Misbehaving } from '../../support/misbehaving-server.ts';
import { buildProgram, startProcess, type Ended, type Program } from '../../support/program.ts';
import { sha256Of } from '../../support/digest.ts';

const TOKEN = 'arx_0123456789.abcdefghijklmnop';
const env = { LANG: 'C.UTF-8', ARX_TOKEN: TOKEN };
let dir: string;
let server: Misbehaving | undefined;
type Script = NonNullable<ForeignFile['script']>;
beforeEach(() => void (dir = tempFolder('fault')));
beforeEach(() => {
  chmodSync(dir, 0o755);
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Checks what every case must keep to, and returns it: no token, no stack trace, no control characters, at most 25 lines. */
function checkOutput<T extends { stdout: string; stderr: string }>(ran: T): T {
  expect(ran.stdout + ran.stderr).not.toContain(TOKEN);
  expect(ran.stderr).not.toMatch(/\n\s+at /);
  expect(ran.stderr).not.toMatch(/[^\P{Cc}\n]/u);
  expect(ran.stderr.split('\n').length).toBeLessThanOrEqual(25);
  return ran;
}
async function pull(files: readonly ForeignFile[], flags = ''): Promise<Ran> {
  await server?.close();
  server = await serveCatalogue(files);
  return again(flags);
}
const again = async (flags = ''): Promise<Ran> =>
  checkOutput(
    await arx(dir, `attachments pull --all --to dl --base-url ${server!.url} --retries 0 --json ${flags}`, {
      env,
    }),
  );
const verify = async (flags = ''): Promise<Ran> =>
  checkOutput(await arx(dir, `attachments verify dl --json ${flags}`, { env }));
const there = (): string[] =>
  readdirSync(join(dir, 'dl'))
    .filter((name) => name !== MANIFEST_FILE)
    .sort();
const filesOf = ({ stdout }: Ran) => PullReport.parse(JSON.parse(stdout)).files;
const put = (name: string, text: string): void => {
  mkdirSync(join(dir, 'dl'), { recursive: true });
  writeFileSync(join(dir, 'dl', name), text);
};
const asked = (): number => server!.requests.filter(({ head }) => head.includes('/files/')).length;

describe('C: names', () => {
  const NAMES: [row: string, filename: string, kept: RegExp][] = [
    ['C1', '../x', /^att_1-x$/],
    ['C1', 'a/../../x', /^att_1-a_/],
    ['C1', '/etc/x', /^att_1-etc_x$/],
    ['C1', 'a/b', /^att_1-a_b$/],
    ['C1', '..\\x', /^att_1-x$/],
    ['C1', 'C:\\x', /^att_1-C__x$/],
    ['C1', '\\\\?\\C:\\x', /^att_1-C__x$/],
    ['C1', '\\\\srv\\s', /^att_1-srv_s$/],
    ['C2', '.', /^att_1$/],
    ['C2', '..', /^att_1$/],
    ['C2', '', /^att_1$/],
    ['C2', ' . . ', /^att_1$/],
    ['C2', '~root', /^att_1-root$/],
    ['C2', '-rf', /^att_1-rf$/],
    ['C3', 'a\0b\nc\u001b[2Jd\u007fe\u009b.txt', /^att_1-a_b_c_\[2Jd_e_\.txt$/],
    ['C5', `${'a'.repeat(252)}.pdf`, /^att_1-a+\.pdf$/],
    ['C5', `${'😀'.repeat(255)}.jpeg`, /^att_1-(😀)+\.jpeg$/u],
    ['C6', 'con', /^att_1-con$/],
    ['C6', 'NUL.txt', /^att_1-NUL\.txt$/],
    ['C6', 'COM1', /^att_1-COM1$/],
    ['C6', 'a:b', /^att_1-a_b$/],
    ['C6', 'a. ', /^att_1-a$/],
    ['C8', '.ssh', /^att_1-ssh$/],
    ['C8', '.bashrc', /^att_1-bashrc$/],
    ['C8', '.git', /^att_1-git$/],
  ];
  test.each(NAMES)(
    '%s: %j is kept under a safe name, which is said; with --exact-names it is refused',
    async (_, filename, kept) => {
      const ran = await pull([{ filename, content: 'hello' }]);
      expect([ran.exit, there()]).toEqual([0, [expect.stringMatching(kept)]]);
      expect(Buffer.byteLength(there()[0]!)).toBeLessThanOrEqual(200);
      expect(ran.stderr).toMatch(/^arx: att_1: its name is not safe here and is kept as att_1/);
      expect(readdirSync(dir).filter((name) => !['dl', 'config', 'data'].includes(name))).toEqual([]);
      rmSync(join(dir, 'dl'), { recursive: true });
      const exact = await again('--exact-names');
      expect([exact.exit, there()]).toEqual([13, []]);
    },
  );
});

describe('C: what is there already', () => {
  test('C9: the same bytes: verified, without a request', async () => {
    put('file-1.txt', 'hello');
    const ran = await pull([{ content: 'hello' }], '-v');
    expect([ran.exit, asked(), filesOf(ran)[0]?.verdict]).toEqual([0, 0, 'match']);
    expect(ran.stderr).toContain('file-1.txt: already here, verified');
  });

  test('C10: other bytes are not touched; --force writes the new ones, then swaps', async () => {
    put('file-1.txt', 'mine');
    const ran = await pull([{ content: 'hello' }]);
    expect([ran.exit, asked(), readFileSync(join(dir, 'dl/file-1.txt'), 'utf8')]).toEqual([13, 0, 'mine']);
    expect(ran.stderr).toMatch(/"next":".*--force/);
    expect([(await again('--force')).exit, readFileSync(join(dir, 'dl/file-1.txt'), 'utf8')]).toEqual([
      0,
      'hello',
    ]);
    // Bytes that prove wrong leave what was there.
    put('file-1.txt', 'mine');
    const wrong = await pull(
      [{ content: 'hello', script: (socket) => socket.write(answer(200, 'hullo')) }],
      '--force',
    );
    expect([wrong.exit, readFileSync(join(dir, 'dl/file-1.txt'), 'utf8'), there()]).toEqual([
      12,
      'mine',
      ['file-1.txt'],
    ]);
  });

  const isRoot = process.getuid?.() === 0;
  if (!isRoot) process.stderr.write('SKIPPED: only root makes devices\n');
  test.each(['fifo', 'socket', 'folder', 'symlink', ...(isRoot ? ['device'] : [])])(
    'C12: a %s in its place is refused, with --force too, and never waited for',
    async (kind) => {
      mkdirSync(join(dir, 'dl'));
      const path = join(dir, 'dl/file-1.txt');
      let listening: Server | undefined;
      if (kind === 'fifo') execFileSync('mkfifo', [path]);
      else if (kind === 'device') execFileSync('mknod', [path, 'c', '1', '5']);
      else if (kind === 'folder') mkdirSync(path);
      else if (kind === 'symlink') symlinkSync(join(dir, 'elsewhere'), path);
      else
        listening = await new Promise<Server>((resolve) => {
          const made = createServer().listen(path, () => resolve(made));
        });
      const before = lstatSync(path).mode;
      for (const flags of ['', '--force']) expect((await pull([{ content: 'hello' }], flags)).exit).toBe(13);
      expect([lstatSync(path).mode, asked(), existsSync(join(dir, 'elsewhere'))]).toEqual([before, 0, false]);
      listening?.close();
    },
  );

  test('C13: a folder that the user names may be a link; below it none is followed', async () => {
    mkdirSync(join(dir, 'real'));
    mkdirSync(join(dir, 'outside'));
    symlinkSync('real', join(dir, 'dl'));
    symlinkSync('../outside', join(dir, 'real/sub'));
    const line = JSON.stringify({
      id: 'att_1',
      path: 'sub/x.txt',
      sha256: sha256Of('old'),
      bytes: 3,
      redacted: false,
    });
    writeFileSync(join(dir, 'real', MANIFEST_FILE), `${line}\n`);
    // The manifest has another hash.
    expect((await pull([{ content: 'hello' }])).exit).toBe(3);
    expect(readdirSync(join(dir, 'real')).sort()).toEqual([MANIFEST_FILE, 'file-1.txt', 'sub']);
    expect(readdirSync(join(dir, 'outside'))).toEqual([]);
  });

  test('C15: links under every name that a temporary could have are not followed', async () => {
    // A world whose chance repeats: its first names are known beforehand.
    const line = (world: string) => `attachments pull --all --to ${world} --base-url ${server!.url}`;
    server = await serveCatalogue([
      {
        content: 'hello',
        script: (socket) => socket.end('HTTP/1.1 200 X\r\ncontent-length: 5\r\netag: "v1"\r\n\r\nhe'),
      },
    ]);
    await arx(dir, `${line('probe')} --retries 0`, { env });
    const left = readdirSync(join(dir, 'probe')).find((name) => name.endsWith('.part'));
    await server.close();
    server = await serveCatalogue([
      { content: 'hello', script: (socket) => socket.write(answer(200, 'hello', { etag: '"v1"' })) },
    ]);
    mkdirSync(join(dir, 'dl'));
    writeFileSync(join(dir, 'victim'), 'untouched');
    symlinkSync('../victim', join(dir, 'dl', left!));
    expect((await arx(dir, line('dl'), { env })).exit).toBe(0);
    expect([
      readFileSync(join(dir, 'victim'), 'utf8'),
      readFileSync(join(dir, 'dl/file-1.txt'), 'utf8'),
    ]).toEqual(['untouched', 'hello']);
  });

  test('C17: a file for a folder is 13, one that vanishes meanwhile 14, one that is missing is made', async () => {
    writeFileSync(join(dir, 'dl'), '');
    expect((await pull([{ content: 'hello' }])).exit).toBe(13);
    rmSync(join(dir, 'dl'));
    const vanishing: ForeignFile = {
      content: 'hello',
      script: (socket) => {
        rmSync(join(dir, 'dl'), { recursive: true });
        socket.write(answer(200, 'hello'));
      },
    };
    expect([(await pull([vanishing])).exit, existsSync(join(dir, 'dl'))]).toEqual([14, false]);
    expect([(await pull([{ content: 'hello' }])).exit, there()]).toEqual([0, ['file-1.txt']]);
  });

  test('C18: the name in the address, in Content-Disposition and of a redirect do not count', async () => {
    const headers = { 'content-disposition': `attachment; filename="../evil.sh"; filename*=UTF-8''evil.sh` };
    const elsewhere = await misbehave((socket, { head }) =>
      socket.write(
        head.includes('/moved.sh')
          ? answer(200, 'hello', headers)
          : answer(302, '', { location: '/moved.sh' }),
      ),
    );
    const row = { file_url: `${elsewhere.url}/files/evil.sh?name=evil.sh` };
    const ran = await pull([{ content: 'hello', row }], `--allow-asset-host 127.0.0.1:${elsewhere.port}`);
    await elsewhere.close();
    expect([ran.exit, there(), filesOf(ran)[0]?.path]).toEqual([0, ['file-1.txt'], 'file-1.txt']);
  });
});

describe('D: bytes', () => {
  const raw =
    (text: string, end = false): Script =>
    (socket) =>
      void (end ? socket.end(text) : socket.write(text));
  const page = (length: number, body: string): string =>
    `HTTP/1.1 200 X\r\ncontent-length: ${length}\r\n\r\n${body}`;

  test('D1: one bit flipped: 12, both hashes, nothing under the name', async () => {
    const ran = await pull([{ content: 'hello', script: raw(page(5, 'hellm')) }]);
    expect([ran.exit, there()]).toEqual([12, []]);
    expect(ran.stderr).toContain(`expected sha256 ${sha256Of('hello')}, got ${sha256Of('hellm')}`);
  });

  test.each<[string, string, boolean, number, string[]]>([
    ['longer than the body', page(100, 'hello'), true, 10, []],
    ['shorter than the body', page(3, 'hello'), false, 12, []],
    ['right, with more after it', page(5, 'hello and more'), false, 0, ['file-1.txt']],
  ])('D2: a length that is %s', async (_, bytes, end, exit, names) => {
    const ran = await pull([{ content: 'hello', script: raw(bytes, end) }]);
    expect([ran.exit, there().filter((name) => !name.endsWith('.part'))]).toEqual([exit, names]);
  });

  test('D3: an empty file', async () => {
    expect([(await pull([{ content: '' }])).exit, readFileSync(join(dir, 'dl/file-1.txt'), 'utf8')]).toEqual([
      0,
      '',
    ]);
    expect((await verify()).exit).toBe(0);
  });

  test('D4: changed since it was listed: 12, and what to do', async () => {
    const ran = await pull([{ content: 'hello', script: raw(page(9, 'hello now')) }]);
    expect([ran.exit, ran.stderr]).toEqual([12, expect.stringMatching(/"next":"list the attachments again/)]);
  });

  test.each(['', 'W/"v1"'])('D9: a part that came under the ETag %j is not resumed', async (etag) => {
    const tag = etag === '' ? '' : `etag: ${etag}\r\n`;
    const cut: ForeignFile = {
      content: 'hello',
      script: raw(`HTTP/1.1 200 X\r\n${tag}content-length: 5\r\n\r\nhel`, true),
    };
    expect([(await pull([cut])).exit, there()]).toEqual([10, []]);
    expect([(await pull([{ content: 'hello' }])).exit, filesOf(await again())[0]?.resumed_from]).toEqual([
      0, 0,
    ]);
    expect(server!.requests.some(({ head }) => /\r\nrange:/i.test(head))).toBe(false);
  });

  test('D10: different, missing, extra, a folder: each is named, 12; only unreadable ones are 14', async () => {
    await pull([{ content: 'a' }, { content: 'b' }, { content: 'c' }, { content: 'd' }]);
    put('file-1.txt', 'A');
    rmSync(join(dir, 'dl/file-2.txt'));
    rmSync(join(dir, 'dl/file-3.txt'));
    mkdirSync(join(dir, 'dl/file-3.txt'));
    put('more.txt', '');
    const ran = await verify();
    const { files } = VerifyReport.parse(JSON.parse(ran.stdout));
    expect([ran.exit, Object.fromEntries(files.map(({ path, verdict }) => [path, verdict]))]).toEqual([
      12,
      {
        'file-1.txt': 'mismatch',
        'file-2.txt': 'missing',
        'file-3.txt': 'unreadable',
        'file-4.txt': 'match',
        'more.txt': 'extra',
      },
    ]);
    put('file-1.txt', 'a');
    put('file-2.txt', 'b');
    expect((await verify()).exit).toBe(14);
  });

  test('D12: nothing to verify is 3', async () => {
    put(MANIFEST_FILE, '');
    const ran = await verify();
    expect([ran.exit, ran.stderr]).toEqual([3, expect.stringContaining('nothing was checked')]);
  });

  test('D13: the hash of a withheld row cannot be checked: said, and 3', async () => {
    expect(
      (await pull([{ content: 'a' }, { content: 'b', row: { redacted: true, file_url: null } }])).exit,
    ).toBe(3);
    const ran = await verify();
    expect([ran.exit, VerifyReport.parse(JSON.parse(ran.stdout)).verdicts]).toMatchObject([
      3,
      { match: 1, withheld: 1 },
    ]);
    expect(ran.stderr).toContain('1 file withheld, not checkable');
  });
});

describe('E: where files come from', () => {
  const to =
    (location: string, status = 302): Script =>
    (socket) =>
      socket.write(answer(status, '', { location }));
  const one = (script: Script): ForeignFile[] => [
    { content: 'hello', ...(script === undefined ? {} : { script }) },
  ];

  test.each([301, 302, 307, 308])('E1: the catalogue itself sends us away (%i)', async (status) => {
    server = await misbehave(always(answer(status, '', { location: 'https://evil.test:8443/x' })));
    const ran = await again();
    expect([ran.exit, ran.stdout]).toEqual([11, '']);
    expect(ran.stderr).toContain(
      `the server redirects to evil.test:8443 (status ${status}), which arx does not follow`,
    );
  });

  test('E2: three hops on the same origin', async () => {
    const ran = await pull(
      one((socket, count) =>
        socket.write(count < 3 ? answer(302, '', { location: '/files/0' }) : answer(200, 'hello')),
      ),
    );
    expect([ran.exit, there(), asked()]).toEqual([0, ['file-1.txt'], 4]);
  });

  test('E3: another port, without and with --allow-asset-host; no token goes there', async () => {
    const other = await misbehave(always(answer(200, 'hello')));
    const ran = await pull(one(to(`${other.url}/x`)));
    expect([ran.exit, other.requests.length, there()]).toEqual([11, 0, []]);
    expect(ran.stderr).toContain(
      `the server redirects to 127.0.0.1:${other.port} (status 302), which arx does not follow`,
    );
    expect(ran.stderr).toContain(`hint: if you trust it: --allow-asset-host 127.0.0.1:${other.port}\n`);
    expect(ran.stderr).not.toContain('base URL');
    expect([(await again(`--allow-asset-host 127.0.0.1:${other.port}`)).exit, there()]).toEqual([
      0,
      ['file-1.txt'],
    ]);
    expect(other.requests.map(({ head }) => /authorization|arx_0123/i.test(head))).toEqual([false]);
    await other.close();
  });

  test.each(['http://localhost:1/x', 'ftp://127.0.0.1/x', 'file:///etc/passwd'])(
    'E3: to %s',
    async (location) => {
      expect([(await pull(one(to(location)))).exit, there()]).toEqual([11, []]);
    },
  );

  test('E4: a loop, and 50 hops', async () => {
    const hops: Script = (socket, count) =>
      socket.write(count < 50 ? answer(302, '', { location: '/files/1' }) : answer(200, 'b'));
    const ran = await pull([
      { content: 'a', script: to('/files/0') },
      { content: 'b', script: hops },
    ]);
    expect([ran.exit, there(), asked()]).toEqual([11, [], 8]);
    for (const id of ['att_1', 'att_2'])
      expect(ran.stderr).toContain(`${id}: file redirected more than 3 times`);
  });

  test.each(['file:///etc/passwd', 'data:text/plain,hello', 'javascript:alert(1)', 'ftp://127.0.0.1/x'])(
    'E6: %s',
    async (address) => {
      const ran = await pull([{ content: 'hello', row: { file_url: address } }]);
      expect([ran.exit, there(), ran.stderr]).toEqual([
        13,
        [],
        expect.stringMatching(/file URL has the scheme/),
      ]);
    },
  );

  test('E10: plain http to another machine at login: refused before anything is sent', async () => {
    const line =
      'login --client-id me --observer-tier internal --requested-tier internal --base-url http://archive.test --retries 0';
    const ran = checkOutput(await arx(dir, line));
    expect([ran.exit, ran.stderr]).toEqual([
      2,
      expect.stringMatching(/anyone on the way could read the token[^]*--insecure-http/),
    ]);
    // Then it is only not there.
    expect(checkOutput(await arx(dir, `${line} --insecure-http`)).exit).toBe(10);
  });

  test('E11: the token of one address is not sent to another that the environment names', async () => {
    const token = {
      access_token: TOKEN,
      expires_at: '2099-01-01T00:00:00.000Z',
      scope: [],
      access_tier: 'internal',
      issued_by: 'mirror',
      timeline_offset_ms: 0,
      session_drift_ms: 0,
      source_integrity: 1,
    };
    server = await misbehave(always(answer(200, JSON.stringify(token))));
    const other = await misbehave(always(answer(200, '[]')));
    const line = `login --client-id me --observer-tier internal --requested-tier internal --base-url ${server.url}`;
    expect(checkOutput(await arx(dir, line)).exit).toBe(0);
    const ran = checkOutput(await arx(dir, 'attachments ls', { env: { ARX_BASE_URL: other.url } }));
    expect([ran.exit, other.requests.length, ran.stderr]).toEqual([
      4,
      0,
      expect.stringContaining(`no token for ${other.url}`),
    ]);
    await other.close();
  });
});

describe('as real processes', () => {
  let program: Program;
  beforeAll(() => {
    program = buildProgram();
  });
  const isRoot = process.getuid?.() === 0;
  const mayRead = ['--reuid=65534', 'test', '-r', join(import.meta.dirname, '../../../package.json')];
  const canDrop = !isRoot || spawnSync('setpriv', mayRead).status === 0;
  if (!canDrop)
    process.stderr.write(
      'SKIPPED: root cannot become another user here; folders that are closed are not tested\n',
    );
  /** As somebody whom the permissions of a folder hold. */
  const asUser = (words: string[]): Promise<Ended> => {
    const line = [process.execPath, program.launcher, ...words];
    const drop = ['--reuid=65534', '--regid=65534', '--clear-groups'];
    const [command, ...rest] = isRoot ? ['setpriv', ...drop, ...line] : line;
    return startProcess(command!, rest, { dir, env: { ARX_TOKEN: TOKEN } }).ended;
  };

  test.skipIf(!canDrop)('C17: a folder that is not ours to write', async () => {
    mkdirSync(join(dir, 'dl'), { mode: 0o555 });
    server = await serveCatalogue([{ content: 'hello' }]);
    const ran = checkOutput(
      await asUser(['attachments', 'pull', '--all', '--to', 'dl', '--base-url', server.url]),
    );
    expect([ran.exit, readdirSync(join(dir, 'dl')), ran.stderr]).toEqual([
      14,
      [],
      expect.stringContaining(`arx: ${join(dir, 'dl')}: permission denied [disk, exit 14]\n`),
    ]);
  });

  test.skipIf(!canDrop)('D10: a file that is not ours to read: named, and 14', async () => {
    put('a', 'a');
    put('SHA256SUMS', `${sha256Of('a')}  a\n`);
    chmodSync(join(dir, 'dl/a'), 0);
    const ran = checkOutput(await asUser(['attachments', 'verify', 'dl', '-o', 'ndjson']));
    expect([ran.exit, ran.stdout]).toEqual([14, expect.stringMatching(/"path":"a".*"verdict":"unreadable"/)]);
  });

  test('E9: from https to http, even where both are allowed', async () => {
    writeFileSync(join(dir, 'authority.pem'), AUTHORITY);
    const plain = await misbehave(always(answer(200, 'hello')));
    const tls = { key: KEY, cert: CERTIFICATES.right };
    const secure = await misbehave((socket, { head }) => {
      const row = {
        id: 'att_1',
        filename: 'a.txt',
        file_url: `${secure.url}/files/0`,
        sha256: sha256Of('hello'),
        redacted: false,
        decorative_layer: false,
        first_visible: true,
      };
      if (head.includes('/files/')) socket.write(answer(302, '', { location: `${plain.url}/x` }));
      else socket.write(answer(200, JSON.stringify(head.includes('/health') ? { status: 'ok' } : row)));
    }, tls);
    const words = [
      'attachments',
      'pull',
      'att_1',
      '--to',
      'dl',
      '--base-url',
      secure.url,
      '--allow-asset-host',
      `127.0.0.1:${plain.port}`,
    ];
    const ran = checkOutput(
      await program.run(words, {
        dir,
        env: { ARX_TOKEN: TOKEN, NODE_EXTRA_CA_CERTS: join(dir, 'authority.pem') },
      }),
    );
    expect([ran.exit, plain.requests.length, ran.stderr]).toEqual([
      11,
      0,
      expect.stringContaining('the server redirects to 127.0.0.1'),
    ]);
    await secure.close();
    await plain.close();
  });

  test('E12: proxy variables are not followed, and doctor says that they are there', async () => {
    const proxy = await misbehave(always('HTTP/1.1 407 X\r\ncontent-length: 0\r\n\r\n'));
    server = await serveCatalogue([{ content: 'hello' }]);
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
    const proxies = {
      ...Object.fromEntries(names.map((name) => [name, proxy.url])),
      NODE_USE_ENV_PROXY: '1',
      ARX_TOKEN: TOKEN,
    };
    const words = ['attachments', 'pull', '--all', '--to', 'dl', '--base-url', server.url];
    expect(checkOutput(await program.run(words, { dir, env: proxies })).exit).toBe(0);
    expect([there(), proxy.requests.length]).toEqual([['file-1.txt'], 0]);
    const doctor = await program.run(['doctor', '-o', 'tsv'], { dir, env: proxies });
    expect(doctor.stdout).toMatch(/proxy.*HTTP_PROXY.* set but ignored/);
    await proxy.close();
  });
});
