// `arx walk URL` over a real port: any plausible list is exact, a list without proof is not called complete, and no token is sent elsewhere.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { arx, recordsOf } from '../support/command.ts';
import { serveList, type CursorServerOptions } from '../support/cursor-server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { always, answer, misbehave, type Misbehaving } from '../support/misbehaving-server.ts';

let dir: string;
let servers: Misbehaving[];
beforeEach(() => void (dir = tempFolder('any')));
beforeEach(() => {
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

async function serve(options: CursorServerOptions): Promise<Misbehaving> {
  const server = await serveList(options);
  servers.push(server);
  return server;
}

const ROWS = Array.from({ length: 95 }, (_, n) => ({
  id: `ord_${n + 1}`,
  n: n + 1,
  key: { no: `k${n}` },
  state: n % 2 ? 'paid' : 'open',
}));
const IDS = ROWS.map(({ id }) => id);
const idsOf = (stdout: string): unknown[] => recordsOf({ stdout } as never).map(({ id }) => id as unknown);

test.each(['conversations', 'walk1', '/v1/orders'])(
  'a word that is no address names the walk of the archive: %s',
  async (word) => {
    const { exit, stderr } = await arx(dir, `walk ${word}`);
    expect(exit).toBe(2);
    expect(stderr).toBe(
      'arx: URL of the list is not a URL [usage, exit 2]\n' +
        '  hint: give it as https://HOST[:PORT]/PATH; the list of an archive: arx conversations walk\n',
    );
  },
);

describe('any plausible body', () => {
  test.each<[string, CursorServerOptions['body'], string]>([
    ['an envelope as Stripe has it', undefined, ''],
    ['a bare array', (rows) => rows, ''],
    ['items', (items) => ({ items, next: null }), ''],
    ['the name of the noun, beside an empty array', (orders) => ({ errors: [], orders, n: 1 }), ''],
    ['a field further in', (rows) => ({ page: { rows }, data: [] }), '--data-field page.rows'],
    ['nested', (rows, more) => ({ data: { orders: rows, has_more: String(more) } }), ''],
    ['edges', (rows) => ({ orders: { edges: (rows as object[]).map((node) => ({ node })) } }), ''],
  ])('%s', async (_, body, flags) => {
    const { url } = await serve({ rows: ROWS, ...(body === undefined ? {} : { body }) });
    const walked = await arx(dir, `walk ${url}/orders?x=1 --limit 20 -o ndjson ${flags}`);
    expect(walked).toMatchObject({ exit: 0, stderr: '' });
    expect(recordsOf(walked)).toEqual(ROWS);
  });

  test.each<[string, (rows: (typeof ROWS)[number][]) => unknown]>([
    ['a map by id', (rows) => ({ orders: Object.fromEntries(rows.map(({ id, ...rest }) => [id, rest])) })],
    [
      'JSON:API',
      (rows) => ({ data: rows.map(({ id, ...attributes }) => ({ type: 'order', id, attributes })) }),
    ],
    ['another name of the id', (rows) => rows.map(({ id, ...rest }) => ({ order_id: id, ...rest }))],
  ])('%s', async (_, body) => {
    const { url } = await serve({ rows: ROWS, body: (rows) => body(rows as typeof ROWS) });
    const walked = await arx(dir, `walk ${url}/orders --limit 20 -o ndjson -v`);
    expect(walked).toMatchObject({ exit: 0 });
    expect(recordsOf(walked).map((row) => row['id'] ?? row['order_id'])).toEqual(IDS);
    expect(recordsOf(walked).map(({ n }) => n)).toEqual(ROWS.map(({ n }) => n));
    expect(walked.stderr.match(/^arx: orders: rows .*$/gm)).toHaveLength(1);
  });

  test.each([
    ['{"a": [{"id": 1}], "b": [{"id": 2}]}', 'several lists'],
    ['{"data": {"id": 1}}', 'no list in it'],
    ['"x"', 'is no list'],
    ['[{"colour": 1}]', 'row 1 of a page has no id at id'],
    ['[{"id": null}]', 'row 1'],
    ['[7]', 'row 1'],
  ])('%s is none', async (text, words) => {
    const server = await misbehave(always(answer(200, text)));
    servers.push(server);
    const walked = await arx(dir, `walk ${server.url}/x`);
    expect(walked).toMatchObject({ exit: 11, stdout: '' });
    expect(walked.stderr).toContain(words);
  });

  test('an id further in, and ids as numbers that no number holds', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => ({ key: { no: `9007199254740${993 + n}` }, n }));
    const { url, requests } = await serve({
      rows,
      idOf: (row) => (row as (typeof rows)[number]).key.no,
      body: (data) => data,
    });
    // As numbers on the wire: the answer is written by hand.
    const numbered = await misbehave((socket, { head }) => {
      const path = / (\S+) /.exec(head)?.[1] ?? '';
      void fetch(url + path).then(async (reply) => {
        const text = (await reply.text()).replaceAll(/"(\d+)"/g, '$1');
        socket.write(answer(reply.status, text));
      });
    });
    servers.push(numbered);
    const walked = await arx(dir, `walk ${numbered.url}/x --id-field key.no -o ndjson`);
    const lines = rows.map(({ key, n }) => `{"key":{"no":${key.no}},"n":${n}}\n`);
    expect(walked).toMatchObject({ exit: 0, stderr: '', stdout: lines.join('') });
    expect(requests.some(({ head }) => /starting_after=9007199254740\d{3,4}&/.test(head))).toBe(true);
  });
});

