// Stored messages by signed address: the exact bytes in chunks, and none where a file is withheld.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ErrorBody } from '../../../src/contract/error.ts';
import type { Tier } from '../../../src/contract/tier.ts';
import { createAssetService } from '../../../src/service/index.ts';
import { lastDayOf, messagePath } from '../../../src/service/rules/signed-path.ts';
import { fileKey } from '../../../src/service/store/meta-table/file-key.ts';
import { sampleArchive, START, type Sample } from '../../support/archive.ts';
import { sha256Of } from '../../support/digest.ts';

const STORED = Buffer.from(Array.from({ length: 400_000 }, (_, n) => `line ${n}\n`).join(''));
const SHA = sha256Of(STORED);
let sample: Sample;

beforeAll(async () => {
  // Message 3 has attachments 3 and 9.
  sample = await sampleArchive({ conversations: 3, messages: 2, attachments: 10 });
  const { database } = sample.archive;
  await database.run('UPDATE raws SET content = $1 WHERE n = 3', [STORED]);
  await database.run('UPDATE messages SET raw_sha256 = $1, raw_bytes = $2 WHERE n = 3', [SHA, STORED.length]);
});
beforeEach(async () => {
  await sample.archive.database.run(`UPDATE messages SET tier = 'internal' WHERE n = 3`);
  await sample.archive.database.run(
    `UPDATE attachments SET tier = 'internal', redacted = 0 WHERE message = 3`,
  );
});
afterAll(() => sample.close());

type Asked = { tier?: Tier; method?: string; headers?: Record<string, string>; id?: string; target?: string };

async function ask({ tier = 'internal', method = 'GET', headers = {}, id = 'msg_3', target }: Asked = {}) {
  const path =
    target ??
    messagePath(await fileKey(sample.archive), { id, sha256: SHA, tier, lastDay: lastDayOf(START) });
  const response = await createAssetService(sample.archive)({
    method,
    target: path,
    headers: Object.entries(headers),
    body: null,
    peer: 'test',
  });
  const chunks: Uint8Array[] = [];
  if (typeof response.body === 'string') chunks.push(Buffer.from(response.body));
  else if (!(response.body instanceof Uint8Array))
    for await (const chunk of response.body) chunks.push(chunk);
  return { ...response, chunks, bytes: Buffer.concat(chunks) };
}
const codeOf = (bytes: Buffer) => ErrorBody.parse(JSON.parse(bytes.toString())).error.code;

test('the whole message is read in chunks', async () => {
  const { status, headers, bytes, chunks } = await ask();
  expect(status).toBe(200);
  expect(bytes.equals(STORED)).toBe(true);
  expect(chunks.length).toBeGreaterThan(3);
  expect(headers).toMatchObject({
    etag: `"${SHA}"`,
    'content-length': String(STORED.length),
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="msg_3.eml"; filename*=UTF-8''msg_3.eml`,
    'x-content-type-options': 'nosniff',
  });
});

test('HEAD, a range, and 304 where the client has it', async () => {
  expect(await ask({ method: 'HEAD' })).toMatchObject({
    status: 200,
    headers: { etag: `"${SHA}"` },
    chunks: [Buffer.from('')],
  });
  const part = await ask({ headers: { range: 'bytes=1048570-2097160' } });
  expect(part.status).toBe(206);
  expect(part.bytes.equals(STORED.subarray(1048570, 2097161))).toBe(true);
  expect((await ask({ headers: { 'if-none-match': `"${SHA}"` } })).status).toBe(304);
  expect((await ask({ headers: { range: `bytes=${STORED.length}-` } })).status).toBe(416);
});

test('lost and cut bytes are refused before the response begins', async () => {
  const { database } = sample.archive;
  await database.run('UPDATE raws SET content = $1 WHERE n = 3', [STORED.subarray(1)]);
  expect(codeOf((await ask()).bytes)).toBe('asset_damaged');
  await database.run('DELETE FROM raws WHERE n = 3');
  expect(codeOf((await ask()).bytes)).toBe('asset_damaged');
  await database.run('INSERT INTO raws (n, content) VALUES (3, $1)', [STORED]);
});

test('one changed letter cuts the response before its last bytes', async () => {
  const { database } = sample.archive;
  const changed = Buffer.from(STORED);
  changed[7] = 0x21;
  await database.run('UPDATE raws SET content = $1 WHERE n = 3', [changed]);
  await expect(ask()).rejects.toThrow('another hash');
  await database.run('UPDATE raws SET content = $1 WHERE n = 3', [STORED]);
});

test('bytes that are lost while they are read break the response off', async () => {
  const { database } = sample.archive;
  const path = messagePath(await fileKey(sample.archive), {
    id: 'msg_3',
    sha256: SHA,
    tier: 'internal',
    lastDay: lastDayOf(START),
  });
  const service = createAssetService(sample.archive);
  const { body } = await service({ method: 'GET', target: path, headers: [], body: null, peer: 'test' });
  const reader = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  // The second chunk is read by then.
  expect((await reader.next()).value?.byteLength).toBe(1024 * 1024);
  await database.run('DELETE FROM raws WHERE n = 3');
  await expect(reader.next()).rejects.toThrow('end at 2097152');
  await database.run('INSERT INTO raws (n, content) VALUES (3, $1)', [STORED]);
});

describe('no signed address opens', () => {
  test.each<[name: string, asked: Asked, code: string]>([
    ['another message', { target: '/messages/msg_4/internal/20000/x' }, 'asset_forbidden'],
    ['with a wrong signature', { target: '/messages/msg_3/internal/20000/x' }, 'asset_forbidden'],
    ['a higher tier', { target: '' }, 'not_found'],
    ['an attachment', { id: 'att_3' }, 'asset_forbidden'],
    ['what is unknown', { id: 'msg_999' }, 'asset_forbidden'],
    ['a query', { target: '/messages/msg_3/internal/20000/x?y' }, 'not_found'],
    ['an id written otherwise', { id: 'msg_03' }, 'asset_forbidden'],
  ])('%s', async (_name, asked, code) => {
    expect(codeOf((await ask(asked)).bytes)).toBe(code);
  });

  test('a message above its tier', async () => {
    expect((await ask({ tier: 'external' })).status).toBe(403);
    expect((await ask({ tier: 'mirror' })).status).toBe(200);
  });

  test('a message one of whose files is above its tier', async () => {
    await sample.archive.database.run(`UPDATE attachments SET tier = 'mirror' WHERE n = 9`);
    expect(codeOf((await ask()).bytes)).toBe('asset_forbidden');
    expect((await ask({ tier: 'mirror' })).status).toBe(200);
  });

  test.each<[way: string, asked: Asked]>([
    ['get', {}],
    ['range', { headers: { range: 'bytes=0-3' } }],
    ['if-none-match', { headers: { 'if-none-match': `"${SHA}"` } }],
    ['mirror', { tier: 'mirror' }],
  ])('a message one of whose files was redacted since: %s', async (_way, asked) => {
    await sample.archive.database.run('UPDATE attachments SET redacted = 1 WHERE n = 9');
    const { status, bytes, headers } = await ask(asked);
    expect(status).toBe(403);
    expect(codeOf(bytes)).toBe('asset_redacted');
    expect(JSON.stringify(headers)).not.toContain(SHA);
  });
});
