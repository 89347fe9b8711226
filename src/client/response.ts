// Reading an answer: whole, decoded, of the promised type and shape, or a Fault that says what is wrong with it.
import type * as z from 'zod';
import { ErrorBody } from '../contract/error.ts';
import { MAX_RESPONSE_BYTES } from '../contract/scalars.ts';
import { HEADERS } from '../contract/routes.ts';
import { Fault } from '../faults.ts';
import { decodeBody, readBody } from './content-encoding.ts';
import { safeText } from './safe-text.ts';
import { parseJson } from './strict-json.ts';
import type { TransportReply } from './transport.ts';

/** An answer in memory. Headers that only describe the way it came are gone: both transports give the same. */
export type ApiResponse = { status: number; headers: Record<string, string>; bytes: Uint8Array };

/**
 * A reply parsed by the contract. `text` is the body as received (decoded); `serverTime` is the Date header in
 * milliseconds since the epoch, absent where there was none that can be read.
 */
export type Reply<T> = {
  status: number;
  headers: Record<string, string>;
  body: T;
  text: string;
  serverTime?: number;
  requestId?: string;
};

const FRAMING = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Reads the body to its end, at most MOST_ANSWER_BYTES before and after decoding. */
export async function readResponse(reply: TransportReply): Promise<ApiResponse> {
  checkStatus(reply.status);
  const whole = await readBody(reply.body, MAX_RESPONSE_BYTES);
  const decoded = await decodeBody(whole, reply.headers['content-encoding'], MAX_RESPONSE_BYTES);
  // A Buffer behaves differently in JSON and comparisons; what comes by a socket shall not.
  const bytes = new Uint8Array(decoded.buffer, decoded.byteOffset, decoded.byteLength);
  return { status: reply.status, headers: withoutFramingHeaders(reply.headers), bytes };
}

export function checkStatus(status: number): void {
  if (status < 200 || status > 599) throw new Fault('protocol', `server answered with status ${status}`);
}

export function withoutFramingHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !FRAMING.has(name)));
}

/** The body of a 2xx answer through a schema of the contract. */
export function parseResponse<T extends z.ZodType>(answer: ApiResponse, schema: T): Reply<z.infer<T>> {
  return parseResponseWith(answer, (value) => parseShape(value, schema, answer));
}

/** The same by `bodyOf`, which throws where the JSON is not of the right shape. */
export function parseResponseWith<T>(answer: ApiResponse, bodyOf: (value: unknown) => T): Reply<T> {
  checkType(answer);
  const { text, value } = parseJson(answer.bytes);
  const failure = ErrorBody.safeParse(value);
  if (failure.success) {
    const { code, request_id } = failure.data.error;
    throw new Fault('protocol', `answer has status ${answer.status} but says error ${safeText(code, 80)}`, {
      code: safeText(code, 80),
      status: answer.status,
      ...(request_id === undefined ? {} : { request_id: safeText(request_id, 100) }),
    });
  }
  return { ...frameOf(answer), body: bodyOf(value), text };
}

/** A value through a schema; throws a protocol Fault that names the path, never the value. */
export function parseShape<T extends z.ZodType>(
  value: unknown,
  schema: T,
  { status, headers }: Pick<ApiResponse, 'status' | 'headers'>,
): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const words = (issue?.message ?? 'wrong shape').replace(/^Invalid input: /, '');
  const requestId = headers[HEADERS.requestId];
  throw new Fault('protocol', `answer has the wrong shape at ${formatPath(issue?.path ?? [])}: ${words}`, {
    status,
    ...(requestId === undefined ? {} : { request_id: safeText(requestId, 100) }),
  });
}

/** The reply without an opinion on its body; bytes that are not UTF-8 show as U+FFFD in `text`. */
export function rawReply(answer: ApiResponse): Reply<Uint8Array> {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(answer.bytes);
  return { ...frameOf(answer), body: answer.bytes, text };
}

function frameOf({ status, headers }: ApiResponse): Omit<Reply<never>, 'body' | 'text'> {
  const serverTime = parseHttpDate(headers['date']);
  const requestId = headers[HEADERS.requestId];
  return {
    status,
    headers,
    ...(serverTime === undefined ? {} : { serverTime }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** Milliseconds of an HTTP date (IMF-fixdate, the only form servers may send today), else undefined. */
export function parseHttpDate(date: string | undefined): number | undefined {
  if (date === undefined || !/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(date)) return undefined;
  const time = Date.parse(date);
  return Number.isNaN(time) ? undefined : time;
}

function checkType({ headers, bytes }: ApiResponse): void {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  // A body without a type may still be what was asked for: the parser decides.
  if (type === undefined || /^(application|text)\/([\w.-]+\+)?json$/.test(type)) return;
  const shown = safeText(new TextDecoder().decode(bytes.subarray(0, 400)), 80);
  throw new Fault('protocol', `expected JSON, got ${safeText(type, 60)}${shown === '' ? '' : `: ${shown}`}`);
}

/** `data[3].integrity`, `$` for the whole. */
export function formatPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '$';
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${safeText(String(key), 40)}`))
    .join('')
    .replace(/^\./, '');
}