describe('what a service follows', () => {
  const FORWARD = 'arx: the service does not follow ending_before: read forward only\n';
  test.each<[CursorServerOptions, string]>([
    [{ rows: ROWS, both: 'refuses' }, ''],
    [{ rows: ROWS, before: 'refuses' }, FORWARD],
    [{ rows: ROWS, before: 'ignores' }, FORWARD],
    [{ rows: ROWS.slice(0, 1), before: 'refuses' }, FORWARD],
    [{ rows: [], before: 'refuses' }, ''],
  ])('%# is read as it can be', async (options, stderr) => {
    const server = await serve(options);
    const walked = await arx(dir, `walk ${server.url}/orders --limit 20 -o ndjson`);
    expect(walked).toMatchObject({ exit: 0, stderr });
    expect(recordsOf(walked)).toEqual(options.rows);
  });

  test.each([
    ['cut', { limit: (asked: number) => Math.min(asked, 20) }],
    [
      'cut, without has_more',
      { limit: (asked: number) => Math.min(asked, 20), body: (rows: unknown[]) => rows },
    ],
    ['cut to 5 rows', { limit: (asked: number) => Math.min(asked, 5) }],
  ])('pages of more rows than the service gives are %s', async (_, options) => {
    const { url } = await serve({ rows: ROWS, ...options });
    const walked = await arx(dir, `walk ${url}/orders -o ndjson`);
    expect(walked).toMatchObject({ exit: 0, stderr: '' });
    expect(recordsOf(walked)).toEqual(ROWS);
  });

  test.each(['ignores', 'refuses'] as const)('no cursor at all (%s) proves nothing', async (after) => {
    const { url } = await serve({ rows: ROWS, after });
    const walked = await arx(dir, `walk ${url}/orders --limit 20`);
    expect(walked).toMatchObject({ exit: 11, stdout: '' });
    expect(walked.stderr).toContain('does not follow starting_after');
    expect(walked.stderr).toContain('hint: --after-param');
  });

  test.each([0, 0.1])('the whole list in each answer, with a drift of %d, is walked', async (drift) => {
    const whole = { after: 'ignores', before: 'ignores', limit: () => 1000 } as const;
    for (let seed = 1; seed <= 5; seed++) {
      const { url } = await serve({ rows: ROWS, ...whole, drift, seed });
      const walked = await arx(dir, `walk ${url}/orders --limit 20 -o ndjson`);
      const ids = idsOf(walked.stdout);
      if (drift === 0) expect(walked).toMatchObject({ exit: 0, stderr: '' });
      expect(ids).toEqual(walked.exit === 0 ? IDS : IDS.slice(0, ids.length));
    }
    // Nothing says that a bare array is the whole list.
    const { url } = await serve({ rows: ROWS, ...whole, body: (rows) => rows });
    expect(await arx(dir, `walk ${url}/orders`)).toMatchObject({ exit: 11, stdout: '' });
  });

  test('other names of its parameters; --forward-only asks nothing backward', async () => {
    const server = await serve({ rows: ROWS });
    const flags = '--after-param starting_after --before-param until --limit-param limit --forward-only';
    const walked = await arx(dir, `walk ${server.url}/orders --limit 20 -o ndjson ${flags}`);
    expect(walked).toMatchObject({ exit: 0, stderr: '' });
    expect(idsOf(walked.stdout)).toEqual(IDS);
    expect(server.requests.filter(({ head }) => /until=|ending_before/.test(head))).toEqual([]);
  });
});

