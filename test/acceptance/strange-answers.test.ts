// Answers that contradict the interface or themselves: what each command prints, writes and ends with.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { shellLine } from '../../src/shell-words.ts';
import { arx, type Ran } from '../support/command.ts';
import { answer, misbehave, type Misbehaving } from '../support/misbehaving-server.ts';
import { serveStranger, type StrangerOptions } from '../support/stranger.ts';
import { tempFolder } from '../support/temp-folder.ts';

let server: Misbehaving | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

type Outcome = Ran & { files: string[] };

/** Runs a command at the server; `BASE` is its address. */
async function run(line: string, env: Record<string, string> = {}): Promise<Outcome> {
  const dir = tempFolder('strange-answers');
  const words = `${line.replace('BASE', server!.url)} --base-url ${server!.url}`;
  const ran = await arx(dir, words, { env: { LANG: 'C.UTF-8', ARX_TOKEN: 'tok_given', ...env } });
  return { ...ran, files: readdirSync(dir, { recursive: true }) as string[] };
}

async function at(status: number, body: unknown, headers?: Record<string, string>): Promise<void> {
  await server?.close();
  const bytes = answer(status, typeof body === 'string' ? body : JSON.stringify(body), headers);
  server = await misbehave((socket) => socket.write(bytes));
}

const SHA256 = 'a'.repeat(64);
const row = (n: number, more: object = {}) => ({
  id: `att_${n}`,
  filename: `${n}.txt`,
  file_url: `/files/${n}`,
  sha256: SHA256,
  redacted: false,
  ...more,
});
const OPEN = [row(1)];
const REDACTED = [row(1), row(2, { redacted: true, file_url: null })];

test.each([
  ['attachments', OPEN[0]],
  ['conversations', { id: 'conv_1', sequence: 1, subject: 's' }],
])('a page of %s with a row twice is not complete, and says so', async (list, one) => {
  await at(200, { status: 'stable', data: [one, one], has_more: false, drift_ratio: 0.25 });
  const { exit, stdout, stderr } = await run(`${list} ls --json`);
  expect([exit, stderr]).toEqual([0, 'arx: the page has 1 row twice: others may be missing\n']);
  expect((JSON.parse(stdout) as { summary: object }).summary).toMatchObject({
    complete: false,
    drift_ratio: 0.25,
  });
  expect(await run(`${list} ls --strict`)).toMatchObject({ exit: 3 });
});

describe('a page that contradicts itself about redacted rows', () => {
  test.each([
    [206, 'stable', OPEN, 'HTTP 206 with status stable and no redacted row'],
    [206, undefined, OPEN, 'HTTP 206 with no status and no redacted row'],
    [206, undefined, REDACTED, 'HTTP 206 with no status and a redacted row'],
    [200, 'stable', REDACTED, 'HTTP 200 with status stable and a redacted row'],
    [200, 'partial', REDACTED, 'HTTP 200 with status partial and a redacted row'],
    [206, 'partial', OPEN, 'HTTP 206 with status partial and no redacted row'],
  ])('A20 %i, status %s: rows and a warning; exit 11 with --strict', async (http, status, data, words) => {
    await at(http, { status, data, has_more: false });
    for (const line of ['attachments ls', 'attachments ls --all', 'attachments types']) {
      const { exit, stdout, stderr } = await run(line);
      expect([line, exit, stderr]).toEqual([line, 0, `arx: answer contradicts itself: ${words}\n`]);
      if (line !== 'attachments types')
        for (const { id } of data) expect(stdout).toMatch(new RegExp(`^${id}\t`, 'm'));
      expect(await run(`${line} --strict`)).toMatchObject({
        exit: 11,
        stderr: expect.stringContaining(`answer contradicts itself: ${words} [protocol, exit 11]`),
      });
    }
  });

  test.each([
    [200, undefined, REDACTED],
    [200, 'stable', OPEN],
    [206, 'partial', REDACTED],
    [200, 'unverified', REDACTED],
    [206, 'partial', [row(1), { id: 'att_2', status: 'withheld' }]],
    [206, 'partial', [row(1), { id: 'att_2', withheld: true }]],
    [206, 'partial', [row(1), { id: 'att_2' }]],
    [200, 'stable', [row(1), { id: 'att_2' }]],
  ])('A20 nothing is said about %i, status %s', async (http, status, data) => {
    await at(http, { status, data, has_more: false });
    expect(await run('attachments ls')).toMatchObject({ exit: 0, stderr: '' });
  });
});

