import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ErrorBody } from '../../../src/contract/error.ts';
import type { Tier } from '../../../src/contract/tier.ts';
import { createAssetService } from '../../../src/service/handlers/assets.ts';
import { attachmentDisposition, servedType } from '../../../src/service/handlers/content-disposition.ts';
import { openArchive, type OpenArchive } from '../../../src/service/index.ts';
import { parseByteRange } from '../../../src/service/rules/byte-range.ts';
import { filePath, lastDayOf } from '../../../src/service/rules/signed-path.ts';
import { blobPath } from '../../../src/service/store/files/blobs.ts';
import { fileKey } from '../../../src/service/store/meta-table/file-key.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { sha256Of } from '../../support/digest.ts';

const CONTENT = Buffer.from('0123456789abcdef');
const SHA = sha256Of(CONTENT);
const ETAG = `"${SHA}"`;

const NOW = 1_700_000_000_000;
const lastDay = lastDayOf(NOW);

let now = NOW;
let dir: string;
let archive: OpenArchive;

beforeAll(async () => {
  dir = tempFolder('assets');
  archive = await openArchive({ sleep, dir, now: () => now, randomBytes });
  await archive.blobs.put(SHA, CONTENT);
  const rows: [filename: string, type: string, stored: number, redacted: number, tier: Tier][] = [
    ['plain.txt', 'text/plain', 1, 0, 'external'],
    ['secret.txt', 'text/plain', 1, 1, 'external'],
    ['inner.txt', 'text/plain', 1, 0, 'internal'],
    ['gone.txt', 'text/plain', 0, 0, 'external'],
    ['page.html', 'text/html', 1, 0, 'external'],
  ];
  for (const [index, [filename, type, stored, redacted, tier]] of rows.entries()) {
    await archive.database.run(
      `INSERT INTO attachments (n, message, part, filename, sha256, bytes, declared_type, stored, redacted,
        decorative_layer, first_visible, source, tier) VALUES ($1, 1, $1, $2, $3, 16, $4, $5, $6, 0, 1, 'local', $7)`,
      [index + 1, filename, SHA, type, stored, redacted, tier],
    );
  }
});
afterAll(async () => {
  await archive.close();
});

async function bytesOf(body: string | Uint8Array | AsyncIterable<Uint8Array>): Promise<string> {
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body).toString();
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function ask(
  n: number | string,
  {
    tier = 'internal',
    headers = {},
    method = 'GET',
    sha256 = SHA,
    maxTier = 'mirror',
  }: { tier?: Tier; headers?: object; method?: string; sha256?: string; maxTier?: Tier } = {},
) {
  const target =
    typeof n === 'string' ? n : filePath(await fileKey(archive), { id: `att_${n}`, sha256, tier, lastDay });
  const response = await createAssetService(archive, { maxTier })({
    method,
    target,
    headers: Object.entries(headers) as [string, string][],
    body: null,
    peer: 'test',
  });
  return { ...response, text: await bytesOf(response.body) };
}

const error = (text: string) => ErrorBody.parse(JSON.parse(text)).error;

test('a whole file with its hash and headers that stop a browser from running it', async () => {
  const { status, headers, text } = await ask(1);
  expect(status).toBe(200);
  expect(text).toBe('0123456789abcdef');
  expect(headers).toMatchObject({
    etag: ETAG,
    'accept-ranges': 'bytes',
    'content-length': '16',
    'content-type': 'text/plain',
    'content-disposition': `attachment; filename="plain.txt"; filename*=UTF-8''plain.txt`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'repr-digest': `sha-256=:${createHash('sha256').update(CONTENT).digest('base64')}:`,
    'cache-control': 'private, no-cache',
    date: 'Tue, 14 Nov 2023 22:13:20 GMT',
  });
  expect(headers['x-request-id']).toMatch(/^req_[0-9a-f]{24}$/);
  expect((await ask(5)).headers['content-type']).toBe('application/octet-stream');
});

test('HEAD has the same headers without the body, and ignores Range', async () => {
  const got = await ask(1);
  const head = await ask(1, { method: 'HEAD', headers: { range: 'bytes=0-1' } });
  expect(head.text).toBe('');
  expect({ ...head.headers, 'x-request-id': '' }).toEqual({ ...got.headers, 'x-request-id': '' });
});

