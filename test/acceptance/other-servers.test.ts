// Servers that are no archive services, or that answer in unusual ways: no command takes their answers for an empty or whole archive.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
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
  const base = words.includes('--base-url') ? '' : ` --base-url ${server!.url}`;
  return arx(tempFolder('other-servers'), `${words}${base}`, { env });
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

test('headers say whether more rows follow, and how many there are', async () => {
  await serving((_, query) => {
    const { data, has_more } = pageOf(query);
    const next = `<https://other.example/x?starting_after=${data.at(-1)?.id}>; rel="next"`;
    const link = has_more ? next : '</x>; rel="prev"';
    return answer(200, JSON.stringify(data), { link, 'X-Total-Count': String(ROWS.length) });
  });
  const first = await run('conversations ls --limit 20 --json');
  expect(JSON.parse(first.stdout)).toMatchObject({ summary: { has_more: true, total: 30 } });
  const last = await run('conversations ls --after row_19 --json');
  expect(JSON.parse(last.stdout)).toMatchObject({ summary: { rows: 10, has_more: false, total: 30 } });
  for (const line of [
    'conversations ls --all',
    'conversations walk --cross-check off',
    'walk BASE/v1/orders',
  ])
    expect([line, await run(line)]).toMatchObject([
      line,
      { exit: 0, stderr: expect.not.stringMatching(/cut|does not say/) },
    ]);
});

/** Sends an event whose first requests are answered with `bodies`, the last one again and again; undefined: the connection is cut. */
async function sending(...bodies: (Buffer | undefined)[]): Promise<Ran> {
  let count = 0;
  server = await misbehave((socket, { head }) => {
    const body = head.startsWith('POST') ? bodies[Math.min(count++, bodies.length - 1)] : answer(404, '{}');
    if (body === undefined) socket.destroy();
    else socket.write(body);
  });
  const payload = `'{"layer":"x"}'`;
  return run(`events send mirror.detected --id evt_1 --payload ${payload} --retries 2 --retry-for 0 --json`);
}
const json = (status: number, body: unknown) => answer(status, JSON.stringify(body));

test('events send: the words of a refusal of MongoDB and of a list of errors are shown', async () => {
  for (const body of [{ ok: 0, errmsg: 'no such layer' }, { errors: { layer: ['no such layer'] } }]) {
    const { exit, stderr } = await sending(json(422, body));
    expect([exit, stderr]).toEqual([7, expect.stringContaining('no such layer')]);
    expect(stderr).toContain('arx events types names the fields');
    await server!.close();
  }
});

const SENT_EVENT = 'mirror.detected --id evt_1 --payload';
test.each([
  [400, { error: { code: 'event_invalid', message: 'payload.layer: must be lower case' } }],
  [413, { error: { code: 'payload_too_large', message: 'at most 10 bytes' } }],
  [422, { detail: [{ loc: ['body'], msg: 'no such layer' }] }],
  [422, {}],
])('events: what was refused with %i is refused for send and reconcile alike: %j', async (status, body) => {
  server = await misbehave((socket, { head }) => {
    if (head.startsWith('POST')) socket.write(json(status, body));
    else
      socket.write(head.includes('/events') ? json(200, { data: [], has_more: false }) : answer(404, '{}'));
  });
  const journal = join(tempFolder('refused-events'), 'j.ndjson');
  const sent = await run(`events send ${SENT_EVENT} '{"layer":"x"}' --retries 0 --journal ${journal}`);
  expect(sent).toMatchObject({ exit: 7, stderr: expect.stringContaining('[conflict, exit 7]') });
  const reconciled = await run(`events reconcile --journal ${journal} --retries 0`);
  expect([reconciled.exit, reconciled.stderr]).toEqual([7, expect.any(String)]);
  expect(reconciled.stderr).toContain('1 of 1 event: refused');
  expect(reconciled.stderr).toContain('mend each and send it again');
  expect(reconciled.stderr).not.toContain('--replay');
});