describe.each(['conversations', 'messages'])('A20 a page of %s that contradicts itself', (list) => {
  const SHOWN = [{ id: 'row_1', subject: 's' }];
  const WITHHELD = [...SHOWN, { id: 'row_2', status: 'withheld' }];
  const lines = [`${list} ls`, `${list} ls --all`, `${list} ls --count`];
  const walk = list === 'messages' ? 'messages ls --walk' : 'conversations walk --cross-check off';

  test.each([
    [206, undefined, SHOWN, 'HTTP 206 with no status and no withheld row'],
    [206, 'stable', SHOWN, 'HTTP 206 with status stable and no withheld row'],
    [200, 'partial', SHOWN, 'HTTP 200 with status partial and no withheld row'],
    [206, 'partial', SHOWN, 'HTTP 206 with status partial and no withheld row'],
    [200, 'stable', WITHHELD, 'HTTP 200 with status stable and a withheld row'],
  ])('%i, status %s: rows and a warning; exit 11 with --strict', async (http, status, data, words) => {
    await at(http, { status, data, has_more: false });
    for (const line of [...lines, walk]) {
      const { exit, stderr } = await run(line);
      expect([line, exit, stderr]).toEqual([line, 0, `arx: answer contradicts itself: ${words}\n`]);
    }
    expect(await run(`${lines[1]} --strict`)).toMatchObject({ exit: 11 });
    expect(await run(`${walk} --strict`)).toMatchObject({ exit: 11 });
  });

  test.each([
    [200, undefined, WITHHELD],
    [200, 'stable', SHOWN],
    [206, 'partial', WITHHELD],
    [206, 'partial', [...SHOWN, { id: 'row_2', withheld: true }]],
    [206, 'partial', [...SHOWN, { id: 'row_2', redacted: true }]],
  ])('nothing is said about %i, status %s', async (http, status, data) => {
    await at(http, { status, data, has_more: false });
    for (const line of lines) expect(await run(line)).toMatchObject({ exit: 0, stderr: '' });
  });
});

test('A20 a list without an envelope has no place for a status', async () => {
  await at(206, REDACTED);
  expect((await run('attachments ls')).stderr).not.toContain('contradicts');
  await at(206, OPEN);
  expect((await run('attachments ls')).stderr).toContain('HTTP 206 with no status and no redacted row');
});

test('events ls: a service without a list of events', async () => {
  for (const status of [404, 405, 501]) {
    await at(status, { error: { code: 'not_found', message: 'no route' } });
    const { exit, stderr } = await run('events ls');
    expect([exit, stderr]).toEqual([6, expect.stringContaining('arx: this service has no list of events [')]);
  }
});

describe('events reconcile', () => {
  const ack = { accepted: true, event_id: 'evt_29', type: 'mirror.detected', status: 'queued' };
  const respond = (path: string): Buffer | undefined =>
    path === '/api/webhooks/ingest' ? answer(200, JSON.stringify(ack)) : undefined;
  async function reconciled(options: Omit<StrangerOptions, 'respond'>): Promise<Ran> {
    server = await serveStranger({ ...options, respond });
    const dir = tempFolder('strange-events');
    const rest = { env: { LANG: 'C.UTF-8', ARX_TOKEN: 'tok_given' } };
    const base = `--base-url ${server.url}`;
    await arx(dir, `events send mirror.detected --id evt_29 --payload '{"layer":"x"}' ${base}`, rest);
    return arx(dir, `events reconcile --json ${base}`, rest);
  }

  test('a service without a list of events', async () => {
    const { exit, stderr } = await reconciled({ lists: {} });
    expect([exit, stderr]).toEqual([6, expect.stringContaining('arx: this service has no list of events [')]);
  });

  test('pages that do not say whether more follow', async () => {
    const events = Array.from({ length: 30 }, (_, number) => ({
      id: `evt_${number}`,
      type: 'mirror.detected',
      status: 'partial',
      payload: { layer: 'x' },
    }));
    const { stdout, stderr } = await reconciled({
      lists: { '/api/webhooks/events': events },
      body: (data) => ({ data: data.slice(0, 20) }),
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'consistent', indexed: 1, others: 29 });
  });
});