describe('redacted bytes are never sent', () => {
  const ways = {
    get: {},
    head: { method: 'HEAD' },
    range: { headers: { range: 'bytes=0-3' } },
    'if-range': { headers: { range: 'bytes=0-3', 'if-range': ETAG } },
    'if-none-match': { headers: { 'if-none-match': ETAG } },
    mirror: { tier: 'mirror' },
  } as const;
  test.each(Object.keys(ways) as (keyof typeof ways)[])('%s', async (way) => {
    const { status, headers, text } = await ask(2, ways[way]);
    expect(status).toBe(403);
    expect(JSON.stringify(headers)).not.toContain(SHA);
    if (way === 'head') expect(text).toBe('');
    else expect(error(text).code).toBe('asset_redacted');
  });
  test.each(Object.keys(ways) as (keyof typeof ways)[])(
    'N5 without its address it answers as a file that does not exist: %s',
    async (way) => {
      const answerTo = async (n: number, name: string) => {
        const { headers, status, text } = await ask(name, ways[way]);
        const plain = text.replace(/req_[0-9a-f]{24}/, '').replaceAll(`att_${n}`, '');
        return { status, text: plain, headers: { ...headers, 'x-request-id': '' } };
      };
      // Guessed, by hash, cut, and signed for another file.
      const signed = filePath(await fileKey(archive), { id: 'att_1', sha256: SHA, tier: 'mirror', lastDay });
      const [, signature] = /([^/]+)$/.exec(signed)!;
      for (const rest of [
        `internal/${lastDay}/x`,
        `mirror/${lastDay}/${signature}`,
        SHA,
        `internal/${lastDay}`,
        '',
      ])
        expect(await answerTo(2, `/files/att_2/${rest}`)).toEqual(
          await answerTo(999, `/files/att_999/${rest}`),
        );
      expect((await answerTo(2, `/files/att_2/mirror/${lastDay}/${signature}`)).status).toBe(403);
    },
  );

  test('with a signature that is wrong', async () => {
    expect(error((await ask(`/files/att_2/internal/20000/x`)).text).code).toBe('asset_forbidden');
  });
});

test.each<[string, number | string, { tier?: Tier; method?: string }, number, string]>([
  ['N6 the tier of the address is too low', 3, { tier: 'external' }, 403, 'asset_forbidden'],
  ['bytes not held', 4, {}, 404, 'not_found'],
  ['unknown id', 99, {}, 403, 'asset_forbidden'],
  ['no such tier', '/files/att_1/owner/20000/abc', {}, 403, 'asset_forbidden'],
  ['wrong signature', '/files/att_1/internal/20000/abc', {}, 403, 'asset_forbidden'],
  ['odd id', '/files/att_01/internal/20000/abc', {}, 403, 'asset_forbidden'],
  ['dots', '/files/../internal/20000/abc', {}, 403, 'asset_forbidden'],
  ['without a day', '/files/att_1/internal/abc', {}, 404, 'not_found'],
  ['more path', '/files/att_1/internal/20000/abc/d', {}, 404, 'not_found'],
  ['root', '/', {}, 404, 'not_found'],
  ['POST', 1, { method: 'POST' }, 405, 'method_not_allowed'],
  ['TRACE', 1, { method: 'TRACE' }, 405, 'method_not_allowed'],
])('%s', async (_, target, options, status, code) => {
  const answer = await ask(target, options);
  expect(answer.status).toBe(status);
  const body = error(answer.text);
  expect(body.code).toBe(code);
  expect(body.request_id).toBe(answer.headers['x-request-id']);
  expect(body.integrity).toBeGreaterThanOrEqual(0);
});

test('a signature opens one file for one tier', async () => {
  const path = filePath(await fileKey(archive), {
    id: 'att_1',
    sha256: SHA,
    tier: 'external',
    lastDay,
  });
  expect((await ask(path)).status).toBe(200);
  expect((await ask(path.replace('external', 'internal'))).status).toBe(403);
  expect((await ask(path.replace('att_1', 'att_3'))).status).toBe(403);
  expect((await ask(`${path}?x=1`)).status).toBe(404);
});

test.each<[string, object, number, string, string | undefined]>([
  ['first bytes', { range: 'bytes=0-3' }, 206, '0123', 'bytes 0-3/16'],
  ['to the end', { range: 'bytes=10-' }, 206, 'abcdef', 'bytes 10-15/16'],
  ['over the end', { range: 'bytes=14-99' }, 206, 'ef', 'bytes 14-15/16'],
  ['suffix', { range: 'bytes=-4' }, 206, 'cdef', 'bytes 12-15/16'],
  ['long suffix', { range: 'bytes=-99' }, 206, '0123456789abcdef', 'bytes 0-15/16'],
  ['same file', { range: 'bytes=4-5', 'if-range': ETAG }, 206, '45', 'bytes 4-5/16'],
  ['other file', { range: 'bytes=4-5', 'if-range': '"x"' }, 200, '0123456789abcdef', undefined],
  ['weak tag', { range: 'bytes=4-5', 'if-range': `W/${ETAG}` }, 200, '0123456789abcdef', undefined],
  [
    'date',
    { range: 'bytes=4-5', 'if-range': 'Tue, 14 Nov 2023 22:13:20 GMT' },
    200,
    '0123456789abcdef',
    undefined,
  ],
  ['two ranges', { range: 'bytes=0-1,4-5' }, 200, '0123456789abcdef', undefined],
  ['known', { 'if-none-match': ETAG }, 304, '', undefined],
  ['known among others', { 'if-none-match': `"a", W/${ETAG}`, range: 'bytes=0-1' }, 304, '', undefined],
  ['any', { 'if-none-match': '*' }, 304, '', undefined],
  ['not known', { 'if-none-match': '"a"' }, 200, '0123456789abcdef', undefined],
])('range and conditions: %s', async (_, headers, status, text, range) => {
  const answer = await ask(1, { headers });
  expect([answer.status, answer.text, answer.headers['content-range']]).toEqual([status, text, range]);
  if (status !== 304) expect(answer.headers['content-length']).toBe(String(text.length));
});