const ACK = { accepted: true, event_id: 'evt_1', type: 'mirror.detected', status: 'queued' };
test.each([
  [200, { error: { code: 'event_refused', message: 'no' } }, 7, 'event_refused'],
  [200, { success: false, message: 'no such type' }, 7, 'no such type'],
  [202, { error: { code: 'observer_not_permitted', message: 'not for your tier' } }, 5, 'not for your tier'],
  [
    200,
    { accepted: false, event_id: 'evt_1', type: 'mirror.detected', status: 'dropped' },
    7,
    'status dropped',
  ],
  [200, { accepted: false, reason: 'no' }, 7, 'did not accept evt_1: accepted false'],
  [200, { Accepted: 0 }, 7, 'did not accept evt_1: accepted false'],
  [200, { id: 'evt_1', status: 'rejected' }, 7, 'did not accept evt_1: status rejected'],
  [200, { ...ACK, accepted: false, status: 'duplicate' }, 0, ''],
  [200, { results: [ACK] }, 0, ''],
  [202, { Result: { Items: [ACK] } }, 0, ''],
  [200, { ...ACK, payload: { status: 'failed', error: 'x' } }, 0, ''],
  // An answer that contradicts itself proves nothing.
  [
    200,
    { ...ACK, status: 'rejected' },
    16,
    'may have been accepted: the answer says so, and also status rejected',
  ],
  [200, { accepted: true, id: 'evt_1', status: 'rejected' }, 16, 'may have been accepted'],
  [200, { ...ACK, success: 'False' }, 16, 'and also that the request failed'],
  [207, { ...ACK, status: 'Failed' }, 16, 'and also status Failed'],
  [200, { ...ACK, errors: [{ message: 'no such layer' }] }, 16, 'and also error no such layer'],
  [200, { ...ACK, success: false }, 16, 'and also that the request failed'],
  [200, { accepted: false, data: ACK }, 16, 'and also accepted false'],
  [200, { ...ACK, data: { ...ACK, accepted: false } }, 16, 'and also accepted false'],
  // It may be accepted later, or was.
  [200, { error: { code: 'internal', message: 'failed' } }, 16, 'internal'],
  [200, { success: false }, 16, 'may have been accepted'],
])('events send: status %i with %j ends with %i', async (status, body, exit, words) => {
  const ran = await sending(json(status, body));
  expect([ran.exit, ran.stderr]).toEqual([exit, expect.stringContaining(words)]);
});

test.each([
  [{ error: { code: 'duplicate_event', message: 'this event was accepted before' } }, 0],
  [{ error: { code: 'conflict', message: 'event already received' } }, 0],
  [{ error: { code: 'conflict', message: 'id already exists' } }, 7],
  [{ error: { code: 'event_conflict', message: 'evt_1 has another body' } }, 7],
  [{ error: { code: 'duplicate_id', message: 'the id belongs to a different event' } }, 7],
])('events send: 409 with %j after a lost acknowledgement ends with %i', async (body, exit) => {
  const ran = await sending(undefined, json(409, body));
  expect(ran.exit).toBe(exit);
  if (exit === 0) expect(JSON.parse(ran.stdout)).toMatchObject({ accepted: true, status: 'duplicate' });
});

test.each([
  [answer(204), 'the answer (status 204) has no body'],
  [answer(202), 'the answer (status 202) has no body'],
  [
    json(202, { id: 'evt_1', state: 'received' }),
    'the answer (status 202) does not say that it was accepted',
  ],
])(
  'events send: a success that acknowledges nothing is said so, with what can tell more',
  async (body, words) => {
    const { exit, stderr } = await sending(body);
    expect([exit, stderr]).toEqual([16, expect.stringContaining(`evt_1 may have been accepted: ${words}`)]);
    expect(stderr).toMatch(/events reconcile tells whether/);
    expect(stderr).not.toMatch(/same id|wrong shape/);
  },
);