describe('a row without a usable hash', () => {
  test.each([
    ['63 digits', 'a'.repeat(63)],
    ['65 digits', 'a'.repeat(65)],
    ['no hexadecimal digits', 'z'.repeat(64)],
    ['a space before it', ` ${SHA256}`],
    ['null', null],
  ])(
    'B9 %s: exit 11 for the row, which is listed without it, and 12 for its file, which is not pulled',
    async (_, sha256) => {
      server = await serveStranger({ lists: { '/v1/attachments': [row(1, { sha256 }), row(2)] } });
      const listed = await run('attachments ls --json');
      expect(listed.exit).toBe(11);
      const { data } = JSON.parse(listed.stdout) as { data: { id: string; sha256?: string }[] };
      expect(data.map(({ id, sha256: hash }) => [id, hash])).toEqual([
        ['att_1', undefined],
        ['att_2', SHA256],
      ]);
      expect(listed.stderr).toContain(
        '"exit":11,"class":"protocol","message":"the sha256 of att_1 cannot be one"',
      );
      for (const line of ['attachments ls --all', 'attachments show att_1'])
        expect(await run(line)).toMatchObject({ exit: 11, stdout: expect.stringContaining('1.txt') });
      expect((await run('attachments show att_2')).exit).toBe(0);
      for (const line of ['attachments pull att_1 --to files', 'attachments cat att_1']) {
        const { exit, stderr } = await run(line);
        expect([exit, stderr]).toEqual([12, expect.stringContaining('att_1: no usable hash')]);
      }
      const pulled = await run('attachments pull --all --to files');
      expect(pulled.exit).toBe(12);
      expect(pulled.files.filter((name) => name.includes('1.txt'))).toEqual([]);
      expect(server.requests.some(({ head }) => head.includes('/files/1'))).toBe(false);
    },
  );

  test.each([
    ['a redacted row', { redacted: true, file_url: null, sha256: null }],
    ['a row whose bytes the archive never had', { file_url: null, sha256: null }],
    ['a row of a service without hashes', { sha256: undefined }],
  ])('B9 %s needs none', async (_, more) => {
    server = await serveStranger({ lists: { '/v1/attachments': [row(1, more), row(2)] } });
    expect((await run('attachments ls')).exit).toBe(0);
    expect((await run('attachments pull att_1 --to files')).exit).toBe(3);
  });

  test('B9 many such rows are counted in one line', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => row(n, { sha256: 'none' }));
    server = await serveStranger({ lists: { '/v1/attachments': rows } });
    const { exit, stderr } = await run('attachments ls --all');
    expect([exit, stderr]).toEqual([
      11,
      expect.stringContaining('the sha256 of att_0, and those of 29 more cannot be one'),
    ]);
  });

  test('B9 in upper case it is the same hash', async () => {
    const sha256 = 'BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD';
    server = await misbehave((socket, { head }) => {
      const file = answer(200, 'abc', { 'content-type': 'text/plain' });
      const rows = { data: [row(1, { sha256, file_url: `${server!.url}/files/1` })], has_more: false };
      socket.write(head.includes(' /files/1 ') ? file : answer(200, JSON.stringify(rows)));
    });
    const { exit, stdout } = await run('attachments pull --all --to files');
    expect([exit, stdout.includes('match')]).toEqual([0, true]);
  });
});

