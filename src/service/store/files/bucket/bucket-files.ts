// Files in a bucket, under the SHA-256 of their content: `PREFIX/ab/cdef…`. An object exists only when it is whole.
import { createHash } from 'node:crypto';
import { createSemaphore } from '../../../../concurrency/semaphore.ts';
import { DatabaseAccessError } from '../../sql/database-error.ts';
import type { Blobs } from '../blobs.ts';
import { putRegularFile } from '../put-file.ts';
import type { BucketPlace } from './bucket-address.ts';
import {
  bodyOf,
  bucketRequests,
  isOk,
  NetworkError,
  unreachable,
  type BucketRequests,
  type BucketResponse,
  type BucketWorld,
} from './bucket-requests.ts';

/** Larger files are uploaded in parts of this size. S3 takes 10,000 parts of at least 5 MiB, and some servers only equal ones. */
const PART_BYTES = 8 * 1024 * 1024;
const MAX_PARTS = 10_000;
/** Parts of a file that are sent at the same time. Each is held in memory. */
const CONCURRENT_PARTS = 3;
/** Files that are uploaded from chunks at the same time; an import stores sixteen. So parts take at most 128 MiB. */
const CONCURRENT_UPLOADS = 4;

/** Opens the files of a bucket. */
export function openBucketFiles(place: BucketPlace, world: BucketWorld, option = '--blobs'): Blobs {
  const requests = bucketRequests(place, world);
  const { send, ask, askBytes } = requests;
  const uploads = createSemaphore(CONCURRENT_UPLOADS);
  const keyOf = (sha256: string): string => `${sha256.slice(0, 2)}/${sha256.slice(2)}`;

  const size = async (sha256: string): Promise<number | undefined> => {
    const response = await send({ method: 'HEAD', key: keyOf(sha256), accepted: [404] });
    await response.body.dump();
    return response.status === 404 ? undefined : lengthOf(response);
  };
  const isThere = (): Promise<boolean> =>
    ask({ method: 'HEAD' }).then(
      () => true,
      () => false,
    );
  const store = async (sha256: string, content: Uint8Array): Promise<void> => {
    await ask({ method: 'PUT', key: keyOf(sha256), body: content, sha256 });
  };
  /** Stores what `chunks` yields. Resolves to false, storing nothing, when it has another hash. */
  const putChunks = async (sha256: string, chunks: AsyncIterable<Uint8Array>): Promise<boolean> => {
    const release = await uploads.acquire();
    try {
      const hash = createHash('sha256');
      const pieces = piecesOf(chunks, hash);
      const { value: first = Buffer.alloc(0) } = await pieces.next();
      if (first.byteLength === PART_BYTES) {
        const isRight = (): boolean => hash.digest('hex') === sha256;
        return await uploadParts(requests, keyOf(sha256), { parts: withFirst(first, pieces), isRight });
      }
      // A hash of all: nothing follows a piece that is shorter.
      if (hash.digest('hex') !== sha256) return false;
      await store(sha256, first);
      return true;
    } finally {
      release();
    }
  };

  return {
    dir: undefined,
    requests: requests.counts,
    mark: {
      place: place.name,
      kind: 'bucket',
      option,
      isThere,
      async read(name) {
        const { status, text } = await ask({ method: 'GET', key: name, accepted: [404] });
        if (status === 404 && text.includes('<Code>NoSuchBucket</Code>'))
          throw new DatabaseAccessError('no_bucket', 'NoSuchBucket', undefined);
        return status === 404 ? undefined : text;
      },
      async write(name, text) {
        // 412 and 409: another process wrote it first. A service that does not know the header replaces what is there.
        const headers = { 'if-none-match': '*', 'content-type': 'application/json' };
        await ask({ method: 'PUT', key: name, body: Buffer.from(text), headers, accepted: [409, 412] });
      },
    },
    async names(begin) {
      const keys = await listKeys(requests, begin === '' ? '' : `${begin}/`);
      return keys.map((key) => key.replace('/', ''));
    },
    size,
    async readSmall(sha256, bytes) {
      // A byte more, so that a longer object is found.
      const headers = { range: `bytes=0-${bytes}` };
      const response = await askBytes({ method: 'GET', key: keyOf(sha256), headers, accepted: [404, 416] });
      if (!isOk(response)) return undefined;
      return { bytes: response.bytes, size: sizeOf(response) };
    },
    address: (sha256, seconds, headers) => requests.presign(keyOf(sha256), seconds, headers),
    read: (sha256, from = 0, to = Infinity) => readObject(requests, keyOf(sha256), from, to),
    async put(sha256, content) {
      if ((await size(sha256)) !== content.byteLength) await store(sha256, content);
    },
    putChunks,
    putFile: (sha256, path) => putRegularFile({ size, putChunks }, sha256, path),
    // Whether an object may be put is known only when one is.
    writable: isThere,
    removeUnfinished: (before) => abortUnfinished(requests, before).catch(() => undefined),
  };
}