test.each(['bytes=16-', 'bytes=99-100', 'bytes=-0', `bytes=${'0-1,'.repeat(1000)}2-3`])(
  'Q8 416 with the size: %.30s',
  async (range) => {
    const answer = await ask(1, { headers: { range } });
    expect(answer.status).toBe(416);
    expect(answer.headers['content-range']).toBe('bytes */16');
    expect(error(answer.text).code).toBe('range_not_satisfiable');
  },
);

test('any Range header gives a range within the file, the whole file or 416', () => {
  const text = fc.oneof(
    fc.string(),
    fc.stringMatching(/^bytes=[0-9]{0,4}-[0-9]{0,4}(,[0-9]{0,2}-[0-9]{0,2}){0,3}$/),
  );
  fc.assert(
    fc.property(text, fc.nat(2000), (header, size) => {
      const range = parseByteRange(header, size);
      if (typeof range === 'string') return;
      expect(range.from).toBeGreaterThanOrEqual(0);
      expect(range.to).toBeGreaterThanOrEqual(range.from);
      expect(range.to).toBeLessThan(size);
    }),
  );
});

describe('Q7 names and types', () => {
  test.each([
    ['a.txt', `attachment; filename="a.txt"; filename*=UTF-8''a.txt`],
    ['a"b\\c;%.txt', `attachment; filename="a_b_c__.txt"; filename*=UTF-8''a%22b_c%3B%25.txt`],
    ['é.txt', `attachment; filename="_.txt"; filename*=UTF-8''%C3%A9.txt`],
    ['a\r\nset-cookie: x', `attachment; filename="a__set-cookie: x"; filename*=UTF-8''a__set-cookie%3A%20x`],
    ['../../etc/passwd', `attachment; filename=".._.._etc_passwd"; filename*=UTF-8''.._.._etc_passwd`],
    ['', `attachment; filename="file"; filename*=UTF-8''file`],
  ])('%j', (name, header) => {
    expect(attachmentDisposition(name)).toBe(header);
  });
  test('any name is a safe header value', () => {
    const units = fc.uint16Array({ maxLength: 220 }).map((codes) => String.fromCharCode(...codes));
    fc.assert(
      fc.property(units, (name) => {
        expect(attachmentDisposition(name)).toMatch(
          /^attachment; filename="[ !#$&-:<-[\]-~]+"; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]+$/,
        );
      }),
      { numRuns: 50 },
    );
  });
  test.each([
    ['image/png', 'image/png'],
    ['text/html', 'application/octet-stream'],
    ['TEXT/HTML', 'application/octet-stream'],
    ['image/svg+xml', 'application/octet-stream'],
    ['text/javascript', 'application/octet-stream'],
    ['multipart/mixed', 'application/octet-stream'],
    ['text/plain\r\nx: y', 'application/octet-stream'],
    ['nonsense', 'application/octet-stream'],
    [
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
    ['application/x-ecmascript', 'application/octet-stream'],
    ['application/xhtml+xml', 'application/octet-stream'],
  ])('%j is served as %s', (declared, served) => {
    expect(servedType(declared)).toBe(served);
  });
});

describe('an address falls', () => {
  test('at the end of its last day', async () => {
    now = (lastDay + 1) * 86_400_000 - 1;
    expect((await ask(1)).status).toBe(200);
    now += 1;
    const { status, text } = await ask(1);
    expect(status).toBe(403);
    expect(error(text)).toMatchObject({
      code: 'asset_forbidden',
      message: expect.stringContaining('expired'),
    });
    now = NOW;
  });

  test('when the service lowers its ceiling', async () => {
    expect((await ask(1, { tier: 'internal', maxTier: 'internal' })).status).toBe(200);
    expect(error((await ask(1, { tier: 'internal', maxTier: 'external' })).text).code).toBe(
      'asset_forbidden',
    );
  });
});

