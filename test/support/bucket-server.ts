// A server that keeps objects as S3 does: in memory, over real HTTP, with signatures that are checked on their own here.
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A status with an error code, a body that breaks off after so many bytes, other bytes, a text, or the whole object where a part was
 * asked for; undefined for a right answer.
 */
export type BucketFault =
  | { status: number; code: string; headers?: Record<string, string> }
  | { cutAfter: number }
  | { replaced: Buffer }
  | 'whole'
  | { answer: string }
  | undefined;

/** A request as the server saw it. */
export type SeenRequest = { method: string; key: string; query: URLSearchParams; bytes: number };

type Upload = { key: string; parts: Map<number, Buffer>; began: Date };

/** A running server. */
export type BucketServer = {
  /** `s3://bucket/PREFIX` with this server as its endpoint. */
  address(prefix?: string): string;
  readonly origin: string;
  readonly objects: Map<string, Buffer>;
  readonly uploads: Map<string, Upload>;
  readonly seen: SeenRequest[];
  /** Called for each request. */
  fault: (request: SeenRequest) => BucketFault;
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  /** By which addresses expire. */
  now: () => number;
  /** Keys of one page of a list. */
  pageKeys: number;
  close(): Promise<void>;
};

const BUCKET = 'bucket';
const REGION = 'eu-test-1';

/** Serves an empty bucket on loopback. */
export async function serveBucket(): Promise<BucketServer> {
  const server = createServer((request, response) => {
    void answer(state, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state: BucketServer = {
    address: (prefix = 'arx/files') =>
      `s3://${BUCKET}/${prefix}?endpoint=${encodeURIComponent(origin)}&region=${REGION}`,
    origin,
    objects: new Map(),
    uploads: new Map(),
    seen: [],
    fault: () => undefined,
    credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'secret/of+test' },
    now: Date.now,
    pageKeys: 1000,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return state;
}

async function answer(
  state: BucketServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const { pathname, searchParams: query } = new URL(request.url ?? '/', state.origin);
  const method = request.method ?? '';
  const [, bucket, key = ''] = /^\/([^/]*)\/?(.*)$/.exec(decodeURIComponent(pathname)) ?? [];
  const seen = { method, key, query, bytes: body.byteLength };
  state.seen.push(seen);
  const refuse = (status: number, code: string, headers: Record<string, string> = {}): void => {
    const text = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>no</Message></Error>`;
    response
      .writeHead(status, { 'content-type': 'application/xml', ...headers })
      .end(method === 'HEAD' ? '' : text);
  };
  const wrong = signatureFault(request, state);
  if (wrong !== undefined) return refuse(wrong === 'ExpiredToken' ? 400 : 403, wrong);
  const fault = state.fault(seen);
  if (typeof fault === 'object' && 'status' in fault) return refuse(fault.status, fault.code, fault.headers);
  if (typeof fault === 'object' && 'answer' in fault) return void response.end(fault.answer);
  if (bucket !== BUCKET) return refuse(404, 'NoSuchBucket');
  const isPresigned = query.has('X-Amz-Signature');
  if (!isPresigned && request.headers['x-amz-content-sha256'] !== sha256Of(body))
    return refuse(400, 'XAmzContentSHA256Mismatch');
  const xml = (text: string): void => {
    if (typeof fault === 'object' && 'cutAfter' in fault) {
      response.writeHead(200, { 'content-length': text.length });
      response.write(text.slice(0, fault.cutAfter), () => response.destroy());
      return;
    }
    response.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${text}`);
  };

  if (key === '') {
    if (method === 'HEAD') return void response.end();
    if (query.has('uploads')) return xml(uploadList(state, query.get('prefix') ?? ''));
    return xml(objectList(state, query));
  }
  const uploadId = query.get('uploadId');
  if (method === 'POST' && query.has('uploads')) {
    const id = `upload ${state.seen.length}&<>`;
    state.uploads.set(id, { key, parts: new Map(), began: new Date() });
    return xml(
      `<InitiateMultipartUploadResult><UploadId>${escaped(id)}</UploadId></InitiateMultipartUploadResult>`,
    );
  }
  if (uploadId !== null) {
    const upload = state.uploads.get(uploadId);
    if (upload?.key !== key) return refuse(404, 'NoSuchUpload');
    if (method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), body);
      return void response.writeHead(200, { etag: `"${md5Of(body)}"` }).end();
    }
    state.uploads.delete(uploadId);
    if (method === 'DELETE') return void response.writeHead(204).end();
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
    const parts = named.map(([, number, tag]) => {
      const part = upload.parts.get(Number(number));
      return part !== undefined && tag === `&quot;${md5Of(part)}&quot;` ? part : undefined;
    });
    if (parts.includes(undefined)) return refuse(400, 'InvalidPart');
    state.objects.set(key, Buffer.concat(parts as Buffer[]));
    return xml('<CompleteMultipartUploadResult><Key/></CompleteMultipartUploadResult>');
  }
  if (method === 'PUT') {
    if (request.headers['if-none-match'] === '*' && state.objects.has(key))
      return refuse(412, 'PreconditionFailed');
    state.objects.set(key, body);
    return void response.writeHead(200, { etag: `"${md5Of(body)}"` }).end();
  }
  if (method === 'DELETE') return void response.writeHead(state.objects.delete(key) ? 204 : 404).end();
  const stored = state.objects.get(key);
  if (stored === undefined) return refuse(404, 'NoSuchKey');
  const object = typeof fault === 'object' && 'replaced' in fault ? fault.replaced : stored;
  const etag = `"${md5Of(object)}"`;
  if ((request.headers['if-match'] ?? etag) !== etag) return refuse(412, 'PreconditionFailed');
  const [, first, last] =
    fault === 'whole' ? [] : (/^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []);
  const from = Number(first ?? 0);
  const to = Math.min(last === undefined || last === '' ? Infinity : Number(last), object.byteLength - 1);
  if (first !== undefined && from >= object.byteLength) return refuse(416, 'InvalidRange');
  const sent = object.subarray(from, to + 1);
  const asked = ['content-type', 'content-disposition'].flatMap((name) => {
    const value = query.get(`response-${name}`);
    return value === null ? [] : [[name, value]];
  });
  response.writeHead(first === undefined ? 200 : 206, {
    etag,
    ...(Object.fromEntries(asked) as Record<string, string>),
    'content-length': sent.byteLength,
    ...(first === undefined ? {} : { 'content-range': `bytes ${from}-${to}/${object.byteLength}` }),
  });
  if (typeof fault === 'object' && 'cutAfter' in fault) {
    response.write(sent.subarray(0, fault.cutAfter), () => response.destroy());
    return;
  }
  response.end(method === 'HEAD' ? undefined : sent);
}

