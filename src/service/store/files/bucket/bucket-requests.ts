// Sends signed requests to a bucket, and sends them again where that may help.
import { hash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import type { Dispatcher } from 'undici';
import request from 'undici/lib/api/api-request.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { Fault } from '../../../../faults.ts';
import { DatabaseAccessError, type AccessErrorKind } from '../../sql/database-error.ts';
import type { FileHeaders } from '../blobs.ts';
import type { BucketCredentials, BucketPlace } from './bucket-address.ts';

/** What requests need of the outside world. */
export type BucketWorld = { sleep(ms: number): Promise<void>; randomBytes(count: number): Uint8Array };

/** A request. `key`: that of an object, without the prefix; absent, the request is about the bucket. */
export type BucketRequest = {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  key?: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array;
  /** The SHA-256 of the body, where it is known. With it the service checks what arrives. */
  sha256?: string;
  /** Statuses besides 2xx that the caller understands. */
  accepted?: readonly number[];
};

/** A response, whose body must be read or dumped. */
export type BucketResponse = {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Dispatcher.ResponseData['body'];
};

/** Requests to one bucket. */
export type BucketRequests = {
  readonly place: BucketPlace;
  /** Attempts so far: answered as expected, sent again, and given up. */
  readonly counts: Readonly<Record<'answered' | 'repeated' | 'failed', number>>;
  /** Returns a response of 2xx or of an accepted status. Its body must be read. Throws DatabaseAccessError. */
  send(request: BucketRequest): Promise<BucketResponse>;
  /** As `send`, with the whole body. Where that breaks off, the request is sent again. */
  askBytes(request: BucketRequest): Promise<Omit<BucketResponse, 'body'> & { bytes: Buffer }>;
  /** As `askBytes`, with the body as text. */
  ask(request: BucketRequest): Promise<Omit<BucketResponse, 'body'> & { text: string }>;
  /** Returns an address at which anyone can get an object for this many seconds, with these response headers. */
  presign(key: string, seconds: number, headers: FileHeaders): Promise<string>;
  /** Waits before the attempt with this number, from 1 on. Returns false where there is none. */
  waitBefore(attempt: number): Promise<boolean>;
};

/** Attempts of one request, and the waits between them: at most this long, doubled for each, at random, since others wait too. */
const MAX_ATTEMPTS = 6;
const FIRST_WAIT_MS = 200;
/** Until the head of the response. A body may be a part of a large file on a slow line. */
const HEAD_TIMEOUT_MS = 60_000;
/** Between two pieces of a body. */
const IDLE_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** A connection that is idle is used again for this long. */
const KEEP_ALIVE_MS = 4_000;

/** Codes of refusals after which the same request may succeed: the service was busy, or the body did not arrive as it was sent. */
const TEMPORARY = new Set([
  'SlowDown',
  'ServiceUnavailable',
  'InternalError',
  'RequestTimeout',
  'IncompleteBody',
  'BadDigest',
  'InvalidDigest',
  'XAmzContentSHA256Mismatch',
  'OperationAborted',
]);
const STALE_CREDENTIALS = new Set([
  'ExpiredToken',
  'InvalidToken',
  'InvalidAccessKeyId',
  'TokenRefreshRequired',
]);
const KIND_OF_CODE: Readonly<Record<string, AccessErrorKind>> = {
  NoSuchBucket: 'no_bucket',
  RequestTimeTooSkewed: 'bucket_clock',
  AuthorizationHeaderMalformed: 'bucket_region',
  PermanentRedirect: 'bucket_region',
  QuotaExceeded: 'full',
  // Another process took it for one that was left over.
  NoSuchUpload: 'bucket_busy',
};

/** Returns what sends requests to a bucket. */
export function bucketRequests(place: BucketPlace, world: BucketWorld): BucketRequests {
  const url = bucketUrl(place);
  const pool = new Pool(new URL(url).origin, {
    allowH2: false,
    headersTimeout: HEAD_TIMEOUT_MS,
    bodyTimeout: IDLE_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Without the second, NODE_TLS_REJECT_UNAUTHORIZED=0 would switch off the check of certificates.
    connect: { timeout: CONNECT_TIMEOUT_MS, rejectUnauthorized: true },
  });
  /** Keys for signatures are derived from the secret, once a day. */
  const signingKeys = new Map<string, ArrayBuffer>();
  const counts = { answered: 0, repeated: 0, failed: 0 };

  const waitBefore = async (attempt: number): Promise<boolean> => {
    if (attempt >= MAX_ATTEMPTS) return false;
    counts.repeated += 1;
    const share = world.randomBytes(1)[0]! / 256;
    await world.sleep(FIRST_WAIT_MS * 2 ** (attempt - 1) * (1 + share));
    return true;
  };

  const credentialsOf = (isRefused: boolean): Promise<BucketCredentials> =>
    place.credentials(isRefused).catch((error: unknown) => {
      if (!(error instanceof Fault) || error.kind !== 'network') throw error;
      throw new DatabaseAccessError('bucket_unreachable', 'no credentials', error);
    });

  const attempt = async (
    { method, key = '', query = {}, headers = {}, body, sha256 }: BucketRequest,
    isRefused: boolean,
  ): Promise<SignedResponse> => {
    const bodyHash = sha256 ?? hash('sha256', body ?? '');
    const credentials = await credentialsOf(isRefused);
    const target = new URL(url + (key === '' ? '' : `${place.prefix}${key}`));
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
    const signer = new AwsV4Signer({
      method,
      url: target.href,
      headers: { ...headers, 'x-amz-content-sha256': bodyHash },
      service: 's3',
      region: place.region,
      cache: signingKeys,
      ...credentials,
    });
    const signed = await signer.sign();
    try {
      const { statusCode, ...response } = await request.call(pool, {
        path: `${signed.url.pathname}${signed.url.search}`,
        method,
        headers: Object.fromEntries(signed.headers),
        ...(body === undefined ? {} : { body }),
      });
      const signedAt = signed.headers.get('x-amz-date') ?? '';
      return { status: statusCode, headers: response.headers, body: response.body, signedAt };
    } catch (error) {
      throw new NetworkError(error);
    }
  };

  const presign: BucketRequests['presign'] = async (key, seconds, { type, disposition }) => {
    const target = new URL(`${url}${place.prefix}${key}`);
    target.searchParams.set('X-Amz-Expires', String(seconds));
    target.searchParams.set('response-content-type', type);
    target.searchParams.set('response-content-disposition', disposition);
    const signer = new AwsV4Signer({
      method: 'GET',
      url: target.href,
      service: 's3',
      region: place.region,
      signQuery: true,
      cache: signingKeys,
      ...(await credentialsOf(false)),
    });
    const signed = await signer.sign();
    // Not every service reads a plus sign as a space.
    return signed.url.href.replaceAll('+', '%20');
  };

  const send = async (asked: BucketRequest): Promise<BucketResponse> => {
    try {
      const response = await sendUntilAnswered(asked);
      counts.answered += 1;
      return response;
    } catch (error) {
      counts.failed += 1;
      throw error;
    }
  };
  const sendUntilAnswered = async (asked: BucketRequest): Promise<BucketResponse> => {
    let wasRefused = false;
    for (let count = 1; ; count += 1) {
      let response: SignedResponse;
      try {
        response = await attempt(asked, wasRefused);
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error;
        if (await waitBefore(count)) continue;
        throw unreachable(error);
      }
      const { status } = response;
      if (isOk(response) || asked.accepted?.includes(status) === true) return response;
      const code = await refusalOf(response);
      // An answer to HEAD has no code. Credentials that expired are a 400.
      const isStale = code === undefined ? status === 403 || status === 400 : STALE_CREDENTIALS.has(code);
      if (isStale && !wasRefused) {
        wasRefused = true;
        continue;
      }
      const isTemporary = status >= 500 || status === 429 || status === 408 || TEMPORARY.has(code ?? '');
      if (isTemporary && (await waitBefore(count))) continue;
      const name = code ?? String(status);
      if (isTemporary) throw new DatabaseAccessError('bucket_busy', name, undefined);
      const { kind, detail } = refusalKind(response, code, place.region);
      throw new DatabaseAccessError(kind, name, undefined, detail);
    }
  };
  const askBytes: BucketRequests['askBytes'] = async (asked) => {
    for (let count = 1; ; count += 1) {
      const response = await send(asked);
      const { status, headers } = response;
      try {
        return { status, headers, bytes: await bytesOf(response, MAX_BODY_BYTES) };
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error;
        if (!(await waitBefore(count))) throw unreachable(error);
      }
    }
  };
  const ask: BucketRequests['ask'] = async (asked) => {
    const { bytes, ...response } = await askBytes(asked);
    return { ...response, text: bytes.toString() };
  };
  return { place, counts, send, askBytes, ask, presign, waitBefore };
}

/** Returns the URL that every key is appended to. */
function bucketUrl({ endpoint, bucket, isPathStyle }: BucketPlace): string {
  if (isPathStyle) return `${endpoint}/${bucket}/`;
  const { protocol, host, pathname } = new URL(endpoint);
  return `${protocol}//${bucket}.${host}${pathname.replace(/\/$/, '')}/`;
}

/** A response, and the time of this machine in its request: `20261127T141313Z`. */
type SignedResponse = BucketResponse & { signedAt: string };

/** S3 refuses requests whose time differs more from its own. */
const MAX_CLOCK_DIFFERENCE_MS = 15 * 60_000;

/** Returns what a refusal means. An answer to HEAD has no code, so headers are read too. `detail` is what they say. */
function refusalKind(
  { status, headers, signedAt }: SignedResponse,
  code: string | undefined,
  configured: string,
): { kind: AccessErrorKind; detail?: string } {
  const byCode = KIND_OF_CODE[code ?? ''] ?? kindOfStatus(status);
  const region = /^[a-z\d-]{1,40}$/.exec(String(headers['x-amz-bucket-region'] ?? ''))?.[0];
  // S3 names the region in refusals of any kind.
  const isAboutRegion = byCode === 'bucket_region' || (code === undefined && status === 400);
  if (isAboutRegion && region !== undefined && region !== configured)
    return { kind: 'bucket_region', detail: `region=${region}` };
  const sentMs = Date.parse(signedAt.replace(/^(.{4})(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  const aheadMs = sentMs - Date.parse(String(headers['date']));
  if (status !== 403 || !(Math.abs(aheadMs) > MAX_CLOCK_DIFFERENCE_MS)) return { kind: byCode };
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  return { kind: 'bucket_clock', detail: `it is ${minutes} minutes ${aheadMs > 0 ? 'ahead' : 'behind'}` };
}

function kindOfStatus(status: number): AccessErrorKind {
  if (status >= 300 && status < 400) return 'bucket_region';
  if (status === 401 || status === 403) return 'bucket_refused';
  return status === 404 ? 'no_bucket' : 'bucket_answer';
}

/** An error has a few hundred bytes. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** Returns the code of a refusal, `SlowDown`; undefined where it has none, as an answer to HEAD. */
async function refusalOf(response: BucketResponse): Promise<string | undefined> {
  const bytes = await bytesOf(response, MAX_REFUSAL_BYTES).catch(() => Buffer.alloc(0));
  return /<Code>([A-Za-z\d]{1,64})<\/Code>/.exec(bytes.toString())?.[1];
}

/** A page of a list has at most 1,000 keys, and a file that is read at once 1 MiB. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Returns a body. Throws DatabaseAccessError `bucket_answer` for a longer one. */
async function bytesOf(response: BucketResponse, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of bodyOf(response)) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new DatabaseAccessError('bucket_answer', 'too long', undefined);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

/** Yields the pieces of a body. Throws {@link NetworkError} where it breaks off, or none comes for long. */
export async function* bodyOf({ body }: BucketResponse): AsyncGenerator<Uint8Array> {
  try {
    // What the reader of this generator throws does not arrive here.
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    throw new NetworkError(error);
  }
}

/** Returns whether the status is 2xx. */
export function isOk({ status }: Pick<BucketResponse, 'status'>): boolean {
  return status >= 200 && status < 300;
}

/** The service was not reached, or the connection was lost. */
export class NetworkError extends Error {
  constructor(cause: unknown) {
    super('the service of the bucket was not reached', { cause });
  }
}

/** Returns the error for a request that was given up. It has the code of the system: `ECONNREFUSED`. */
export function unreachable({ cause }: NetworkError): DatabaseAccessError {
  const { code } = (cause ?? {}) as { code?: unknown };
  const name = typeof code === 'string' ? (TIMEOUTS.has(code) ? 'timeout' : code) : undefined;
  return new DatabaseAccessError('bucket_unreachable', name, cause);
}

const TIMEOUTS = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
