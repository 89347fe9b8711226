// Sends signed requests to a bucket, and sends them again where that may help.
import { hash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { DatabaseAccessError, type AccessErrorKind } from '../../sql/database-error.ts';
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

/** Requests to one bucket. */
export type BucketRequests = {
  readonly place: BucketPlace;
  /** Attempts so far: answered as expected, sent again, and given up. */
  readonly counts: Readonly<Record<'answered' | 'repeated' | 'failed', number>>;
  /** Returns a response of 2xx or of an accepted status. Its body must be read. Throws DatabaseAccessError. */
  send(request: BucketRequest): Promise<Response>;
  /** As `send`, with the body as text. Where that breaks off, the request is sent again. */
  ask(request: BucketRequest): Promise<{ status: number; headers: Headers; text: string }>;
  /** Waits before the attempt with this number, from 1 on. Returns false where there is none. */
  waitBefore(attempt: number): Promise<boolean>;
};

/** Attempts of one request, and the waits between them: at most this long, doubled for each, at random, since others wait too. */
const MAX_ATTEMPTS = 6;
const FIRST_WAIT_MS = 200;
/** Until the head of the response. A body may be a part of a large file on a slow line. */
export const HEAD_TIMEOUT_MS = 60_000;

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
};

/** Returns what sends requests to a bucket. */
export function bucketRequests(place: BucketPlace, world: BucketWorld): BucketRequests {
  let known: BucketCredentials | undefined;
  const url = bucketUrl(place);
  const counts = { answered: 0, repeated: 0, failed: 0 };

  const waitBefore = async (attempt: number): Promise<boolean> => {
    if (attempt >= MAX_ATTEMPTS) return false;
    counts.repeated += 1;
    const share = world.randomBytes(1)[0]! / 256;
    await world.sleep(FIRST_WAIT_MS * 2 ** (attempt - 1) * (1 + share));
    return true;
  };

  const attempt = async ({ method, key = '', query = {}, headers = {}, body, sha256 }: BucketRequest) => {
    const bodyHash = sha256 ?? hash('sha256', body ?? '');
    known ??= await place.credentials();
    const target = new URL(url + (key === '' ? '' : `${place.prefix}${key}`));
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
    const signer = new AwsV4Signer({
      method,
      url: target.href,
      headers: { ...headers, 'x-amz-content-sha256': bodyHash },
      service: 's3',
      region: place.region,
      ...known,
    });
    const signed = await signer.sign();
    const timeout = new AbortController();
    const stop = AbortSignal.timeout(HEAD_TIMEOUT_MS);
    const abort = (): void => timeout.abort(stop.reason);
    stop.addEventListener('abort', abort);
    try {
      return await fetch(signed.url, {
        method,
        headers: signed.headers,
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        signal: timeout.signal,
      });
    } finally {
      // The body of the response may take longer.
      stop.removeEventListener('abort', abort);
    }
  };

  const send = async (request: BucketRequest): Promise<Response> => {
    try {
      const response = await sendUntilAnswered(request);
      counts.answered += 1;
      return response;
    } catch (error) {
      counts.failed += 1;
      throw error;
    }
  };
  const sendUntilAnswered = async (request: BucketRequest): Promise<Response> => {
    let wasRefused = false;
    for (let count = 1; ; count += 1) {
      let response: Response;
      try {
        response = await attempt(request);
      } catch (error) {
        if (!isNetworkError(error)) throw error;
        if (await waitBefore(count)) continue;
        throw new DatabaseAccessError('bucket_unreachable', networkCode(error), error);
      }
      const { status } = response;
      if (response.ok || request.accepted?.includes(status) === true) return response;
      const code = await refusalOf(response);
      // An answer to HEAD has no code.
      const isStale = code === undefined ? status === 403 : STALE_CREDENTIALS.has(code);
      if (isStale && !wasRefused) {
        wasRefused = true;
        known = undefined;
        continue;
      }
      const isTemporary = status >= 500 || status === 429 || status === 408 || TEMPORARY.has(code ?? '');
      if (isTemporary && (await waitBefore(count))) continue;
      const kind = KIND_OF_CODE[code ?? ''] ?? kindOfStatus(status);
      throw new DatabaseAccessError(isTemporary ? 'bucket_busy' : kind, code ?? String(status), undefined);
    }
  };
  const ask: BucketRequests['ask'] = async (request) => {
    for (let count = 1; ; count += 1) {
      const response = await send(request);
      const { status, headers } = response;
      try {
        return { status, headers, text: await textOf(response, MAX_TEXT_BYTES) };
      } catch (error) {
        if (!isNetworkError(error)) throw error;
        if (!(await waitBefore(count)))
          throw new DatabaseAccessError('bucket_unreachable', networkCode(error), error);
      }
    }
  };
  return { place, counts, send, ask, waitBefore };
}

/** Returns the URL that every key is appended to. */
function bucketUrl({ endpoint, bucket, isPathStyle }: BucketPlace): string {
  if (isPathStyle) return `${endpoint}/${bucket}/`;
  const { protocol, host, pathname } = new URL(endpoint);
  return `${protocol}//${bucket}.${host}${pathname.replace(/\/$/, '')}/`;
}

function kindOfStatus(status: number): AccessErrorKind {
  if (status >= 300 && status < 400) return 'bucket_region';
  if (status === 401 || status === 403) return 'bucket_refused';
  return status === 404 ? 'no_bucket' : 'bucket_answer';
}

/** An error has a few hundred bytes. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** Returns the code of a refusal, `SlowDown`; undefined where it has none, as an answer to HEAD. */
async function refusalOf(response: Response): Promise<string | undefined> {
  const text = await textOf(response, MAX_REFUSAL_BYTES).catch(() => '');
  return /<Code>([A-Za-z\d]{1,64})<\/Code>/.exec(text)?.[1];
}

/** A page of a list has at most 1,000 keys. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** Returns the text of a body. Throws DatabaseAccessError `bucket_answer` for a longer one. */
async function textOf(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of bodyOf(response)) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new DatabaseAccessError('bucket_answer', 'too long', undefined);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Between two pieces of a body. */
const IDLE_TIMEOUT_MS = 30_000;

/** Yields the pieces of a body. Throws an error for which {@link isNetworkError} holds where none comes for long. */
export async function* bodyOf(response: Response): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let isAtEnd = false;
  try {
    for (;;) {
      const idle = AbortSignal.timeout(IDLE_TIMEOUT_MS);
      let stop = (): void => {};
      const timeout = new Promise<never>((_, reject) => {
        stop = () => reject(idle.reason as Error);
        idle.addEventListener('abort', stop);
      });
      const { done, value } = await Promise.race([reader.read(), timeout]).finally(() =>
        idle.removeEventListener('abort', stop),
      );
      isAtEnd = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!isAtEnd) await reader.cancel().catch(() => undefined);
  }
}

/** Returns whether fetch failed, and not this program: it throws TypeError for the network, and what a timeout is aborted with. */
export function isNetworkError(error: unknown): boolean {
  return error instanceof TypeError || ['TimeoutError', 'AbortError'].includes((error as Error).name);
}

/** Returns the code of the system for a failed request: `ECONNREFUSED`. */
export function networkCode(error: unknown): string | undefined {
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : (error as Error).name === 'TimeoutError' ? 'timeout' : undefined;
}