test('B11 a row that is not redacted and has no file_url is absent, and never asked for', async () => {
  server = await serveStranger({ lists: { '/v1/attachments': [row(1, { file_url: null }), row(2)] } });
  expect(await run('attachments ls')).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^att_1\tabsent\t/),
  });
  expect(await run('attachments ls --strict')).toMatchObject({
    exit: 3,
    stderr: 'arx: 1 of 2 rows is absent [partial, exit 3]\n',
  });
  const pulled = await run('attachments pull att_1 --to files');
  expect([pulled.exit, pulled.stderr]).toEqual([3, expect.stringContaining('1 of 1 file is absent')]);
});

describe('B20 a malformed error body: the status decides, and its texts are cut and escaped', () => {
  test.each([
    [403, 5],
    [404, 6],
    [500, 9],
  ])('HTTP %i', async (status, exit) => {
    await at(status, {
      error: { code: { a: 1 }, message: `no\u001b[2J${'m'.repeat(1_000_000)}`, request_id: 'req_\u001b[2J' },
    });
    const ran = await run('attachments ls --retries 0');
    expect(ran.exit).toBe(exit);
    expect(ran.stderr).toContain('request_id malformed');
    expect(ran.stderr).toContain('m'.repeat(400));
    expect(ran.stderr.length).toBeLessThan(900);
    // oxlint-disable-next-line no-control-regex
    expect(ran.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  test.each([{ a: 1 }, true, 'a b', 'ä', 'r'.repeat(101), ''])('the request_id %j', async (request_id) => {
    await at(403, { error: { code: 'x', message: 'm', request_id } });
    expect((await run('attachments ls')).stderr).toContain('service: code x · request_id malformed');
  });

  test.each(['req_1', '0190c7a2-7a3e-7cc0', 17])('the request_id %j is shown', async (request_id) => {
    await at(403, { error: { code: 'x', message: 'm', request_id } });
    expect((await run('attachments ls')).stderr).toContain(`request_id ${request_id}\n`);
  });
});

test.each(['99999999999999999999', '9'.repeat(400), '10000000000'])(
  'J2b Retry-After: %.30s is too long to wait for, however many digits it has',
  async (seconds) => {
    await at(503, '{}', { 'retry-after': seconds });
    const { exit, stderr } = await run('attachments ls');
    expect([exit, server!.requests.length]).toEqual([9, 1]);
    expect(stderr).toContain('the server asks to wait 9999999999 s [busy, exit 9]');
  },
);

describe('lists without an end', () => {
  const loop = { data: [row(1), row(2)], has_more: true };
  const empty = { data: [], has_more: true };

  test('M5 a cursor that leads back: no row twice, and never called whole', async () => {
    await at(200, loop);
    const all = await run('attachments ls --all --json');
    expect(all.exit).toBe(3);
    expect(JSON.parse(all.stdout)).toMatchObject({
      data: [{ id: 'att_1' }, { id: 'att_2' }],
      summary: { complete: false },
    });
    expect(all.stderr).toContain('the service follows no cursors');
    expect(server!.requests.length).toBeLessThan(20);
    const walked = await run('walk BASE/v1/attachments');
    expect([walked.exit, walked.stderr]).toEqual([
      11,
      expect.stringContaining('it shows the same rows again'),
    ]);
  });

  test('M5 a list that begins again after its last row', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => row(n));
    server = await misbehave((socket, { head }) => {
      const { searchParams } = new URL(/ (\S+) /.exec(head)?.[1] ?? '', 'http://localhost');
      const placeOf = (name: string) => rows.findIndex(({ id }) => id === searchParams.get(name));
      const limit = Math.min(Number(searchParams.get('limit') ?? 10), 10);
      const end = placeOf('ending_before');
      const from = end === -1 ? (placeOf('starting_after') + 1) % 30 : Math.max(0, end - limit);
      const data = rows.slice(from, from + limit);
      socket.write(answer(200, JSON.stringify({ data, has_more: true })));
    });
    for (const line of ['attachments ls --all', 'walk BASE/v1/attachments']) {
      const { exit, stdout, stderr } = await run(line);
      // Reads of a drifting list contradict each other in the same way.
      expect([line, exit, stdout, stderr]).toEqual([
        line,
        8,
        '',
        expect.stringMatching(/did not settle[^]*hint: a larger --limit needs fewer answers/),
      ]);
    }
    expect(server.requests.length).toBeLessThan(200);
  });

  test('M5 an empty page that says there is more', async () => {
    await at(200, empty);
    for (const line of ['attachments ls --all', 'walk BASE/v1/attachments']) {
      const { exit, stderr } = await run(line);
      expect([exit, stderr]).toEqual([11, expect.stringContaining('empty pages')]);
    }
    expect(server!.requests.length).toBeLessThan(150);
    for (const line of ['attachments ls', 'conversations ls'])
      expect(await run(line)).toMatchObject({
        exit: 11,
        stdout: '',
        stderr: expect.stringContaining(
          'the page has no rows, and the service says that more follow [protocol, exit 11]',
        ),
      });
    expect((await run('attachments ls --json')).exit).toBe(11);
  });

  test('M5 a page that is larger than its limit is cut, and says how it goes on', async () => {
    const data = Array.from({ length: 50 }, (_, n) => row(n));
    await at(200, { data, has_more: false });
    const page = await run('attachments ls --limit 10');
    expect(page.exit).toBe(0);
    expect(page.stdout.trimEnd().split('\n')).toHaveLength(10);
    expect(page.stderr).toBe(
      `arx: more rows follow; next page: arx attachments ls --limit 10 --base-url ${server!.url} --after att_9; all rows: arx attachments ls --base-url ${server!.url} --all\narx: the service gave 50 rows where 10 were asked for\n`,
    );
    for (const list of ['attachments', 'conversations'])
      expect(await run(`${list} ls --limit 10 --strict`)).toMatchObject({
        exit: 11,
        stderr: expect.stringContaining(
          'the service gave 50 rows where 10 were asked for [protocol, exit 11]',
        ),
      });
    const all = await run('attachments ls --all');
    expect([all.exit, all.stdout.trimEnd().split('\n').length]).toEqual([0, 50]);
  });
});

describe('X9 what is no answer is named as what it is', () => {
  test.each([
    [304, 'the server answered status 304 (not modified), which arx did not ask for'],
    [305, 'the server answered status 305, which arx did not ask for'],
    [302, 'the server redirects to elsewhere (status 302), which arx does not follow'],
  ])('HTTP %i', async (status, words) => {
    await at(status, '');
    expect(await run('attachments ls')).toMatchObject({
      exit: 11,
      stderr: expect.stringContaining(`arx: ${words} [protocol, exit 11]`),
    });
  });

  test.each([102, 103])('HTTP %i before the answer is skipped', async (status) => {
    const bytes = Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n\r\n`), answer(200, '{"data":[]}')]);
    server = await misbehave((socket) => socket.write(bytes));
    expect(await run('attachments ls')).toMatchObject({ exit: 0 });
  });

  test('HTTP 100 that nobody asked for', async () => {
    const bytes = Buffer.concat([Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'), answer(200, '{"data":[]}')]);
    server = await misbehave((socket) => socket.write(bytes));
    const { exit, stderr } = await run('attachments ls');
    expect([exit, stderr]).toEqual([11, expect.stringContaining('100 Continue, which arx did not ask for')]);
  });

  test('a dead proxy', async () => {
    await at(200, '{"data":[]}');
    const proxy = await misbehave(() => {});
    await proxy.close();
    const { exit, stderr } = await run(
      `attachments ls --retries 0 --proxy http://u:secret@127.0.0.1:${proxy.port}`,
    );
    expect(exit).toBe(10);
    expect(stderr).toContain(`cannot reach the proxy 127.0.0.1:${proxy.port} (refused)`);
    expect(stderr).toContain('hint: check --proxy');
    expect(stderr).not.toContain('secret');
    expect(server!.requests).toEqual([]);
  });
});

