// Servers that are no archive services, or that answer in unusual ways: no command takes their answers for an empty or whole archive.
import { afterEach, expect, test } from 'vitest';
import { arx, type Ran } from '../support/command.ts';
import { answer, misbehave, type Misbehaving } from '../support/misbehaving-server.ts';
import { tempFolder } from '../support/temp-folder.ts';

let server: Misbehaving | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Starts a server that answers with what `respond` returns; a status and no body where that is a number. */
async function serving(respond: (path: string, query: URLSearchParams) => unknown): Promise<void> {
  server = await misbehave((socket, { head }) => {
    const { pathname, searchParams } = new URL(/ (\S+) /.exec(head)?.[1] ?? '/', 'http://server');
    const body = respond(pathname, searchParams);
    if (Buffer.isBuffer(body)) socket.write(body);
    else if (typeof body === 'number') socket.write(answer(body));
    else socket.write(answer(200, JSON.stringify(body)));
  });
}

async function run(line: string): Promise<Ran> {
  const words = line.replaceAll('BASE', server!.url);
  const env = { LANG: 'C.UTF-8', ARX_TOKEN: 'tok_given' };
  return arx(tempFolder('other-servers'), `${words} --base-url ${server!.url}`, { env });
}

test.each([{}, { ok: true }, { view: 'raw', data: {} }, { status: 'ok', message: 'hello' }])(
  'a record %j has no content of a message',
  async (body) => {
    await serving(() => body);
    for (const line of ['read msg_1', 'content get msg_1', 'content get msg_1 --raw'])
      expect([line, (await run(line)).exit]).toEqual([line, 11]);
  },
);

test('a server that answers [] to everything is no archive service, and its lists are not called whole', async () => {
  await serving(() => []);
  for (const line of [
    'conversations ls --all',
    'conversations walk --cross-check off',
    'messages ls --walk',
    'attachments ls --count',
    'walk BASE/v1/orders',
    'report',
  ])
    expect([line, (await run(line)).exit]).toEqual([line, 3]);
  const { exit, stderr } = await run('doctor');
  expect([exit, stderr]).toEqual([11, expect.stringContaining('it gives the same answer to every request')]);
});

test('an empty archive that describes its lists is whole', async () => {
  await serving((path) => (path === '/api/health' ? { status: 'ok' } : { data: [], has_more: false }));
  for (const line of ['conversations ls --all', 'conversations walk --cross-check off', 'doctor'])
    expect([line, (await run(line)).exit]).toEqual([line, 0]);
});

/** Rows of a list with cursors, and what each page states beside them. */
const ROWS = Array.from({ length: 30 }, (_, n) => ({ id: `row_${n}`, subject: `s${n}` }));
function pageOf(query: URLSearchParams, rows: readonly { id: string }[] = ROWS) {
  const at = (name: string): number => rows.findIndex(({ id }) => id === query.get(name));
  const end = query.has('ending_before') ? at('ending_before') : rows.length;
  const inside = rows.slice(query.has('starting_after') ? at('starting_after') + 1 : 0, end);
  const limit = Number(query.get('limit') ?? 20);
  const isBackward = query.has('ending_before') && !query.has('starting_after');
  const data = isBackward ? inside.slice(-limit) : inside.slice(0, limit);
  return { data, has_more: inside.length > limit };
}

test.each([
  ['total', 'conversations walk --cross-check off'],
  ['total', 'messages ls --walk'],
  ['total', 'walk BASE/messages'],
  ['conversation_count', 'conversations walk --cross-check off'],
  ['message_count', 'messages ls --walk'],
  ['message_count', 'messages ls --all'],
])('%s of more rows than it lists: %s is not complete', async (field, line) => {
  await serving((_, query) => ({ ...pageOf(query), [field]: 40 }));
  const { exit, stderr, stdout } = await run(`${line} --json`);
  expect([exit, stderr]).toEqual([3, expect.stringContaining('the service counts 40 rows and lists 30')]);
  const { data, summary } = JSON.parse(stdout) as { data: object[]; summary: { complete: boolean } };
  expect([data.length, summary.complete]).toEqual([30, false]);
});

test.each([
  ['conversations walk --cross-check off', 'total', 30],
  ['conversations walk --cross-check off', 'message_count', 99],
  ['conversations walk --cross-check off --after row_9', 'total', 40],
  ['messages ls --walk', 'total', 29],
])('%s with %s %i is complete', async (line, field, stated) => {
  await serving((_, query) => ({ ...pageOf(query), [field]: stated }));
  expect((await run(line)).exit).toBe(0);
});

test('a list that grows while it is walked lists as many rows as it counted at first', async () => {
  const rows = [...ROWS];
  await serving((_, query) => {
    if (rows.length < 40) rows.push({ id: `row_${rows.length}`, subject: 'new' });
    return { ...pageOf(query, rows), total: rows.length };
  });
  expect((await run('conversations walk --cross-check off')).exit).toBe(0);
});
