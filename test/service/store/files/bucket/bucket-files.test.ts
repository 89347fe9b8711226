// Files in a bucket: whole or absent, however the service of the bucket fails.
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseBucketAddress } from '../../../../../src/service/store/files/bucket/bucket-address.ts';
import { openBucketFiles } from '../../../../../src/service/store/files/bucket/bucket-files.ts';
import type { Blobs } from '../../../../../src/service/store/files/blobs.ts';
import { serveBucket, type BucketFault, type BucketServer } from '../../../../support/bucket-server.ts';
import { tempFolder } from '../../../../support/temp-folder.ts';

const PART = 8 * 1024 * 1024;
let server: BucketServer;
let blobs: Blobs;
let waits: number[];
beforeEach(async () => {
  server = await serveBucket();
  blobs = openedFiles();
});
afterEach(() => server.close());

/** `credentials`: how they are read; `isRefused` says that the last ones were refused. */
function openedFiles(
  address = server.address(),
  credentials = async (_isRefused?: boolean) => server.credentials,
): Blobs {
  const place = parseBucketAddress(address, {});
  if (typeof place === 'string') throw new Error(place);
  waits = [];
  return openBucketFiles(
    { ...place, credentials },
    { sleep: async (ms) => void waits.push(ms), randomBytes: (count) => randomBytes(count) },
  );
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const keyOf = (sha256: string): string => `arx/files/${sha256.slice(0, 2)}/${sha256.slice(2)}`;
async function* chunksOf(bytes: Uint8Array, size = 100_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}
async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
/** The first requests that `isMeant` selects fail, one after the other, in these ways. */
function failing(isMeant: (method: string, key: string) => boolean, ...faults: readonly BucketFault[]): void {
  const left = [...faults];
  server.fault = ({ method, key }) => (isMeant(method, key) ? left.shift() : undefined);
}

describe.each([
  ['nothing', 0],
  ['a byte', 1],
  ['one part less a byte', PART - 1],
  ['one part', PART],
  ['parts and a rest', 2 * PART + 12_345],
])('%s', (_, size) => {
  const content = randomBytes(size);
  const sha256 = hashOf(content);

  test('is stored whole and read back, also in part', async () => {
    expect(await blobs.size(sha256)).toBeUndefined();
    expect(await blobs.putChunks(sha256, chunksOf(content))).toBe(true);
    expect(server.objects.get(keyOf(sha256))?.equals(content)).toBe(true);
    expect(server.uploads.size).toBe(0);
    expect(await blobs.size(sha256)).toBe(size);
    expect((await bytesOf(blobs.read(sha256))).equals(content)).toBe(true);
    for (const [from, to] of [
      [0, 0],
      [size - 1, size - 1],
      [Math.floor(size / 3), Math.floor(size / 2)],
    ] as const)
      if (size > 0)
        expect((await bytesOf(blobs.read(sha256, from, to))).equals(content.subarray(from, to + 1))).toBe(
          true,
        );
    expect(
      (await bytesOf(blobs.read(sha256, Math.floor(size / 2)))).equals(
        content.subarray(Math.floor(size / 2)),
      ),
    ).toBe(true);
    expect(await blobs.names(sha256.slice(0, 2))).toEqual([sha256]);
  });

  test('with another hash: nothing is stored', async () => {
    const other = hashOf(Buffer.from('other'));
    expect(await blobs.putChunks(other, chunksOf(content))).toBe(false);
    expect({ objects: server.objects.size, uploads: server.uploads.size }).toEqual({
      objects: 0,
      uploads: 0,
    });
  });

  test('of a file, once', async () => {
    const path = join(tempFolder('bucket'), 'file');
    writeFileSync(path, content);
    expect(await blobs.putFile(sha256, path)).toBe(true);
    expect(server.objects.get(keyOf(sha256))?.equals(content)).toBe(true);
    server.seen.length = 0;
    expect(await blobs.putFile(sha256, path)).toBe(true);
    await blobs.put(sha256, content);
    expect(server.seen.map(({ method }) => method)).toEqual(['HEAD', 'HEAD']);
  });
});

describe('failures that pass', () => {
  const content = randomBytes(300_000);
  const sha256 = hashOf(content);
  const large = randomBytes(PART + 5);

  test.each<[name: string, fault: BucketFault]>([
    ['503 SlowDown', { status: 503, code: 'SlowDown' }],
    ['500', { status: 500, code: 'InternalError' }],
    ['429', { status: 429, code: 'TooManyRequests' }],
    ['a body that arrives damaged', { status: 400, code: 'XAmzContentSHA256Mismatch' }],
  ])('%s, three times: the request is sent again, each time later', async (_, fault) => {
    failing((method) => method === 'PUT', fault, fault, fault);
    await blobs.put(sha256, content);
    expect(server.objects.get(keyOf(sha256))?.equals(content)).toBe(true);
    expect(waits).toHaveLength(3);
    for (const [at, ms] of waits.entries()) {
      expect(ms).toBeGreaterThanOrEqual(200 * 2 ** at);
      expect(ms).toBeLessThan(400 * 2 ** at);
    }
  });

  test('a body that breaks off again and again: the rest is requested', async () => {
    await blobs.put(sha256, content);
    failing(
      (method) => method === 'GET',
      { cutAfter: 100_000 },
      { cutAfter: 1 },
      { cutAfter: 50_000 },
      undefined,
    );
    expect((await bytesOf(blobs.read(sha256))).equals(content)).toBe(true);
    failing((method) => method === 'GET', { cutAfter: 20 }, { cutAfter: 30 });
    expect((await bytesOf(blobs.read(sha256, 7, 106))).equals(content.subarray(7, 107))).toBe(true);
  });

  test('a list that breaks off: it is requested again', async () => {
    await blobs.put(sha256, content);
    failing((_, key) => key === '', { cutAfter: 40 }, { cutAfter: 1 });
    expect(await blobs.names(sha256.slice(0, 2))).toEqual([sha256]);
    server.fault = ({ key }) => (key === '' ? { cutAfter: 40 } : undefined);
    await expect(blobs.names(sha256.slice(0, 2))).rejects.toThrow(
      'the bucket of the files cannot be reached',
    );
  });

  test('an object that is replaced while it is read: an error, and no mixture', async () => {
    await blobs.put(sha256, content);
    failing((method) => method === 'GET', { cutAfter: 1000 }, { replaced: randomBytes(300_000) });
    await expect(bytesOf(blobs.read(sha256))).rejects.toThrow('or was replaced');
  });

  test('of a part of a large file: it is sent again', async () => {
    failing((method, key) => method === 'PUT' && key !== '', { status: 503, code: 'SlowDown' });
    expect(await blobs.putChunks(hashOf(large), chunksOf(large))).toBe(true);
    expect(server.objects.get(keyOf(hashOf(large)))?.equals(large)).toBe(true);
  });

  test.each<[request: string, send: () => Promise<unknown>]>([
    ['HEAD', () => blobs.size(sha256)],
    ['GET of a file', () => bytesOf(blobs.read(sha256))],
    ['GET of a list', () => blobs.names('00')],
    ['PUT', () => blobs.put(hashOf(Buffer.from('other')), Buffer.from('other'))],
  ])('credentials that expired are read again, once: %s', async (_, send) => {
    await blobs.put(sha256, content);
    // A HEAD gets the same status as other requests, and no code.
    let kept = { ...server.credentials, sessionToken: 'expired' };
    const read: boolean[] = [];
    blobs = openedFiles(server.address(), async (isRefused = false) => {
      read.push(isRefused);
      if (isRefused) kept = server.credentials as typeof kept;
      return kept;
    });
    await send();
    expect(read.filter(Boolean)).toHaveLength(1);
    server.credentials = { ...server.credentials, sessionToken: 'of another one' };
    read.length = 0;
    blobs = openedFiles(server.address(), async (isRefused = false) => {
      read.push(isRefused);
      return kept;
    });
    await expect(send()).rejects.toThrow(/ExpiredToken|400/);
    expect(read).toEqual([false, true]);
  });
});

describe('failures that stay', () => {
  const content = Buffer.from('content');
  const sha256 = hashOf(content);
  const always = (fault: BucketFault): void => void (server.fault = () => fault);

  test.each<[name: string, fault: BucketFault, message: string]>([
    ['busy', { status: 503, code: 'SlowDown' }, 'busy or failing, after several attempts (SlowDown)'],
    [
      'refused',
      { status: 403, code: 'AccessDenied' },
      'refuses these credentials, or what they are used for (AccessDenied)',
    ],
    ['no bucket', { status: 404, code: 'NoSuchBucket' }, 'there is no such bucket (NoSuchBucket)'],
    ['another region', { status: 301, code: 'PermanentRedirect' }, 'in another region'],
    ['another clock', { status: 403, code: 'RequestTimeTooSkewed' }, 'the clock of this machine'],
    ['no space', { status: 403, code: 'QuotaExceeded' }, 'no space left'],
  ])('%s', async (_, fault, message) => {
    always(fault);
    // An answer to HEAD has no code.
    await expect(blobs.put(sha256, content)).rejects.toThrow();
    await expect(blobs.putChunks(sha256, chunksOf(content))).rejects.toThrow(message);
    await expect(blobs.names('00')).rejects.toThrow(message);
    await expect(bytesOf(blobs.read(sha256))).rejects.toThrow();
    expect(server.objects.size).toBe(0);
  });

  test('nobody listens', async () => {
    await server.close();
    await expect(blobs.size(sha256)).rejects.toThrow('cannot be reached (ECONNREFUSED)');
    expect(waits).toHaveLength(5);
    expect(await blobs.writable()).toBe(false);
    server = await serveBucket();
  });

  test('a wrong secret, and no word of it in the error', async () => {
    const { credentials } = server;
    blobs = openedFiles();
    server.credentials = { ...credentials, secretAccessKey: 'another' };
    const right = server.credentials;
    blobs = openBucketFiles(
      {
        ...(parseBucketAddress(server.address(), {}) as object),
        credentials: async () => credentials,
      } as never,
      { sleep: async () => {}, randomBytes: (count) => randomBytes(count) },
    );
    const error = (await blobs.names('00').catch((reason: unknown) => reason)) as Error;
    expect(error.message).toContain('SignatureDoesNotMatch');
    expect(JSON.stringify([error.message, error.stack])).not.toContain(credentials.secretAccessKey);
    expect(right.secretAccessKey).toBe('another');
  });

  test.each([
    '',
    '<html>login</html>',
    '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>',
  ])('a list that is none: %s', async (answer) => {
    always({ answer });
    await expect(blobs.names('00')).rejects.toThrow('answers what S3 does not');
  });

  test('a list whose pages lead back to each other', async () => {
    let page = 0;
    const key = `arx/files/00/${'0'.repeat(62)}`;
    server.fault = () => ({
      answer: `<ListBucketResult><Key>${key}</Key><IsTruncated>true</IsTruncated><NextContinuationToken>${(page += 1) % 3}</NextContinuationToken></ListBucketResult>`,
    });
    await expect(blobs.names('00')).rejects.toThrow('answers what S3 does not (no next page)');
    expect(page).toBeLessThan(10);
  });

  test('a page of more keys than a page has', async () => {
    const keys = Array.from(
      { length: 1_001 },
      (_, n) => `<Key>arx/files/00/${String(n).padStart(62, '0')}</Key>`,
    );
    always({
      answer: `<ListBucketResult>${keys.join('')}<IsTruncated>false</IsTruncated></ListBucketResult>`,
    });
    await expect(blobs.names('00')).rejects.toThrow('answers what S3 does not (too many keys)');
  });

  test('an upload that fails in the middle leaves nothing', async () => {
    const large = randomBytes(3 * PART);
    let parts = 0;
    server.fault = ({ method }) =>
      method === 'PUT' && ++parts > 1 ? { status: 403, code: 'AccessDenied' } : undefined;
    await expect(blobs.putChunks(hashOf(large), chunksOf(large))).rejects.toThrow('AccessDenied');
    expect({ objects: server.objects.size, uploads: server.uploads.size }).toEqual({
      objects: 0,
      uploads: 0,
    });
  });

  test('a source that fails in the middle leaves nothing', async () => {
    const large = randomBytes(2 * PART);
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield large;
      throw new Error('the source is gone');
    }
    await expect(blobs.putChunks(hashOf(large), broken())).rejects.toThrow('the source is gone');
    expect({ objects: server.objects.size, uploads: server.uploads.size }).toEqual({
      objects: 0,
      uploads: 0,
    });
  });

  test('a file that is missing or cut ends with an error without a code, as the other stores do', async () => {
    const missing = (await bytesOf(blobs.read(sha256)).catch((reason: unknown) => reason)) as {
      code?: unknown;
    };
    expect(missing).toBeInstanceOf(Error);
    expect(missing.code).toBeUndefined();
    server.objects.set(keyOf(sha256), content.subarray(0, 3));
    await expect(bytesOf(blobs.read(sha256, 0, 6))).rejects.toThrow('ends at 3');
  });
});

