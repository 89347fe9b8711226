// A service that gives its lists to everybody, and files whose address is in `url`: looked at as a newcomer does, without a login.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { arx } from '../support/command.ts';
import { answer, type Misbehaving } from '../support/misbehaving-server.ts';
import { requestsFor, serveStranger } from '../support/stranger.ts';
import { tempFolder } from '../support/temp-folder.ts';

let server: Misbehaving | undefined;
afterEach(() => server?.close());

const BYTES = 'bytes of a file\n';
const FILES = Array.from({ length: 5 }, (_, n) => ({
  id: `f${n}`,
  filename: `${n}.txt`,
  sha256: createHash('sha256').update(BYTES).digest('hex'),
  redacted: false,
}));

/** Starts a service whose rows have the address of their file in a field of this name. */
async function serveFiles(field: string, addressOf = (id: string) => `/files/${id}`): Promise<string> {
  const rows = FILES.map((row): Record<string, unknown> & { id: string } => ({ ...row, [field]: '' }));
  server = await serveStranger({
    lists: { '/v1/attachments': rows, '/v1/conversations': [{ id: 'c1' }, { id: 'c2' }] },
    respond: (path) =>
      path.startsWith('/files/')
        ? answer(200, BYTES, { 'content-type': 'application/octet-stream' })
        : undefined,
  });
  for (const row of rows) row[field] = server.url + addressOf(row.id);
  return server.url;
}

test.each([
  'doctor',
  'conversations ls',
  'conversations walk',
  'attachments ls --all',
  'conversations show c1',
])('without a token: %s', async (line) => {
  const url = await serveFiles('url');
  const { exit, stderr } = await arx(tempFolder('open'), `${line} --base-url ${url}`);
  expect(stderr).not.toContain('no token');
  expect([0, 3]).toContain(exit);
  const heads = server!.requests.map(({ head }) => head.toLowerCase());
  expect(heads.filter((head) => head.includes('authorization'))).toEqual([]);
});

test.each([401, 403])('a service that answers %d says that there is no token: exit 4', async (status) => {
  server = await serveStranger({ lists: {}, respond: () => answer(status, '{}') });
  const { exit, stderr } = await arx(tempFolder('closed'), `messages ls --base-url ${server.url}`);
  expect({ exit, stderr }).toEqual({
    exit: 4,
    stderr: `arx: no token for ${server.url} [auth, exit 4]\n  hint: arx login --base-url ${server.url}\n`,
  });
  expect(requestsFor(server, '/messages')).toHaveLength(1);
});

test('no event is sent without a token', async () => {
  server = await serveStranger({ lists: {} });
  const line = `events send mirror.detected --id e1 --payload '{"layer":"x"}' --base-url ${server.url}`;
  expect((await arx(tempFolder('unsent'), line)).exit).toBe(4);
  expect(requestsFor(server, '/api/webhooks/ingest')).toEqual([]);
});

describe.each(['url', 'download_url', 'downloadUrl', 'href'])('files at %s', (field) => {
  test('are listed as available, pulled, and examined', async () => {
    const url = await serveFiles(field);
    const dir = tempFolder('files');
    const listed = await arx(dir, `attachments ls --base-url ${url} -o table`);
    expect(listed.stdout).not.toContain('withheld');
    expect((await arx(dir, `attachments pull --all --to got --base-url ${url}`)).exit).toBe(0);
    expect(readFileSync(join(dir, 'got/3.txt'), 'utf8')).toBe(BYTES);
    const { stdout } = await arx(dir, `doctor --base-url ${url} --json`);
    expect(JSON.parse(stdout)).toMatchObject({
      files: { address: 'available', hash: 'match' },
      lists: { attachments: { shape: { names: { file_url: field } } } },
    });
  });
});

test('the address of the row itself is not that of its file', async () => {
  const url = await serveFiles('url', (id) => `/v1/attachments/${id}`);
  const { exit, stderr } = await arx(tempFolder('self'), `attachments pull --all --to got --base-url ${url}`);
  expect(exit).toBe(3);
  expect(stderr).toContain('5 of 5 files are absent');
});

describe('a service that pages by numbers', () => {
  const rows = Array.from({ length: 60 }, (_, n) => ({ type: 'conversation', id: `c${n}`, attributes: {} }));
  const start = async () =>
    serveStranger({
      lists: {},
      respond: (path, query) => {
        if (path !== '/v1/conversations') return undefined;
        const page = Number(query.get('page[number]') ?? 1);
        const data = rows.slice((page - 1) * 20, page * 20);
        return answer(200, JSON.stringify({ data, links: { next: `${path}?page%5Bnumber%5D=${page + 1}` } }));
      },
    });

  test('the walk says so', async () => {
    server = await start();
    const { exit, stderr } = await arx(tempFolder('pages'), `conversations walk --base-url ${server.url}`);
    expect(exit).toBe(3);
    expect(stderr).toContain('follows no cursors in its conversations, pages by page[number], and does not');
  });

  test('the doctor says so', async () => {
    server = await start();
    const { stdout } = await arx(tempFolder('pages'), `doctor --base-url ${server.url} --json`);
    const report = JSON.parse(stdout);
    expect(report.lists.conversations.shape.paged_by).toBe('page[number]');
    expect(report.findings).toContainEqual({
      about: 'conversations',
      check: 'starting_after',
      verdict: 'warn',
      found: 'ignored',
      meaning: 'no walk is possible: the service pages by page[number], and arx only by the ids of rows',
    });
  });
});

test('the doctor counts answers that arrive cut, and those that do not arrive', async () => {
  let count = 0;
  server = await serveStranger({
    lists: { '/v1/conversations': [{ id: 'c1' }, { id: 'c2' }] },
    respond: (path) => {
      if (path !== '/v1/conversations') return undefined;
      count += 1;
      if (count === 1) return answer(200, '{"data":[{"id":"c1"}');
      return count === 2
        ? answer(200, '{"data"', { 'content-length': '100', connection: 'close' })
        : undefined;
    },
  });
  const { stdout } = await arx(tempFolder('cut'), `doctor --base-url ${server.url} --timeout 2 --json`);
  const report = JSON.parse(stdout);
  expect(report.transport.cut + report.transport.unanswered).toBe(2);
  expect(report.findings.find(({ check }: { check: string }) => check === 'answers').verdict).toBe('warn');
});

test('the doctor says that a filter finds nothing', async () => {
  const rows = FILES.map((row) => ({ ...row, origin_city: 'lisbon' }));
  server = await serveStranger({
    lists: { '/v1/attachments': rows },
    respond: (_, query) => (query.has('origin_city') ? answer(200, '{"data":[]}') : undefined),
  });
  const { stdout } = await arx(tempFolder('nothing'), `doctor --base-url ${server.url}`);
  expect(stdout).toContain('filter origin_city\tgives no rows for a value that rows have (--city)');
});

test.each([
  ['attachments ls --origin-city lisbon', '--city'],
  ['messages ls --conversation_id c1', '--conversation'],
  ['conversations ls --starting-after c1', '--after'],
])('%s: the hint names the option', async (line, option) => {
  const { exit, stderr } = await arx(tempFolder('hint'), line);
  expect(exit).toBe(2);
  expect(stderr).toContain(`did you mean: ${option}; arx help `);
});