function objectList({ objects, pageKeys }: BucketServer, query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted();
  const page = keys.slice(0, pageKeys);
  const contents = page.map((key) => `<Contents><Key>${escaped(key)}</Key><Size>1</Size></Contents>`);
  const more =
    page.length < keys.length
      ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${escaped(page.at(-1)!)}</NextContinuationToken>`
      : '<IsTruncated>false</IsTruncated>';
  return `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${more}${contents.join('')}</ListBucketResult>`;
}

function uploadList({ uploads }: BucketServer, prefix: string): string {
  const found = [...uploads].filter(([, { key }]) => key.startsWith(prefix));
  const members = found.map(
    ([id, { key, began }]) =>
      `<Upload><Key>${escaped(key)}</Key><UploadId>${escaped(id)}</UploadId><Initiated>${began.toISOString()}</Initiated></Upload>`,
  );
  return `<ListMultipartUploadsResult>${members.join('')}</ListMultipartUploadsResult>`;
}

/** Returns the code with which S3 refuses a signature; undefined for a right one. */
function signatureFault(
  request: IncomingMessage,
  { origin, credentials, now }: BucketServer,
): string | undefined {
  const { headers } = request;
  const { pathname, searchParams } = new URL(request.url ?? '/', origin);
  const given = searchParams.get('X-Amz-Signature');
  const parameter = (name: string): string => searchParams.get(`X-Amz-${name}`) ?? '';
  const [, accessKeyId, scope = '', signed = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([\da-f]+)$/.exec(
      given === null
        ? (headers.authorization ?? '')
        : `${parameter('Algorithm')} Credential=${parameter('Credential')}, SignedHeaders=${parameter('SignedHeaders')}, Signature=${given}`,
    ) ?? [];
  // S3 refuses two permissions at once.
  if (given !== null && headers.authorization !== undefined) return 'InvalidArgument';
  if (accessKeyId !== credentials.accessKeyId) return 'InvalidAccessKeyId';
  const token = given === null ? headers['x-amz-security-token'] : searchParams.get('X-Amz-Security-Token');
  if ((token ?? undefined) !== credentials.sessionToken) return 'ExpiredToken';
  const date = given === null ? headers['x-amz-date'] : parameter('Date');
  const began = Date.parse(parameter('Date').replace(/^(.{4})(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  if (given !== null && !(now() < began + 1000 * Number(parameter('Expires')))) return 'AccessDenied';
  const [day = '', region = '', service = ''] = scope.split('/');
  if (region !== REGION || service !== 's3') return 'AuthorizationHeaderMalformed';
  const encode = (text: string): string =>
    encodeURIComponent(text).replaceAll(
      /[!'()*]/g,
      (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const canonical = [
    request.method,
    decodeURIComponent(pathname).split('/').map(encode).join('/'),
    [...searchParams]
      .filter(([name]) => name !== 'X-Amz-Signature')
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .toSorted()
      .join('&'),
    ...signed.split(';').map((name) => `${name}:${String(headers[name])}`),
    '',
    signed,
    given === null ? headers['x-amz-content-sha256'] : 'UNSIGNED-PAYLOAD',
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256Of(Buffer.from(canonical))].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<Buffer>(
    (made, part) => createHmac('sha256', made).update(part).digest(),
    Buffer.from(`AWS4${credentials.secretAccessKey}`),
  );
  return createHmac('sha256', key).update(text).digest('hex') === signature
    ? undefined
    : 'SignatureDoesNotMatch';
}

const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const md5s = new WeakMap<Buffer, string>();
function md5Of(bytes: Buffer): string {
  const md5 = md5s.get(bytes) ?? createHash('md5').update(bytes).digest('hex');
  md5s.set(bytes, md5);
  return md5;
}
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