test('names are those of all pages of a list, and of files alone', async () => {
  const hashes = Array.from({ length: 25 }, (_, at) => `ab${String(at).padStart(62, '0')}`);
  for (const sha256 of hashes) server.objects.set(keyOf(sha256), Buffer.from('x'));
  for (const key of [
    'arx/files/ab/short',
    'arx/files/ab/a&b',
    'arx/files/ac/x',
    'ab/cd',
    `other/ab/${'0'.repeat(62)}`,
  ])
    server.objects.set(key, Buffer.from('x'));
  server.pageKeys = 7;
  expect(await blobs.names('ab')).toEqual(hashes);
  const other = `ff${'1'.repeat(62)}`;
  server.objects.set(keyOf(other), Buffer.from('x'));
  expect(await blobs.names('')).toEqual([...hashes, other]);
});

test('uploads that a killed process left are ended, no others', async () => {
  const began = new Date(1000);
  server.uploads.set('old', { key: keyOf('a'.repeat(64)), parts: new Map(), began });
  server.uploads.set('new', { key: keyOf('b'.repeat(64)), parts: new Map(), began: new Date(3000) });
  const others = {
    foreign: 'elsewhere/x',
    'of another program': 'arx/files/video.mp4',
    'a key that is a path': 'arx/files/../../other-bucket/x',
    'a key with a query': `${keyOf('c'.repeat(64))}?acl`,
    'no key': 'arx/files/',
  };
  for (const [id, key] of Object.entries(others)) server.uploads.set(id, { key, parts: new Map(), began });
  await blobs.removeUnfinished(2000);
  expect([...server.uploads.keys()].toSorted()).toEqual([...Object.keys(others), 'new'].toSorted());
  expect(server.seen.filter(({ method }) => method === 'DELETE').map(({ key }) => key)).toEqual([
    keyOf('a'.repeat(64)),
  ]);
});