const SHA256_OF_ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
/** A catalogue with one file at `file_url`; `respond` answers every other request. */
async function catalogue(
  file_url: string,
  respond: (path: string) => unknown,
  fields: object = {},
): Promise<void> {
  const row = { id: 'att_1', filename: 'a.txt', file_url, sha256: SHA256_OF_ABC, redacted: false };
  const data = [{ ...row, ...fields }];
  await serving((path) => (path.endsWith('/v1/attachments') ? { data, has_more: false } : respond(path)));
}
const ABC = answer(200, 'abc', { 'content-type': 'text/plain' });

test.each(['/files/a.txt', 'files/a.txt', './files/a.txt'])('the file at %s is pulled', async (address) => {
  await catalogue(address, (path) => (path === '/files/a.txt' ? ABC : 404));
  for (const line of [
    'attachments pull --all --to files',
    'attachments cat att_1',
    'attachments pull att_1 --to f',
  ])
    expect([line, (await run(line)).exit]).toEqual([line, 0]);
});

test('a size without its unit does not make a file with the right hash a wrong one', async () => {
  await catalogue('/files/a.txt', (path) => (path === '/files/a.txt' ? ABC : 404), { size: 1 });
  for (const line of ['attachments pull --all --to files', 'attachments cat att_1'])
    expect([line, (await run(line)).exit]).toEqual([line, 0]);
});

const encoded = (name: string, body: Uint8Array | string) =>
  answer(200, body, { 'content-type': 'text/plain', 'content-encoding': name });
const [ZIPPED, ABC_BYTES] = [gzipSync('abc'), Buffer.from('abc')];

test.each<[what: string, body: Buffer, of: Buffer, fields: object]>([
  ['the hash is that of the file, which was compressed on its way', encoded('gzip', ZIPPED), ABC_BYTES, {}],
  ['the same with its size', encoded('gzip', ZIPPED), ABC_BYTES, { bytes: 3 }],
  ['the same with deflate', encoded('deflate', deflateSync('abc')), ABC_BYTES, {}],
  ['the same with br', encoded('br', brotliCompressSync('abc')), ABC_BYTES, { bytes: 3 }],
  ['the hash is that of the stored bytes, which are compressed', encoded('gzip', ZIPPED), ZIPPED, {}],
  ['the same with their size', encoded('x-gzip', ZIPPED), ZIPPED, { bytes: ZIPPED.length }],
  ['the bytes are not encoded, although the server says so', encoded('gzip', 'abc'), ABC_BYTES, {}],
  ['the encoding is one that only names how they were stored', encoded('aws-chunked', 'abc'), ABC_BYTES, {}],
])('a file with a content encoding: %s', async (_what, body, of, fields) => {
  const sha256 = createHash('sha256').update(of).digest('hex');
  await catalogue('/files/a.txt', (path) => (path === '/files/a.txt' ? body : 404), { ...fields, sha256 });
  const home = tempFolder('encoded');
  const flags = `--base-url ${server!.url} --retries 0`;
  const env = { LANG: 'C.UTF-8', ARX_TOKEN: 'tok_given' };
  expect(await arx(home, `attachments pull --all --to files ${flags}`, { env })).toMatchObject({ exit: 0 });
  expect(readFileSync(join(home, 'files/a.txt')).equals(of)).toBe(true);
  expect(await arx(home, `attachments cat att_1 ${flags}`, { env })).toMatchObject({ exit: 0 });
});

test.each([
  ['gzip', ZIPPED, 12, 'expected sha256 '],
  ['gzip', ZIPPED.subarray(0, 12), 12, 'expected sha256 '],
  ['aws-chunked', 'abc', 11, 'content encoding aws-chunked, which cannot be decoded'],
  ['gzip, gzip', gzipSync(ZIPPED), 11, 'content encoding gzip, gzip, which cannot be decoded'],
])('a file with the content encoding %s and wrong bytes is not kept', async (name, body, exit, words) => {
  const fields = { sha256: createHash('sha256').update('abd').digest('hex') };
  await catalogue('/files/a.txt', (path) => (path === '/files/a.txt' ? encoded(name, body) : 404), fields);
  for (const line of ['attachments pull --all --to files', 'attachments cat att_1']) {
    const ran = await run(line);
    expect([line, ran.exit, ran.stderr]).toEqual([line, exit, expect.stringContaining(words)]);
  }
});