/** Returns the size of the object of which a range was sent. */
function sizeOf({ headers }: Pick<BucketResponse, 'headers'>): number {
  const [, size] = /^bytes 0-\d{1,15}\/(\d{1,15})$/.exec(String(headers['content-range'])) ?? [];
  if (size === undefined) throw unexpected('other range');
  return Number(size);
}

function lengthOf({ headers }: BucketResponse): number {
  const length = Number(headers['content-length'] ?? Number.NaN);
  if (!Number.isSafeInteger(length) || length < 0) throw unexpected('no length');
  return length;
}

function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

function unexpected(what: string): DatabaseAccessError {
  return new DatabaseAccessError('bucket_answer', what, undefined);
}

/**
 * Yields bytes `from` to `to` of an object. Where the body breaks off, the rest is requested, of the same object. Throws an error
 * without a code where the object ends before `to`, is missing, or is replaced meanwhile.
 */
async function* readObject(
  { send, waitBefore }: BucketRequests,
  key: string,
  from: number,
  to: number,
): AsyncGenerator<Uint8Array> {
  let at = from;
  let tag: string | undefined;
  for (let attempt = 1; at <= to;) {
    // With a range, fetch asks for no compression.
    const range = `bytes=${at}-${to === Infinity ? '' : to}`;
    const response = await send({
      method: 'GET',
      key,
      headers: { range, ...(tag === undefined ? {} : { 'if-match': tag }) },
      accepted: [404, 412, 416],
    });
    if (!isOk(response)) {
      await response.body.dump();
      // An object without bytes has no range.
      if (response.status === 416 && to === Infinity) return;
      throw new Error(`the stored file ends at ${at}, or was replaced`);
    }
    const end = at + lengthOf(response) - 1;
    const found = String(response.headers['content-range']);
    if (!found.startsWith(`bytes ${at}-${end}/`)) {
      response.body.destroy();
      if (!(await waitBefore(attempt))) throw unexpected('other range');
      attempt += 1;
      continue;
    }
    tag = textOf(response.headers['etag']);
    try {
      for await (const chunk of bodyOf(response)) {
        at += chunk.byteLength;
        if (at > end + 1) throw unexpected('too long');
        attempt = 1;
        yield chunk;
      }
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      if (await waitBefore(attempt)) {
        attempt += 1;
        continue;
      }
      throw unreachable(error);
    }
    if (at <= end) {
      // The body ended early, and nobody said so.
      if (!(await waitBefore(attempt))) throw unexpected('too short');
      attempt += 1;
      continue;
    }
    if (to === Infinity) return;
    if (at <= to) throw new Error(`the stored file ends at ${at}`);
  }
}