test('an address of a file opens it for anyone, with the headers that were asked for, until it expires', async () => {
  const content = Buffer.from('content');
  const sha256 = hashOf(content);
  server.credentials = { ...server.credentials, sessionToken: 'a/token+=' };
  await blobs.put(sha256, content);
  const type = 'text/plain';
  const disposition = `attachment; filename="a b.txt"; filename*=UTF-8''a%20b.txt`;
  const address = await blobs.address!(sha256, 60, { type, disposition });
  expect(address).not.toContain(server.credentials.secretAccessKey);
  expect(new URL(address).searchParams.get('X-Amz-Expires')).toBe('60');
  const found = await fetch(address, { headers: { range: 'bytes=1-3' } });
  expect([found.status, await found.text()]).toEqual([206, 'ont']);
  expect(found.headers.get('content-type')).toBe(type);
  expect(found.headers.get('content-disposition')).toBe(disposition);
  expect((await fetch(address.replace('a%20b', 'c'))).status).toBe(403);
  expect((await fetch(await blobs.address!(sha256, 0, { type, disposition }))).status).toBe(403);
});

test('a mark is never written over another', async () => {
  expect(await blobs.mark!.read('mark.json')).toBeUndefined();
  await blobs.mark!.write('mark.json', 'one');
  await blobs.mark!.write('mark.json', 'two');
  expect(await blobs.mark!.read('mark.json')).toBe('one');
});