describe('Q9 a stored file that is not the one of import is never sent', () => {
  const LARGE = Buffer.alloc(3 * 1024 * 1024, 'abc');
  const path = () => blobPath(archive.blobs.dir!, SHA);
  const largePath = () => blobPath(archive.blobs.dir!, sha256Of(LARGE));
  const codeOf = async (options: Parameters<typeof ask>[1] = {}) => {
    const { status, text } = await ask(1, options);
    return { status, code: error(text).code };
  };

  beforeAll(async () => {
    await archive.blobs.put(sha256Of(LARGE), LARGE);
    await archive.database.run(
      `INSERT INTO attachments (n, message, part, filename, sha256, bytes, declared_type, stored, redacted,
        decorative_layer, first_visible, source, tier)
        VALUES (6, 1, 6, 'large.bin', $1, $2, 'text/plain', 1, 0, 0, 1, 'local', 'external')`,
      [sha256Of(LARGE), LARGE.length],
    );
  });
  afterEach(() => {
    for (const [at, bytes] of [
      [path(), CONTENT],
      [largePath(), LARGE],
    ] as const) {
      rmSync(at, { force: true, recursive: true });
      writeFileSync(at, bytes);
    }
  });

  test.each<[name: string, spoil: (at: string) => void]>([
    ['truncated', (at) => writeFileSync(at, CONTENT.subarray(1))],
    ['longer', (at) => writeFileSync(at, Buffer.concat([CONTENT, CONTENT]))],
    ['replaced by bytes of the same size', (at) => writeFileSync(at, Buffer.alloc(CONTENT.length))],
    ['missing', (at) => rmSync(at)],
    ['a folder', (at) => (rmSync(at), mkdirSync(at))],
    ['a pipe', (at) => (rmSync(at), execFileSync('mkfifo', [at]))],
    [
      'a symlink to the same bytes',
      (at) => {
        writeFileSync(`${at}.elsewhere`, CONTENT);
        rmSync(at);
        symlinkSync(`${at}.elsewhere`, at);
      },
    ],
  ])('%s', async (_name, spoil) => {
    spoil(path());
    for (const headers of [{}, { range: 'bytes=0-3' }]) {
      expect(await codeOf({ headers })).toEqual({ status: 500, code: 'asset_damaged' });
    }
    expect((await ask(1, { method: 'HEAD' })).status).toBe(500);
  });

  test('a large file of another size', async () => {
    writeFileSync(largePath(), LARGE.subarray(1));
    const { status, text } = await ask(6, { sha256: sha256Of(LARGE) });
    expect({ status, code: error(text).code }).toEqual({ status: 500, code: 'asset_damaged' });
  });

  test('a large file with one changed byte: the body ends with an error before its last bytes', async () => {
    const changed = Buffer.from(LARGE);
    changed[5] = 0;
    writeFileSync(largePath(), changed);
    await expect(ask(6, { sha256: sha256Of(LARGE) })).rejects.toThrow('another hash');
    writeFileSync(largePath(), LARGE);
    expect((await ask(6, { sha256: sha256Of(LARGE) })).text).toBe(LARGE.toString());
  });

  test('a file that became a pipe or a link while it was imported is not waited for', async () => {
    const pipe = join(dir, 'pipe');
    execFileSync('mkfifo', [pipe]);
    symlinkSync(pipe, join(dir, 'to-pipe'));
    symlinkSync('/dev/zero', join(dir, 'to-zero'));
    for (const name of ['pipe', 'to-pipe', 'to-zero'])
      expect(await archive.blobs.putFile(sha256Of('other'), join(dir, name))).toBe(false);
  });

  test('an import of the same bytes repairs a link and a truncated file', async () => {
    writeFileSync(path(), CONTENT.subarray(1));
    const source = join(dir, 'source');
    writeFileSync(source, CONTENT);
    expect(await archive.blobs.putFile(SHA, source)).toBe(true);
    expect((await ask(1)).status).toBe(200);
    rmSync(path());
    symlinkSync(source, path());
    await archive.blobs.put(SHA, CONTENT);
    expect((await ask(1)).status).toBe(200);
  });
});

test('a response says whether its bytes come from a bucket', async () => {
  const { blobs } = archive;
  const target = filePath(await fileKey(archive), { id: 'att_1', sha256: SHA, tier: 'internal', lastDay });
  const request = { method: 'GET', target, headers: [], body: null, peer: 'test' };
  const inBucket = { ...archive, blobs: { ...blobs, mark: { ...blobs.mark!, kind: 'bucket' as const } } };
  expect(await createAssetService(inBucket)(request)).toMatchObject({ status: 200, isRemote: true });
  expect(await createAssetService(archive)(request)).toMatchObject({ status: 200, isRemote: false });
});