test.each(['//other.example/a.txt', 'a file', 'javascript:x', 'http://other.example/a.txt'])(
  'the file at %s is not asked for',
  async (address) => {
    await catalogue(address, () => ABC);
    expect((await run('attachments cat att_1')).exit).toBe(13);
    expect(server!.requests.some(({ head }) => head.includes('a.txt'))).toBe(false);
  },
);

test('a row with an empty file_url has no file', async () => {
  await catalogue('', () => ABC);
  expect((await run('attachments ls')).stdout).toMatch(/^att_1\tabsent\t/);
  const { exit, stderr } = await run('attachments pull att_1 --to files');
  expect([exit, stderr]).toEqual([3, expect.stringContaining('1 of 1 file is absent')]);
});

test.each([
  [404, 6, 'its address leads to none'],
  [204, 11, 'the server gives no file: status 204'],
])('a file with status %i', async (status, exit, words) => {
  await catalogue('/files/a.txt', () => status);
  for (const line of ['attachments cat att_1', 'attachments pull --all --to files']) {
    const ran = await run(line);
    expect([line, ran.exit, ran.stderr]).toEqual([line, exit, expect.stringContaining(words)]);
    expect(ran.stderr).not.toMatch(/base URL|another range/);
  }
});

test.each([
  ['down', 9],
  ['unhealthy', 9],
  ['ok', 0],
  ['degraded', 0],
])('health with status %s ends with %i', async (status, exit) => {
  await serving(() => ({ status }));
  expect(await run('health')).toMatchObject({ exit, stdout: expect.stringContaining(status) });
});

test('an answer without a body is a page without rows, and proves no empty list', async () => {
  await serving(() => 204);
  expect(await run('conversations ls')).toMatchObject({ exit: 0, stdout: '' });
  for (const line of ['conversations ls --all', 'conversations walk --cross-check off'])
    expect([line, (await run(line)).exit]).toEqual([line, 3]);
  await server!.close();
  await serving((_, query) => {
    const { data, has_more } = pageOf(query);
    return data.length === 0 ? 204 : { data, has_more };
  });
  expect((await run('conversations walk --cross-check off')).exit).toBe(0);
});

test.each([{ data: null }, { rows: null, has_more: true }, { data: 'none', has_more: false }])(
  'a page %j is none',
  async (body) => {
    await serving(() => body);
    expect((await run('conversations ls')).exit).toBe(11);
  },
);

test.each([
  ['page', (at: number) => ({ links: { next: at < 20 ? `/v1/x?page=${at / 10 + 2}` : null } })],
  [
    'offset',
    (at: number) => ({ meta: { next_page_url: at < 20 ? `http://other/?offset=${at + 10}` : null } }),
  ],
  ['$skip', (at: number) => ({ NextLink: at < 20 ? `/v1/x?$skip=${at + 10}` : null })],
])('a service that pages by %s: no message proposes a cursor', async (parameter, linksAt) => {
  await serving((_, query) => {
    const given = Number(query.get(parameter) ?? 0);
    const at = parameter === 'page' ? Math.max(0, given - 1) * 10 : given;
    return { data: ROWS.slice(at, at + Math.min(10, Number(query.get('limit') ?? 10))), ...linksAt(at) };
  });
  for (const line of ['conversations ls', 'messages ls --limit 5', 'attachments ls', 'sequence show arc']) {
    const { exit, stderr } = await run(line);
    expect([line, exit, stderr]).toEqual([
      line,
      0,
      expect.stringContaining(`the service pages by ${parameter}`),
    ]);
    expect(stderr).not.toMatch(/--after|--all/);
  }
  const all = await run('conversations ls --all');
  expect([all.exit, all.stderr]).toEqual([3, expect.stringContaining(`no cursors, pages by ${parameter},`)]);
});

