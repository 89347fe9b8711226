// Records by id at a service that is not ours: it may have no route for one record, so its list decides.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findRecords } from '../../../src/commands/lists/find-record.ts';
import { arx } from '../../support/command.ts';
import { sha256Of } from '../../support/digest.ts';
import { answer, type Misbehaving } from '../../support/misbehaving-server.ts';
import { serveStranger, requestsFor, type StrangerOptions } from '../../support/stranger.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const ROWS = Array.from({ length: 130 }, (_, n) => ({
  id: `att_${n + 1}`,
  filename: `${n}.txt`,
  file_url: null as string | null,
  sha256: sha256Of(`file ${n}`),
  redacted: n % 9 === 0,
  decorative_layer: false,
  first_visible: true,
}));
const env = { LANG: 'C.UTF-8', ARX_TOKEN: 'tok_given' };
const LIST = '/v1/attachments';

let dir: string;
let server: Misbehaving | undefined;
beforeAll(() => {
  dir = tempFolder('find-record');
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function at(options: Partial<StrangerOptions>, line: string, folder = dir) {
  server = await serveStranger({ lists: { [LIST]: ROWS }, ...options });
  return arx(folder, `${line} --base-url ${server.url}`, { env });
}
const one = (bytes: Buffer) => (path: string) => (path.startsWith(`${LIST}/`) ? bytes : undefined);

/** What services answer that lack the route for one attachment. */
const WITHOUT_ROUTE: [string, Buffer][] = [
  ['404 without a code', answer(404, '{"detail":"Not Found"}')],
  [
    '404 with the code of a missing record',
    answer(404, '{"error":{"code":"not_found","message":"no such route"}}'),
  ],
  ['400', answer(400, '{"error":{"code":"request_invalid","message":"unknown path"}}')],
  ['405', answer(405, '')],
  ['410', answer(410, '')],
  ['501', answer(501, '')],
  ['a page of HTML', answer(200, '<html>start</html>', { 'content-type': 'text/html' })],
  ['a redirect', answer(301, '', { location: '/' })],
  ['the list', answer(200, JSON.stringify({ data: ROWS.slice(0, 2), has_more: true }))],
  ['another record', answer(200, JSON.stringify(ROWS[6]))],
];

test('records are asked for six at once, the first one alone, and come in the order of the ids', async () => {
  let running = 0;
  const counts: number[] = [];
  const read = async (id: string) => {
    counts.push((running += 1));
    await new Promise(setImmediate);
    running -= 1;
    return { body: { id } };
  };
  const ids = ROWS.map(({ id }) => id);
  const app = { log: () => undefined } as unknown as Parameters<typeof findRecords>[2];
  const page = () => Promise.reject(new Error('the list is not read'));
  const found: string[] = [];
  for await (const { id } of findRecords(ids, { noun: 'attachment', read, page }, app)) found.push(id);
  expect([counts.slice(0, 2), Math.max(...counts), found]).toEqual([[1, 1], 6, ids]);
});

describe.each(WITHOUT_ROUTE)('X5 %s in place of one record', (_, bytes) => {
  test('a record is shown from the list, and -v says what that cost', async () => {
    const { exit, stdout, stderr } = await at({ respond: one(bytes) }, 'attachments show att_119 --json -v');
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toEqual(ROWS[118]);
    expect(stderr).toMatch(/arx: looked for 1 attachment in the list: \d+ requests/);
  });

  test('a record that the whole list does not have is exit 6', async () => {
    const { exit, stdout, stderr } = await at({ respond: one(bytes) }, 'attachments show att_999');
    expect({ exit, stdout }).toEqual({ exit: 6, stdout: '' });
    expect(stderr).toMatch(
      /^arx: no attachment att_999 in this archive \[not_found, exit 6\]\n {2}hint: arx --base-url \S+ attachments ls --all lists them\n$/,
    );
  });
});

test('a record is found beside its neighbour, wherever it stands in the list', async () => {
  for (const id of ['att_1', 'att_2', 'att_7', 'att_11', 'att_119', 'att_130']) {
    const { exit, stdout } = await at({}, `attachments show ${id} --json`);
    expect({ exit, id: JSON.parse(stdout).id }).toEqual({ exit: 0, id });
    expect(server!.requests.length).toBeLessThanOrEqual(4);
    await server!.close();
  }
});

test.each<[string, (path: string, query: URLSearchParams) => Buffer | undefined]>([
  ['refuses ending_before', (_, query) => (query.has('ending_before') ? answer(400, '{}') : undefined)],
  [
    'ignores ending_before',
    (path, query) =>
      path === LIST && query.has('ending_before')
        ? answer(200, JSON.stringify({ data: ROWS.slice(0, Number(query.get('limit'))), has_more: true }))
        : undefined,
  ],
])('a service that %s is walked', async (_, respond) => {
  const found = await at({ respond }, 'attachments show att_119 --json');
  expect({ exit: found.exit, id: JSON.parse(found.stdout).id }).toEqual({ exit: 0, id: 'att_119' });
  await server!.close();
  expect(await at({ respond }, 'attachments show att_999')).toMatchObject({ exit: 6 });
});

test('a list that fails names the record of which nothing is known', async () => {
  const respond = (path: string) => (path === LIST ? answer(503, '{}') : undefined);
  const { exit, stderr } = await at({ respond }, 'attachments show att_9 --retries 0');
  expect(exit).toBe(9);
  expect(stderr).toMatch(
    /^arx: cannot tell whether there is attachment att_9: the service cannot answer now/,
  );
});

test('a list that is not proved does not prove that a record is missing', async () => {
  const bare = (data: readonly object[]): unknown => ({ data });
  const firstPage = (path: string, query: URLSearchParams) =>
    path === LIST && query.has('starting_after') ? answer(400, '{}') : undefined;
  const { exit, stdout, stderr } = await at(
    { body: bare, respond: firstPage },
    'attachments show att_999 --json',
  );
  expect({ exit, stdout }).toEqual({ exit: 3, stdout: '' });
  expect(stderr).toMatch(/"message":"cannot tell whether there is attachment att_999: the list may be cut/);
});

test('without the list too, nothing is said about the record', async () => {
  const { exit, stderr } = await at({ lists: {} }, 'attachments show att_1');
  expect(exit).toBe(3);
  expect(stderr).toMatch(/^arx: cannot tell whether there is attachment att_1: /);
});

test('a refused token and a failing service stay what they are', async () => {
  expect(await at({ respond: one(answer(401, '{}')) }, 'attachments show att_1')).toMatchObject({ exit: 4 });
  await server!.close();
  expect(await at({ respond: one(answer(503, '{}')) }, 'attachments show att_1 --retries 0')).toMatchObject({
    exit: 9,
  });
});

test('a route that knows the record is the only request', async () => {
  const respond = (path: string) =>
    path === `${LIST}/att_2` ? answer(200, JSON.stringify(ROWS[1])) : undefined;
  expect(await at({ respond }, 'attachments show att_2')).toMatchObject({ exit: 0 });
  expect(server!.requests).toHaveLength(1);
});

test('X5 a pull of many ids asks the route once and reads the list once', async () => {
  const files = ROWS.map((row, n) => ({ ...row, redacted: false, file_url: `/files/${n}` }));
  const lists: Record<string, typeof files> = { [LIST]: files };
  const respond = (path: string) => {
    if (path === '/api/health') return answer(200, JSON.stringify({ status: 'ok', asset_url: server!.url }));
    const n = /^\/files\/(\d+)$/.exec(path)?.[1];
    return n === undefined ? undefined : answer(200, `file ${n}`);
  };
  server = await serveStranger({ lists, respond });
  for (const row of files) row.file_url = `${server.url}${row.file_url}`;
  const line = 'attachments pull att_120 att_3 att_999 att_60 --to few -o json';
  const { exit, stdout, stderr } = await arx(dir, `${line} --base-url ${server.url}`, { env });
  expect(JSON.parse(stdout).files.map(({ id, verdict }: any) => [id, verdict])).toEqual([
    ['att_120', 'match'],
    ['att_3', 'match'],
    ['att_60', 'match'],
  ]);
  expect(exit).toBe(6);
  expect(stderr).toContain('"message":"no attachment att_999 in this archive"');
  expect(readFileSync(join(dir, 'few', '2.txt'), 'utf8')).toBe('file 2');
  expect(requestsFor(server, `${LIST}/att_120`)).toHaveLength(1);
  expect(requestsFor(server, `${LIST}/att_3`)).toHaveLength(0);
  expect(requestsFor(server, LIST).length).toBeLessThan(30);
});

describe('X5 content get', () => {
  test.each(['content get', 'read'])('%s of many missing ids reads the list once', async (command) => {
    const lists = { '/messages': Array.from({ length: 600 }, (_, n) => ({ id: `msg_${n + 1}` })) };
    const requests = async (ids: string[]) => {
      const { stderr } = await at({ lists }, `${command} ${ids.join(' ')}`);
      for (const id of ids) expect(stderr).toContain(`no message ${id} in this archive`);
      const { length } = requestsFor(server!, '/messages');
      await server!.close();
      return length;
    };
    const [two, twelve] = [
      await requests(['msg_901', 'msg_902']),
      await requests(Array.from({ length: 12 }, (_, n) => `msg_${n + 901}`)),
    ];
    expect(twelve).toBe(two);
  });

  test('many ids at a list that cannot be read ask for it once', async () => {
    const requests = async (count: number) => {
      const ids = Array.from({ length: count }, (_, n) => `msg_${n + 901}`);
      const { exit, stderr } = await at({ lists: {} }, `content get ${ids.join(' ')}`);
      expect(exit).toBe(3);
      for (const id of ids) expect(stderr).toContain(`cannot tell whether there is message ${id}`);
      const { length } = requestsFor(server!, '/messages');
      await server!.close();
      return length;
    };
    const two = await requests(2);
    expect(two).toBeGreaterThan(0);
    expect(await requests(12)).toBe(two);
  });

  const lists = { '/messages': [{ id: 'msg_1' }, { id: 'msg_2' }] };

  test('a message that is listed and has no record is not called missing', async () => {
    const { exit, stderr } = await at({ lists }, 'content get msg_2');
    expect(exit).toBe(3);
    expect(stderr).toBe('arx: the service lists msg_2 and has no content record of it [partial, exit 3]\n');
  });

  test('a message that the whole list does not have is exit 6', async () => {
    const { exit, stderr } = await at({ lists }, 'content get msg_3');
    expect(exit).toBe(6);
    expect(stderr).toMatch(/^arx: no message msg_3 in this archive \[not_found, exit 6\]/);
  });

  test('without a list of messages it cannot be told', async () => {
    expect(await at({ lists: {} }, 'content get msg_3')).toMatchObject({ exit: 3, stdout: '' });
  });

  test('the record of another message is refused', async () => {
    const respond = () => answer(200, JSON.stringify({ view: 'raw', data: { id: 'msg_1', text: 'a' } }));
    const { exit, stdout } = await at({ respond }, 'content get msg_2');
    expect({ exit, stdout }).toEqual({ exit: 11, stdout: '' });
  });
});

test('our own service is believed: a record that it does not have costs one request', async () => {
  const { exit, stderr } = await arx(dir, 'attachments show att_999 -v');
  expect(exit).toBe(6);
  expect(stderr).not.toContain('/v1/attachments?');
});