test.each([1, 2, 3, 4, 5])(
  'faulty pages, seed %i: a complete walk is exact, another one is right as far as it goes',
  async (seed) => {
    const { url } = await serve({ rows: ROWS, drift: 0.21, seed });
    const walked = await arx(dir, `walk ${url}/orders --limit 20 --json --fail-on-drift 0.02`);
    const { data, summary } = JSON.parse(walked.stdout);
    const ids = data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(summary.complete ? IDS : IDS.slice(0, ids.length));
    // The service states no drift; the walk sees it.
    expect(walked.exit).toBe(8);
    expect(walked.stderr).toMatch(/\d+ of \d+ reads disagreed; 0\.02 is allowed/);
    expect(walked.stderr).toContain('the service reports no drift');
  },
);

test('columns for people, four forms, hostile text escaped', async () => {
  const rows = ROWS.map((row, n) => (n === 0 ? { ...row, state: '\u001b[2J' } : row));
  const { url } = await serve({ rows });
  const table = await arx(dir, `walk ${url}/orders --before ord_4 -o table --no-color`, { columns: 80 });
  expect(table.stdout.split('\n').slice(0, 4)).toEqual([
    'ID     N  STATE',
    '─────  ─  ─────────',
    'ord_1  1  \\u{1b}[2J',
    'ord_2  2  paid',
  ]);
  const tsv = await arx(dir, `walk ${url}/orders --after ord_1 --before ord_4`);
  expect(tsv.stdout).toBe('ord_2\t2\tpaid\nord_3\t3\topen\n');
  const json = await arx(dir, `walk ${url}/orders --after ord_1 --before ord_4 --json --fields key.no`);
  expect(JSON.parse(json.stdout).data).toEqual([{ key: { no: 'k1' } }, { key: { no: 'k2' } }]);
});