test('a field of an entry that is read under another name is shown once', async () => {
  await serving(() => ({ entries: [{ id: 7, position: 3, message: 'm_1', state: 'stable', weight: 5 }] }));
  expect((await run('sequence show arc')).stdout).toBe('7\tm_1\t3\tstable\t5\n');
});

test('a report says that no position of a sequence is checked, and not that none is displaced', async () => {
  await serving((path) => {
    const data = path.includes('/sequence/') ? [{ id: 'entry_1', position: 1 }] : [{ id: 'row_1' }];
    return { data, has_more: false, total: 1 };
  });
  const { stdout } = await run('report');
  expect(stdout).toContain('sequence arc_reconstruction, 1 entry, none with a checked position');
});

test.each(['attachments ls', 'conversations walk'])(
  'lists at other paths: %s says what can be done',
  async (line) => {
    const error = { code: 'not_found', message: 'no route' };
    const missing = answer(404, JSON.stringify({ error }));
    await serving((path) => (path.startsWith('/api/v1/') ? { data: ROWS, has_more: false } : missing));
    const { exit, stderr } = await run(line);
    expect([exit, stderr]).toEqual([6, expect.stringMatching(/base URL.*arx .*walk URL/s)]);
    // Both ways work.
    expect((await run(`${line} --base-url BASE/api`)).exit).toBe(0);
    expect((await run('walk BASE/api/v1/attachments')).exit).toBe(0);
  },
);

/** Answers as {@link pageOf}, with the rows of the cursors; it refuses pages of more than 20 rows. */
function inclusivePageOf(query: URLSearchParams): unknown {
  const at = (id: string | null): number => ROWS.findIndex((row) => row.id === id);
  const after = query.get('starting_after');
  const before = query.get('ending_before');
  const inside = ROWS.slice(after === null ? 0 : at(after), before === null ? undefined : at(before) + 1);
  const limit = Number(query.get('limit') ?? 20);
  if (limit > 20) return 400;
  const isBackward = after === null && before !== null;
  const rows = isBackward ? inside.slice(-limit) : inside.slice(0, limit);
  // Of an event.
  const data = rows.map((row) => ({ ...row, type: 'mirror.detected', status: 'partial', payload: {} }));
  return { data, has_more: inside.length > limit };
}

test.each<[string, number, number, boolean]>([
  ['--after row_0 --limit 5', 1, 5, true],
  ['--after row_5 --limit 5', 6, 5, true],
  ['--after row_9 --limit 20', 10, 20, false],
  ['--after row_26 --limit 5', 27, 3, false],
  ['--after row_29 --limit 5', 30, 0, false],
  ['--before row_20 --limit 5', 15, 5, true],
  ['--before row_2 --limit 5', 0, 2, false],
  ['--after row_3 --before row_6 --limit 5', 4, 2, false],
  ['--after row_3 --before row_20 --limit 5', 4, 5, true],
])(
  'inclusive cursors: a page %s begins at row %i, without the rows of the cursors',
  async (window, from, rows, more) => {
    await serving((_, query) => inclusivePageOf(query));
    const lists = ['attachments ls', 'conversations ls', 'messages ls', 'events ls'];
    // A sequence is not read on where a page of one row more is refused.
    if (!window.endsWith(' 20')) lists.push('sequence show arc');
    for (const list of lists) {
      const { exit, stdout } = await run(`${list} --json ${window}`);
      const { data, summary } = JSON.parse(stdout) as { data: { id: string }[]; summary: object };
      const wanted = ROWS.slice(from, from + rows).map(({ id }) => id);
      expect([list, exit, data.map(({ id }) => id)]).toEqual([list, 0, wanted]);
      if (rows > 0) expect([list, summary]).toEqual([list, expect.objectContaining({ has_more: more })]);
    }
  },
);

