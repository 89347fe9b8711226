// `arx doctor --base-url URL` over real ports: what it finds out of correct, strange and broken services, and how it ends.
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ServiceReport } from '../../src/contract/reports/service.ts';
import { arx, type Ran } from '../support/command.ts';
import { serveCatalogue } from '../support/catalogue-server.ts';
import { serveList, type CursorServerOptions } from '../support/cursor-server.ts';
import { answer, misbehave, type Misbehaving, type Script } from '../support/misbehaving-server.ts';
import { sampleData } from '../support/sample.ts';
import { serve, tokenOf, type Served } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
let servers: Misbehaving[];
beforeEach(() => {
  dir = tempFolder('doctor');
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

async function served(server: Promise<Misbehaving>): Promise<Misbehaving> {
  servers.push(await server);
  return server;
}

const script = (each: Script): Promise<Misbehaving> => served(misbehave(each));

async function examine(
  url: string,
  env: Record<string, string> = {},
  flags = '',
): Promise<Ran & { report: ServiceReport }> {
  const ran = await arx(dir, `doctor --base-url ${url} -o json --retries 0 ${flags}`, { env });
  return { ...ran, report: ServiceReport.parse(JSON.parse(ran.stdout)) };
}

const verdictsOf = ({ findings }: ServiceReport, about: string): Record<string, string> =>
  Object.fromEntries(
    findings.filter((each) => each.about === about).map(({ check, verdict }) => [check, verdict]),
  );

const TOKEN = 'tok_Zq8vXw3LmT5rKp7sNd9hGb2cYf4j';

describe('our own service', () => {
  let home: string;
  let service: Served;
  beforeAll(async () => {
    home = tempFolder('doctor-served');
    await sampleData(join(home, 'data'));
    service = await serve(home);
  });
  afterAll(() => service.close());

  test('everything is as documented', async () => {
    const { exit, stderr, report } = await examine(service.base_url, {
      ARX_TOKEN: await tokenOf(service.base_url, service.owner),
    });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    const strange = report.findings.filter(({ verdict }) => verdict !== 'ok');
    expect(strange.map(({ about, check }) => `${about}: ${check}`)).toEqual([
      'installation: ARX_TOKEN',
      'service: rows by tier',
      'events: list',
    ]);
    expect(report).toMatchObject({
      outcome: 'examined',
      stopped: null,
      auth: { token: 'sent', accepted: 'yes', needed: 'yes' },
      clock_offset_ms: -678,
      drift_ratio: 0,
      cross_check: { usable: true, opening: 'honoured' },
      health: { state: 'present', service: 'arx' },
      lists: {
        conversations: {
          state: 'read',
          cursors: {
            starting_after: 'honoured',
            ending_before: 'honoured',
            both: 'honoured',
            swapped: false,
          },
          order: { starting_after: 'ascending', ending_before: 'ascending', both: 'ascending' },
          unknown_cursor: { status: 404, code: 'cursor_not_found' },
          misordered: { status: 409, code: 'sequence_conflict' },
        },
        attachments: {
          filters: {
            origin_city: 'honoured',
            content_type: 'honoured',
            source: 'honoured',
            redacted: 'honoured',
            message_id: 'honoured',
          },
        },
        messages: { filters: { conversation: 'honoured' } },
        events: { state: 'empty' },
      },
      files: { address: 'available', hash: 'match', ranges: 'honoured', etag: 'strong' },
    });
    expect(report.errors).toMatchObject({ other: 0, lacking: [] });
    expect(report.requests).toBeLessThanOrEqual(120);
  });

  test('without a token it says what could not be seen, and how to get one', async () => {
    const { exit, stderr, report } = await examine(service.base_url);
    expect(exit).toBe(4);
    const login = `arx login --base-url ${service.base_url}`;
    expect(stderr).toContain(login);
    const { findings } = await examine(service.base_url, {}, '--profile work').then(({ report }) => report);
    expect(findings.find(({ check }) => check === 'token')?.meaning).toBe(`${login} --profile work`);
    expect(report).toMatchObject({
      outcome: 'unauthorized',
      auth: { token: 'none', accepted: 'unseen', needed: 'yes' },
      health: { state: 'present' },
      lists: { conversations: { state: 'needs_token', shape: null } },
    });
    expect(verdictsOf(report, 'conversations')['list']).toBe('unseen');
  });

  test('a refused token', async () => {
    const { exit, stdout, stderr, report } = await examine(service.base_url, { ARX_TOKEN: TOKEN });
    expect(exit).toBe(4);
    expect(stderr).toContain('refuses the token');
    expect(report.auth).toEqual({ token: 'sent', accepted: 'no', needed: 'yes' });
    expect(stdout + stderr).not.toContain(TOKEN);
  });

  test('lines for people and for scripts say the same', async () => {
    const env = { ARX_TOKEN: await tokenOf(service.base_url, service.owner) };
    const table = await arx(dir, `doctor --base-url ${service.base_url} -o table --no-color`, {
      env,
      columns: 70,
    });
    expect(table.stdout).toMatch(/^ {2}ok +ending_before +honoured$/m);
    const wide = table.stdout.split('\n').filter((line) => line.length > 70 && !line.includes('/tmp/'));
    expect(wide).toEqual([]);
    const tsv = await arx(dir, `doctor --base-url ${service.base_url} -o tsv`, { env });
    expect(tsv.stdout).toContain('ok\tconversations\tending_before\thonoured\t\n');
  });
});

test('drift at 21 % does not fool it', async () => {
  const home = tempFolder('doctor-drift');
  await sampleData(join(home, 'data'));
  const service = await serve(home, ['--drift', '0.21', '--drift-seed', '5']);
  try {
    const env = { ARX_TOKEN: await tokenOf(service.base_url, service.owner) };
    for (let run = 0; run < 8; run += 1) {
      const { exit, report } = await examine(service.base_url, env);
      expect(exit).toBe(0);
      expect(report.drift_ratio).toBeGreaterThanOrEqual(0.21);
      expect(report.cross_check.usable).not.toBe(false);
      expect(report.requests).toBeLessThanOrEqual(120);
      for (const list of Object.values(report.lists)) {
        // What it cannot settle, it may leave open; it must not say that a cursor or a filter does not work.
        const said = [
          ...Object.values(list.cursors),
          ...Object.values(list.filters),
          list.page_limit.handling,
        ];
        expect(said).not.toContain('ignored');
        expect(said).not.toContain('refused');
        expect(Object.values(list.order)).not.toContain('descending');
      }
    }
  } finally {
    await service.close();
  }
});

test.each<[string, object]>([
  [
    'descending,clamp-limit:20',
    { order: { ending_before: 'descending' }, page_limit: { handling: 'clamped', given: 20 } },
  ],
  ['refuse-limit:30', { page_limit: { handling: 'refused', accepted: 30 } }],
])('our own service with %s', async (variants, found) => {
  const home = tempFolder('doctor-variants');
  await sampleData(join(home, 'data'));
  const service = await serve(home, ['--list-variants', variants]);
  try {
    const { exit, report } = await examine(service.base_url, {
      ARX_TOKEN: await tokenOf(service.base_url, service.owner),
    });
    expect({ exit, requests: report.requests <= 120 }).toEqual({ exit: 0, requests: true });
    expect(report.lists.conversations).toMatchObject(found);
    expect(report.lists.attachments).toMatchObject(found);
  } finally {
    await service.close();
  }
});

const ROWS = Array.from({ length: 120 }, (_, n) => ({
  id: `row_${n + 1}`,
  conversation_id: `conv_${(n % 7) + 1}`,
  origin_city: n % 2 ? 'oslo' : 'kyoto',
}));

describe('lists of other services', () => {
  const list = (options: Partial<CursorServerOptions>) => served(serveList({ rows: ROWS, ...options }));

  test.each<[string, Partial<CursorServerOptions>, object]>([
    ['follows all', {}, { starting_after: 'honoured', ending_before: 'honoured', both: 'honoured' }],
    ['ignores backward', { before: 'ignores' }, { starting_after: 'honoured', ending_before: 'ignored' }],
    ['refuses backward', { before: 'refuses' }, { starting_after: 'honoured', ending_before: 'refused' }],
    [
      'refuses both',
      { both: 'refuses' },
      { starting_after: 'honoured', ending_before: 'honoured', both: 'refused' },
    ],
    ['ignores all', { after: 'ignores', before: 'ignores' }, { starting_after: 'ignored' }],
  ])('%s', async (_, options, cursors) => {
    const { url } = await list(options);
    const { exit, report } = await examine(url);
    expect(exit).toBe(0);
    expect(report.lists.conversations.cursors).toMatchObject(cursors);
    expect(report.auth).toEqual({ token: 'none', accepted: 'unseen', needed: 'no' });
    expect(report.requests).toBeLessThanOrEqual(120);
  });

  test('filters that are ignored are named, with what that means', async () => {
    const { url } = await list({});
    const { report } = await examine(url);
    expect(report.lists.attachments.filters).toEqual({
      origin_city: 'ignored',
      content_type: 'unseen',
      source: 'unseen',
      redacted: 'unseen',
      message_id: 'unseen',
    });
    const found = report.findings.find(({ check }) => check === 'filter origin_city');
    expect(found).toMatchObject({ verdict: 'warn', meaning: expect.stringContaining('applied here') });
  });

  test('a limit that is cut', async () => {
    const { url } = await list({ limit: (asked) => Math.min(asked, 50) });
    const { report } = await examine(url);
    expect(report.lists.conversations.page_limit).toMatchObject({ handling: 'clamped', given: 50 });
  });

  test('error bodies without integrity', async () => {
    const { url } = await list({});
    const { report } = await examine(url);
    expect(report.errors.documented).toBe(0);
    expect(report.errors.lacking).toContain('integrity');
    expect(verdictsOf(report, 'service')['error bodies']).toBe('warn');
  });

  test('only reads, never with more than 120 requests, and says where it had to stop', async () => {
    const server = await list({ drift: 0.6 });
    const { exit, report } = await examine(server.url);
    expect(exit).toBe(report.stopped === null ? 0 : 3);
    expect(server.requests.length).toBeLessThanOrEqual(120);
    expect(report.requests).toBe(server.requests.length);
    expect(server.requests.filter(({ head }) => !head.startsWith('GET '))).toEqual([]);
  });
});

describe('a catalogue', () => {
  test('files are read, hashed and asked for in part', async () => {
    const { url } = await served(serveCatalogue([{ content: 'a whole file' }]));
    const { exit, report } = await examine(url);
    expect(exit).toBe(0);
    expect(report.lists.conversations.state).toBe('missing');
    expect(report.files).toMatchObject({ id: 'att_1', address: 'available', hash: 'match', etag: 'none' });
    expect(verdictsOf(report, 'files')['range requests']).toBe('warn');
  });

  test('a file with another hash', async () => {
    const { url } = await served(serveCatalogue([{ content: 'a', row: { sha256: 'f'.repeat(64) } }]));
    expect((await examine(url)).report.files.hash).toBe('mismatch');
  });

  test('files on another origin are not fetched', async () => {
    const { url } = await served(
      serveCatalogue([{ content: 'a', row: { file_url: 'https://files.example/a' } }]),
    );
    expect((await examine(url)).report.files.address).toBe('untrusted');
  });
});

describe('no service', () => {
  test.each<[string, Script, number, string]>([
    [
      'a web server',
      (socket) => void socket.write(answer(200, '<html></html>', { 'content-type': 'text/html' })),
      11,
      'no_archive',
    ],
    ['nothing there', (socket) => void socket.write(answer(404, 'no')), 11, 'no_archive'],
    ['errors only', (socket) => void socket.write(answer(500, '{}')), 9, 'unreachable'],
    [
      'a service that refuses everything but its health',
      (socket, { head }) =>
        void socket.write(head.includes('/api/health') ? answer(200, '{"status":"ok"}') : answer(400, '{}')),
      11,
      'no_archive',
    ],
    [
      'a service that dies after the first answer',
      (socket, _, count) =>
        void (count === 0 ? socket.write(answer(200, '{"status":"ok"}')) : socket.destroy()),
      10,
      'unreachable',
    ],
    ['a closed connection', (socket) => void socket.end(), 10, 'unreachable'],
  ])('%s', async (_, each, code, outcome) => {
    const { url, requests } = await script(each);
    const { exit, report } = await examine(url);
    expect({ exit, outcome: report.outcome }).toEqual({ exit: code, outcome });
    expect(requests.length).toBeLessThanOrEqual(120);
  });

  test('nobody listens', async () => {
    const { url, close } = await misbehave(() => {});
    await close();
    const { exit, report } = await examine(url);
    expect(exit).toBe(10);
    expect(report.findings.find(({ about }) => about === 'service')).toMatchObject({ verdict: 'fail' });
    // What is wrong with this machine may be the reason.
    expect(verdictsOf(report, 'installation')).toHaveProperty('proxy');
  });
});

test('with a base URL that is not allowed, this installation is still checked', async () => {
  const { exit, stdout, stderr } = await arx(dir, 'doctor --base-url http://archive.example -o json');
  expect(exit).toBe(2);
  expect(stderr).toContain('insecure-http');
  expect(stdout).toContain('"name":"node"');
});

test('a service that sends the token back in names and values does not get it printed', async () => {
  const row = { id: TOKEN, source: TOKEN, tier: TOKEN, [TOKEN]: TOKEN };
  const { url } = await script((socket) =>
    socket.write(
      answer(
        200,
        JSON.stringify({ status: 'ok', service: TOKEN, version: TOKEN, [TOKEN]: [row], data: [row] }),
        {
          [`x-ratelimit-${TOKEN}`]: '1',
          [TOKEN]: TOKEN,
        },
      ),
    ),
  );
  for (const form of ['json', 'table', 'tsv']) {
    const env = { ARX_TOKEN: TOKEN };
    const { stdout, stderr } = await arx(dir, `doctor --base-url ${url} -o ${form} -v`, { env });
    for (let at = 0; at + 8 <= TOKEN.length; at += 1)
      expect((stdout + stderr).toLowerCase()).not.toContain(TOKEN.slice(at, at + 8).toLowerCase());
  }
});

test('rate limits, the clock and a remote profile', async () => {
  const { url } = await script((socket) =>
    socket.write(
      answer(200, JSON.stringify({ data: [{ id: 'a' }] }), {
        date: 'Fri, 02 Jan 2026 05:04:05 GMT',
        'RateLimit-Limit': '100',
      }),
    ),
  );
  await arx(dir, `config set base_url ${url}`);
  const ran = await arx(dir, 'doctor -o json');
  const report = ServiceReport.parse(JSON.parse(ran.stdout));
  expect(report).toMatchObject({ base_url: url, rate_limit_headers: ['ratelimit-limit'] });
  expect(report.clock_offset_ms).toBe(7_199_322);
  expect(report.findings.find(({ check }) => check === 'clock')?.found).toContain('behind');
});