test('a frozen walk is resumed, proved offline, and never continued by another list', async () => {
  const rows = Array.from({ length: 400 }, (_, n) => ({ ...ROWS[0]!, id: `ord_${n + 1}` }));
  const { url } = await serve({ rows });
  const walk = `walk ${url}/orders --limit 20 --concurrency 1 -o ndjson --freeze log --report report.json`;
  // The first window is frozen after 32 requests.
  const cut = await arx(dir, `${walk} --max-requests 42`);
  expect(cut.exit).toBe(8);
  expect(recordsOf(cut).length).toBeGreaterThan(0);
  expect(cut.stderr).toContain('  hint: run the same command with --resume to continue\n');
  const unlogged = await arx(dir, walk.replace(/ --freeze.*$/, ' --max-requests 42'));
  expect(unlogged.stderr).toContain('  hint: with --freeze DIR it can be continued (--resume)\n');
  const table = await arx(dir, `walk ${url}/orders --limit 20 --concurrency 1 -o table --max-requests 42`);
  expect(table.exit).toBe(8);
  expect(table.stderr).toMatch(/^\d+ rows .* disagreements · not complete · status partial$/m);
  expect(table.stderr).not.toContain('confidence');
  const unfinished = await arx(dir, 'conversations verify log');
  expect(unfinished.stdout).toContain('not to the end of the list');
  expect(unfinished).toMatchObject({
    exit: 3,
    stderr:
      'arx: log: the walk did not reach the end of the list [partial, exit 3]\n' +
      `  hint: run arx walk ${url}/orders again with --freeze log --resume\n`,
  });
  const resumed = await arx(dir, `${walk} --resume`);
  expect(resumed).toMatchObject({ exit: 0, stderr: '' });
  expect(recordsOf(resumed)).toEqual(rows);
  expect(JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8'))).toMatchObject({ verdict: 'complete' });
  const other = await arx(dir, `walk ${url}/orders?x=1 --freeze log --resume`);
  expect(other).toMatchObject({ exit: 2, stdout: '' });
});

describe('where a token goes', () => {
  const TOKEN = 'tok_Zq8vXw3LmT5rKp7s';
  /** The tokens that reached the server. */
  async function sent(
    server: Misbehaving,
    line: string,
    env: Record<string, string> = {},
  ): Promise<string[]> {
    const before = server.requests.length;
    await arx(dir, line, { env: { LANG: 'C.UTF-8', ...env } });
    const heads = server.requests.slice(before).map(({ head }) => head);
    expect(heads.length).toBeGreaterThan(0);
    return [...new Set(heads.map((head) => /^authorization: *(.*)$/im.exec(head)?.[1] ?? 'none'))];
  }

  test('--token-file goes where the user says; ARX_TOKEN behind the base URL alone', async () => {
    const server = await serve({ rows: ROWS });
    const { url } = server;
    writeFileSync(join(dir, 'key'), `${TOKEN}\n`);
    const env = { ARX_TOKEN: TOKEN };
    const list = `walk ${url}/a/orders`;
    const bearer = [`Bearer ${TOKEN}`];
    expect(await sent(server, `${list} --token-file ${join(dir, 'key')}`)).toEqual(bearer);
    expect(await sent(server, list, env)).toEqual(['none']);
    expect(await sent(server, `${list} --base-url ${url}`, env)).toEqual(bearer);
    expect(await sent(server, `${list} --base-url ${url}/a`, env)).toEqual(bearer);
    expect(await sent(server, `${list} --base-url ${url}/b`, env)).toEqual(['none']);
    expect(await sent(server, `walk ${url}/b/%2e%2e/orders --base-url ${url}/b`, env)).toEqual(['none']);
    expect(await sent(server, `${list} --base-url http://127.0.0.1:9`, env)).toEqual(['none']);
  });

  test('a redirect is not followed; plain http to another machine is refused', async () => {
    const target = await serve({ rows: ROWS });
    const server = await misbehave(always(answer(302, '', { location: `${target.url}/orders` })));
    servers.push(server);
    const redirected = await arx(dir, `walk ${server.url}/orders`);
    expect(redirected).toMatchObject({ exit: 11, stdout: '' });
    expect(target.requests).toHaveLength(0);
    for (const wrong of [
      'http://list.example/orders',
      'ftp://list.example',
      'https://a:b@list.example/',
      'orders',
    ]) {
      const refused = await arx(dir, `walk ${wrong}`);
      expect(refused).toMatchObject({ exit: 2, stdout: '' });
    }
  });

  test('401 names what would help', async () => {
    const server = await misbehave(always(answer(401, '{"error":{"code":"token_invalid"}}')));
    servers.push(server);
    const refused = await arx(dir, `walk ${server.url}/orders`);
    expect(refused.exit).toBe(4);
    expect(refused.stderr).toContain('hint: --token-file FILE gives a token');
  });
});