test.each([
  'conversations walk --cross-check off',
  'messages ls --walk',
  'messages ls --all',
  'walk BASE/rows',
])('inclusive cursors: %s has each row once', async (line) => {
  await serving((_, query) => inclusivePageOf(query));
  const { exit, stdout } = await run(`${line} --json --limit 9`);
  const { data } = JSON.parse(stdout) as { data: { id: string }[] };
  expect([exit, data.map(({ id }) => id)]).toEqual([0, ROWS.map(({ id }) => id)]);
});

test('a server without any route: JSON and HTML, with what to do', async () => {
  await serving(() => answer(404, '{"detail":"Not Found"}'));
  for (const line of ['conversations ls', 'conversations walk', 'attachments ls']) {
    const { exit, stderr } = await run(line);
    expect([line, exit, stderr]).toEqual([line, 6, expect.stringContaining('hint: check the base URL')]);
  }
  await server!.close();
  await serving(() => answer(404, '<html>no</html>', { 'content-type': 'text/html' }));
  for (const line of ['conversations walk', 'walk BASE/v1/orders', 'walk BASE/v1/conversations']) {
    const { exit, stderr } = await run(line);
    expect([line, exit, stderr]).toEqual([line, 11, expect.stringContaining('hint: check the ')]);
  }
});

const HTML_404 = answer(404, '<html>no</html>', { 'content-type': 'text/html' });
test.each([
  ['/v1/attachments', 404, 'conversations ls', 6],
  ['/v1/attachments', 404, 'messages ls', 6],
  ['/v1/attachments', 404, 'read msg_1', 3],
  ['/v1/conversations', 404, 'attachments ls', 6],
  ['/v1/conversations', HTML_404, 'messages ls', 6],
  ['/v1/attachments', HTML_404, 'conversations ls', 6],
] as const)(
  'where %s is there, and nothing else, no other base URL is proposed',
  async (there, body, line, exit) => {
    const page = { data: [], has_more: false };
    await serving((path) => (path === `/archive${there}` ? page : path === there ? 200 : body));
    const ran = await run(`${line} --base-url ${server!.url}/archive`);
    expect([ran.exit, ran.stderr]).toEqual([
      exit,
      expect.stringContaining('doctor tells what this service has'),
    ]);
    expect(ran.stderr).not.toContain('check the base URL');
  },
);

test('an option without a value that is given one says so', async () => {
  await serving(() => 404);
  const { exit, stderr } = await run('conversations walk --freeze f --resume wa');
  expect([exit, stderr]).toEqual([2, expect.stringContaining('--resume takes no value: leave out wa')]);
});

test.each([
  ['conversations ls --all', 1],
  ['conversations ls --all', 7],
  ['conversations walk --cross-check off', 3],
  ['walk BASE/v1/orders --limit 20', 2],
])('%s of a list that grows by %i rows with each request ends', async (line, added) => {
  const rows = [...ROWS];
  await serving((_, query) => {
    // A client that never ends would hang the test.
    if (rows.length > 3000) return 404;
    for (let count = 0; count < added; count += 1) rows.push({ id: `row_${rows.length}`, subject: 'new' });
    return pageOf(query, rows);
  });
  const { exit, stdout, stderr } = await run(`${line} --json`);
  expect([exit, stderr]).toEqual([8, expect.stringContaining('the list grows while it is read')]);
  const { data } = JSON.parse(stdout) as { data: { id: string }[] };
  expect(data.map(({ id }) => id)).toEqual(rows.slice(0, data.length).map(({ id }) => id));
  expect(data.length).toBeGreaterThanOrEqual(30);
});

test.each([
  'conversations ls --all',
  'conversations walk --cross-check off',
  'messages ls --walk',
  'messages ls --subject nowhere',
  'attachments pull --all --to dl',
  'walk BASE/v1/orders',
])('%s of a list that grows by a page with each request, and says so in its total, ends', async (line) => {
  const rows = [...ROWS];
  await serving((_, query) => {
    if (rows.length > 40_000) return 404;
    const size = Number(query.get('limit') ?? 20);
    for (let count = 0; count < size; count += 1) rows.push({ id: `row_${rows.length}`, subject: 'new' });
    return { ...pageOf(query, rows), total: rows.length };
  });
  const { exit, stderr } = await run(`${line} --json`);
  expect([exit, stderr]).toEqual([
    8,
    expect.stringMatching(/the list grows while it is read: it had \d+ rows at first, and [\d,]+ later/),
  ]);
});