describe('addresses', () => {
  test.each([
    [
      's3://bucket',
      { bucket: 'bucket', prefix: '', endpoint: 'https://s3.us-east-1.amazonaws.com', isPathStyle: false },
    ],
    ['s3://bucket/', { prefix: '' }],
    ['s3://bucket/a/b/', { prefix: 'a/b/', name: 's3://bucket/a/b' }],
    ['s3://my.bucket/a', { isPathStyle: true }],
    ['s3://bucket?region=eu-west-3', { endpoint: 'https://s3.eu-west-3.amazonaws.com', region: 'eu-west-3' }],
    ['s3://bucket?endpoint=http://127.0.0.1:9000/', { endpoint: 'http://127.0.0.1:9000', isPathStyle: true }],
    ['s3://bucket?endpoint=http://10.1.2.3:9000', { endpoint: 'http://10.1.2.3:9000' }],
    ['s3://bucket?endpoint=http://[fd00::7]:9000', { endpoint: 'http://[fd00::7]:9000' }],
    ['s3://bucket?endpoint=http://minio:9000', { endpoint: 'http://minio:9000' }],
    ['s3://bucket?endpoint=http://s3.example&insecure-http=yes', { endpoint: 'http://s3.example' }],
    ['s3://bucket?endpoint=https://s3.example&path-style=no', { isPathStyle: false }],
  ])('%s', (text, expected) => {
    expect(parseBucketAddress(text, {})).toMatchObject(expected);
  });

  test.each([
    ['s3:bucket', 'names no bucket'],
    ['s3://', 'names no bucket'],
    ['s3://Bucket', 'names no bucket'],
    ['s3://b', 'names no bucket'],
    ['s3://bucket/a b', 'a prefix has'],
    ['s3://bucket/../x', 'a prefix has'],
    ['s3://bucket/a%2Fb', 'a prefix has'],
    ['s3://bucket?acl=public', '"acl" is none of'],
    ['s3://bucket?region=a&region=b', '"region" is none of'],
    ['s3://bucket?region=a/b', 'the region is none'],
    ['s3://bucket?path-style=true', 'are yes or no'],
    ['s3://bucket?insecure-http=1', 'are yes or no'],
    ['s3://bucket?endpoint=http://s3.example', 'plain http would carry files over the internet'],
    ['s3://bucket?endpoint=http://11.0.0.1', 'plain http'],
    ['s3://bucket?endpoint=http://169.254.169.254', 'plain http'],
    ['s3://bucket?endpoint=http://[2001:db8::1]', 'plain http'],
    ['s3://bucket?endpoint=ftp://x', 'the endpoint is http'],
    ['s3://bucket?endpoint=https://u:p@x', 'the endpoint is http'],
    ['s3://bucket#x', 'names no bucket'],
  ])('%s: refused', (text, message) => {
    expect(parseBucketAddress(text, {})).toContain(message);
  });

  test('settings apply where the address says nothing', () => {
    const defaults = { endpoint: 'https://s3.example', region: 'nl-1' };
    expect(parseBucketAddress('s3://bucket', defaults)).toMatchObject({ ...defaults, isPathStyle: true });
    expect(parseBucketAddress('s3://bucket?region=fr-1', defaults)).toMatchObject({ region: 'fr-1' });
  });
});