/** Yields pieces of {@link PART_BYTES}, the last one shorter, and adds all to the hash. */
async function* piecesOf(
  chunks: AsyncIterable<Uint8Array>,
  hash: { update(bytes: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    for (let rest = chunk; rest.byteLength > 0;) {
      const piece = rest.subarray(0, PART_BYTES - bytes);
      rest = rest.subarray(piece.byteLength);
      // The source may use its memory again.
      held.push(Uint8Array.from(piece));
      bytes += piece.byteLength;
      if (bytes < PART_BYTES) continue;
      yield Buffer.concat(held);
      held = [];
      bytes = 0;
    }
  }
  if (bytes > 0) yield Buffer.concat(held);
}

async function* withFirst<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

/** Uploads an object in parts. Resolves to false, leaving none, where `isRight` does not hold for what was sent. */
async function uploadParts(
  { ask }: Pick<BucketRequests, 'ask'>,
  key: string,
  { parts, isRight }: { parts: AsyncIterable<Uint8Array>; isRight(): boolean },
): Promise<boolean> {
  const begun = await ask({ method: 'POST', key, query: { uploads: '' } });
  const uploadId = membersOf(begun.text, 'UploadId')[0];
  if (uploadId === undefined) throw unexpected('no upload');
  const abort = () => ask({ method: 'DELETE', key, query: { uploadId }, accepted: [404] });
  const tags: Promise<string>[] = [];
  const upload = async (number: number, body: Uint8Array): Promise<string> => {
    const query = { partNumber: String(number), uploadId };
    const { headers } = await ask({ method: 'PUT', key, query, body });
    const tag = textOf(headers['etag']);
    if (tag === undefined) throw unexpected('no tag');
    return tag;
  };
  try {
    for await (const part of parts) {
      if (tags.length === MAX_PARTS) throw unexpected('file too large');
      const sent = upload(tags.length + 1, part);
      // It is awaited below.
      sent.catch(() => undefined);
      tags.push(sent);
      await tags[tags.length - CONCURRENT_PARTS];
    }
    const sent = await Promise.all(tags);
    if (isRight()) {
      await completeUpload(ask, key, uploadId, sent);
      return true;
    }
  } catch (error) {
    await Promise.allSettled(tags);
    await abort().catch(() => undefined);
    throw error;
  }
  await abort();
  return false;
}

async function completeUpload(
  ask: BucketRequests['ask'],
  key: string,
  uploadId: string,
  tags: readonly string[],
): Promise<void> {
  const parts = tags.map(
    (tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`,
  );
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  const headers = { 'content-type': 'application/xml' };
  const { status, text } = await ask({
    method: 'POST',
    key,
    query: { uploadId },
    body,
    headers,
    accepted: [404],
  });
  // The status is sent before the parts are joined. 404: an attempt before this one succeeded, and its answer was lost.
  if (status !== 404 && text.includes('<CompleteMultipartUploadResult')) return;
  const total = await ask({ method: 'HEAD', key, accepted: [404] });
  if (total.status === 404) throw unexpected(membersOf(text, 'Code')[0] ?? 'upload not completed');
}

/** The key of a file, without the prefix of the place. Other programs may use the bucket, too. */
const FILE_KEY = /^[\da-f]{2}\/[\da-f]{62}$/;
/** S3 and the servers that follow it give no longer page. */
const MAX_PAGE_KEYS = 1_000;

/** Returns the keys of files that begin so, without the prefix of the place. */
async function listKeys({ ask, place }: BucketRequests, begin: string): Promise<string[]> {
  const keys: string[] = [];
  const tokens = new Set<string>();
  for (let token: string | undefined; ;) {
    const query = {
      'list-type': '2',
      prefix: place.prefix + begin,
      ...(token === undefined ? {} : { 'continuation-token': token }),
    };
    const { text } = await ask({ method: 'GET', query });
    if (!text.includes('<ListBucketResult')) throw unexpected('no list');
    const page = membersOf(text, 'Key');
    if (page.length > MAX_PAGE_KEYS) throw unexpected('too many keys');
    for (const found of page) {
      const key = ownKey(place, found);
      if (key?.startsWith(begin) === true) keys.push(key);
    }
    if (membersOf(text, 'IsTruncated')[0] !== 'true') return keys;
    const next = membersOf(text, 'NextContinuationToken')[0];
    if (next === undefined || tokens.has(next)) throw unexpected('no next page');
    tokens.add(next);
    token = next;
  }
}

/** Returns the key of a file without the prefix of the place; undefined for that of anything else. */
function ownKey({ prefix }: BucketPlace, found: string): string | undefined {
  const key = found.startsWith(prefix) ? found.slice(prefix.length) : '';
  return FILE_KEY.test(key) ? key : undefined;
}

/** Ends the uploads of files that began before this time: a killed process left them, and they cost as much as files. */
async function abortUnfinished({ ask, place }: BucketRequests, before: number): Promise<void> {
  const query = { uploads: '', prefix: place.prefix };
  const { text } = await ask({ method: 'GET', query });
  for (const upload of membersOf(text, 'Upload')) {
    const key = ownKey(place, membersOf(upload, 'Key')[0] ?? '');
    const [uploadId] = membersOf(upload, 'UploadId');
    const began = Date.parse(membersOf(upload, 'Initiated')[0] ?? '');
    if (uploadId === undefined || key === undefined || !(began < before)) continue;
    await ask({ method: 'DELETE', key, query: { uploadId }, accepted: [404] });
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Returns the contents of all elements with this name, which contain no element of the same name. */
function membersOf(xml: string, name: string): string[] {
  const found: string[] = [];
  for (const after of xml.split(`<${name}>`).slice(1)) {
    const end = after.indexOf(`</${name}>`);
    if (end >= 0)
      found.push(
        after.slice(0, end).replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, entity: string) => ENTITIES[entity]!),
      );
  }
  return found;
}

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