test.each(['conversations ls --all', 'messages ls --walk'])(
  '%s of a list that is longer than the total that its pages state is read to its end',
  async (line) => {
    const rows = Array.from({ length: 1500 }, (_, n) => ({ id: `row_${n}`, subject: `s${n}` }));
    // Some services state the rows of the page.
    await serving((_, query) => {
      const page = pageOf(query, rows);
      return { ...page, total: page.data.length };
    });
    expect((await run(`${line} --limit 50 --json`)).exit).toBe(0);
  },
);

test.each([
  ['', true],
  [null, true],
  ['withheld', true],
  ['[redacted]', false],
])('withheld rows with the id %j are counted, and not listed as one', async (id, isSaid) => {
  const hidden = isSaid ? { id, redacted: true } : { id, subject: '' };
  const rows = ROWS.flatMap((row, n) => (n % 10 === 3 ? [row, hidden, hidden] : [row]));
  await serving((_, query) => pageOf(query, rows as { id: string }[]));
  for (const line of [
    'conversations ls --all',
    'conversations walk --cross-check off',
    'walk BASE/v1/orders',
  ]) {
    const { exit, stdout, stderr } = await run(`${line} --json`);
    expect([line, exit, stderr]).toEqual([
      line,
      3,
      expect.stringContaining('6 withheld rows have no ids of their own and are not listed'),
    ]);
    const { data, summary } = JSON.parse(stdout) as { data: { id: string }[]; summary: object };
    expect(data.map((row) => row.id)).toEqual(ROWS.map((row) => row.id));
    expect(summary).toMatchObject({ complete: false });
  }
  const page = await run('conversations ls --limit 20 --json');
  expect([page.exit, page.stderr]).toEqual([0, expect.stringContaining('4 withheld rows')]);
});

test('a row that has no id, and is not withheld, cannot be read', async () => {
  await serving(() => ({ data: [...ROWS, { subject: 'no id' }], has_more: false }));
  expect((await run('conversations ls')).exit).toBe(11);
});

test('sender and sentAt of another service are the From and the date everywhere', async () => {
  const sentAt = Date.UTC(2024, 0, 2, 3, 4, 5);
  const row = { id: 'msg_1', conversationId: 'c1', sender: 'Ana <ana@x.example>', sentAt, title: 'Lamps' };
  const page = (data: object[]) => ({ data, has_more: false });
  await serving((path) => {
    if (path.startsWith('/api/content/')) return { view: 'raw', data: { ...row, bodyText: 'They are lit.' } };
    if (path === '/v1/conversations/c1') return { id: 'c1', title: 'Lamps', createdAt: sentAt };
    if (path === '/v1/conversations') return page([{ id: 'c1', title: 'Lamps', createdAt: sentAt }]);
    return page(path.endsWith('/messages') ? [row] : []);
  });
  const read = await run('read msg_1 --json');
  expect(read.stderr).toBe('');
  const message = {
    from: row.sender,
    date: '2024-01-02T03:04:05.000Z',
    subject: 'Lamps',
    parts: [{ text: 'They are lit.' }],
  };
  expect(JSON.parse(read.stdout)).toMatchObject({ data: [message] });
  const [listed] = (await run('messages ls -o ndjson')).stdout.split('\n');
  expect(JSON.parse(listed!)).toMatchObject({ from: row.sender, date: '2024-01-02T03:04:05.000Z' });
  const mbox = (await run('conversations export c1 --format mbox --to -')).stdout;
  expect(mbox).toContain('From: Ana <ana@x.example>');
  expect(mbox).toContain('Date: Tue, 02 Jan 2024 03:04:05 +0000');
});