describe('what is wrong is known from headers too: an answer to HEAD has no code', () => {
  const sha256 = 'ab'.repeat(32);
  /** The error of a request without a code, HEAD, and of one with it. */
  async function errors(fault: BucketFault): Promise<string[]> {
    server.fault = () => fault;
    const failed = [blobs.size(sha256), bytesOf(blobs.read(sha256))].map((read) =>
      read.then(
        () => 'none',
        (error: unknown) => String(error),
      ),
    );
    return Promise.all(failed);
  }
  const date = (differenceMs: number) => new Date(Date.now() + differenceMs).toUTCString();
  const HOUR_MS = 3_600_000;

  test.each([
    ['an hour ahead', HOUR_MS, 'is 60 minutes behind'],
    ['an hour behind', -HOUR_MS, 'is 60 minutes ahead'],
  ])('a service whose clock is %s', async (_, differenceMs, said) => {
    const fault = { status: 403, code: 'RequestTimeTooSkewed', headers: { date: date(differenceMs) } };
    for (const error of await errors(fault)) {
      expect(error).toContain('the clock of this machine differs too much');
      expect(error).toContain(`: it ${said}`);
    }
  });

  test('a clock that differs a little is not blamed for refused credentials', async () => {
    const headers = { date: date(10 * 60_000) };
    for (const error of await errors({ status: 403, code: 'AccessDenied', headers }))
      expect(error).toContain('refuses these credentials');
  });

  test.each([
    [301, 'PermanentRedirect'],
    [307, 'TemporaryRedirect'],
    [400, 'AuthorizationHeaderMalformed'],
  ])('a bucket in another region: %i %s', async (status, code) => {
    const headers = { 'x-amz-bucket-region': 'eu-central-1', location: 'http://127.0.0.1:1/' };
    for (const error of await errors({ status, code, headers })) {
      expect(error).toContain('the bucket is in another region');
      expect(error).toContain(': region=eu-central-1');
    }
    // What is no name of a region is not repeated.
    const strange = { 'x-amz-bucket-region': 'a b\u0007' };
    for (const error of await errors({ status: 301, code, headers: strange }))
      expect(error).not.toContain('a b');
  });

  test('a bucket in another region: an answer to HEAD alone', async () => {
    const headers = { 'x-amz-bucket-region': 'eu-central-1' };
    const [head, withCode] = await errors({ status: 400, code: 'InvalidRequest', headers });
    expect(head).toContain(': region=eu-central-1');
    expect(withCode).not.toContain('region');
  });

  test.each(['ExpiredToken', 'InvalidRequest', 'EntityTooLarge'])(
    'a refusal that names the region which is configured: %s',
    async (code) => {
      const headers = { 'x-amz-bucket-region': 'eu-test-1' };
      for (const error of await errors({ status: 400, code, headers })) expect(error).not.toContain('region');
    },
  );
});