test('A25 the service restarts during a walk: what is frozen stays, and --resume completes the list', async () => {
  const ids = Array.from({ length: 200 }, (_, n) => ({ id: `conv_${n + 1}`, subject: `s${n}` }));
  let left = 40;
  const lists = { '/v1/conversations': ids };
  const respond = () => {
    left -= 1;
    return left < 0 ? answer(503, '{}', { 'retry-after': '0' }) : undefined;
  };
  server = await serveStranger({ lists, respond });
  const dir = tempFolder('restarted');
  const env = { LANG: 'C.UTF-8', ARX_TOKEN: 'tok_given' };
  const walk = (more: string) =>
    arx(dir, `conversations walk --freeze log --limit 10 --json --base-url ${server!.url} ${more}`, { env });
  const first = await walk('--retries 1');
  expect(first.exit).toBe(9);
  expect(first.stderr).toMatch(/"kept":"[1-9]\d* conversations? in frozen windows/);
  left = Infinity;
  const second = await walk('--resume');
  expect(second.exit, second.stderr).toBe(0);
  const shown = (JSON.parse(second.stdout) as { data: { id: string }[] }).data.map(({ id }) => id);
  expect(shown).toEqual(ids.map(({ id }) => id));
});

test('what a search says of its query is shown in part, however much it is', async () => {
  const many = Array.from({ length: 10_000 }, () => 'x'.repeat(100));
  const page = {
    object: 'list',
    data: [],
    has_more: false,
    total: 0,
    order: 'newest',
    index: { indexed: 1, of: 1 },
    status: 'stable',
    drift_ratio: 0,
    integrity: 1,
  };
  const alone = many.map((query) => ({ query, total: 0 }));
  await at(200, { ...page, notes: many, alone });
  const { exit, stderr } = await run('search glass');
  expect(exit).toBe(0);
  expect(stderr.split('\n').length).toBeLessThan(20);
  expect(stderr.length).toBeLessThan(20_000);
  await at(200, { ...page, notes: ['x'.repeat(1_000_000)], alone: [] });
  expect((await run('search glass')).stderr.length).toBeLessThan(3_000);
});

describe('ids that are commands for a shell, or options', () => {
  const IDS = ['$(touch owned)', '`touch owned`', 'a;touch owned', 'a"b', '=ls', '--all', '-o', 'a b'];

  /** Returns the words that a shell reads from the hint of a run; `arx` is a function in it, and FILE and DIR are words. */
  function wordsOfHint(stderr: string): string[] {
    const hint = /^ {2}hint: (.*)$/m.exec(stderr)?.[1] ?? '';
    const [command = ''] = hint.split(/ names its | shows it| shows the message| > FILE|; /);
    const { stdout } = spawnSync('sh', ['-c', `arx() { printf '%s\\0' "$@"; }; ${command}`], {
      encoding: 'utf8',
      cwd: tempFolder('hint'),
    });
    return stdout.split('\0').slice(0, -1);
  }

  test.each(IDS)('%s is one argument in the commands of hints', async (id) => {
    const lists = {
      '/v1/attachments': [{ ...row(1, { sha256: 'none' }), id }],
      '/v1/messages': [{ id: `${id}m`, sequence: 1 }],
    };
    server = await serveStranger({ lists });
    const address = ['--base-url', server.url];
    const shown = [...address, 'attachments', 'show', ...(id.startsWith('-') ? ['--'] : []), id];
    const env = { ARX_TOKEN: 'tok_given' };
    const hintOf = async (...words: string[]): Promise<string[]> => {
      const { stderr } = await arx(tempFolder('hints'), shellLine([...address, ...words]), { env });
      return wordsOfHint(stderr);
    };
    expect(await hintOf('attachments', 'ls')).toEqual(shown);
    expect(await hintOf('attachments', 'cat', '--', id)).toEqual(shown);
    expect(await hintOf('read', '--', id)).toEqual(shown);
    const message = [...(id.startsWith('-') ? ['--'] : []), `${id}m`];
    expect(await hintOf('messages', 'show', '--around', '5', '--', `${id}m`)).toEqual([
      ...address,
      'messages',
      'show',
      '--around',
      '5',
      '--in',
      'archive',
      ...message,
    ]);
  });
});
