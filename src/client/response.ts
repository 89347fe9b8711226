// Reads a response whole, decodes it and checks its type and shape.
import type * as z from 'zod';
import { ErrorBody } from '../contract/error.ts';
import { MAX_RESPONSE_BYTES } from '../contract/scalars.ts';
import { HEADERS } from '../contract/routes.ts';
import { Fault } from '../faults.ts';
import { checkNoError } from './shapes/body-error.ts';
import { decodeBody, readBody } from './content-encoding.ts';
import { checkBaseUrl } from './wrong-base-url.ts';
import { safeText } from './safe-text.ts';
import { parseJson } from './strict-json.ts';
import type { TransportReply } from './transport.ts';

/**
 * A response in memory, decoded. It has no framing headers (`content-length`, `connection` …), so that both transports give
 * the same.
 */
export type ApiResponse = { status: number; headers: Record<string, string>; bytes: Uint8Array };

/**
 * A response whose body has passed a schema of the contract. `text` is the decoded body. `serverTime` is the Date header in
 * milliseconds since the epoch; it is absent where the header is missing or not an HTTP date.
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

/**
 * Returns the response with its whole body, decoded. Throws Fault 'protocol' for a status outside 200 to 599, a body over
 * MAX_RESPONSE_BYTES (before or after decoding) or an unknown encoding.
 */
export async function readResponse(reply: TransportReply): Promise<ApiResponse> {
  checkStatus(reply.status);
  const whole = await readBody(reply.body, MAX_RESPONSE_BYTES);
  const decoded = await decodeBody(whole, reply.headers['content-encoding'], MAX_RESPONSE_BYTES);
  // A Buffer behaves differently in JSON and comparisons, and only one of the transports gives one.
  const bytes = new Uint8Array(decoded.buffer, decoded.byteOffset, decoded.byteLength);
  return { status: reply.status, headers: withoutFramingHeaders(reply.headers), bytes };
}

/** Throws Fault 'protocol' for a status that is neither a success nor an error (200 to 599). */
export function checkStatus(status: number): void {
  if (status < 200 || status > 599) throw new Fault('protocol', `server answered with status ${status}`);
}

/** Returns the headers without those that describe only the transfer. */
export function withoutFramingHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !FRAMING.has(name)));
}

/**
 * Returns a 2xx response whose body fits a schema. Throws Fault 'protocol' for a body that is not JSON or does not fit, and
 * {@link TransportFault} for one that ends early.
 */
export function parseResponse<T extends z.ZodType>(answer: ApiResponse, schema: T): Reply<z.infer<T>> {
  return parseResponseWith(answer, (value) => parseShape(value, schema, answer));
}

/**
 * As {@link parseResponse}, with a function in place of the schema. It throws where the JSON has the wrong shape. A body that
 * may hold a secret is not quoted. `whenNoContent`: what a response without a body (204, 205) means.
 */
export function parseResponseWith<T>(
  answer: ApiResponse,
  bodyOf: (value: unknown, text: string) => T,
  { isSecret = false, whenNoContent }: { isSecret?: boolean; whenNoContent?: () => T } = {},
): Reply<T> {
  const hasNoContent = answer.status === 204 || answer.status === 205;
  if (hasNoContent && whenNoContent !== undefined)
    return { ...frameOf(answer), body: whenNoContent(), text: '' };
  checkType(answer, isSecret);
  if (hasNoContent)
    throw new Fault('protocol', `answer has no body (status ${answer.status})`, { status: answer.status });
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
  return { ...frameOf(answer), body: bodyOf(value, text), text };
}

/** Returns a value that fits a schema. Throws Fault 'protocol' that names the path of the wrong field, never its value, or the error that the value reports. */
export function parseShape<T extends z.ZodType>(
  value: unknown,
  schema: T,
  answer: Pick<ApiResponse, 'status' | 'headers'>,
): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  checkNoError(value, answer.status);
  throw wrongShape([], parsed.error.issues[0], answer);
}

/** Returns Fault 'protocol' for what a schema refuses in the value at `path` of a body. It never quotes the value. */
export function wrongShape(
  path: readonly PropertyKey[],
  issue: z.core.$ZodIssue | undefined,
  { status, headers }: Pick<ApiResponse, 'status' | 'headers'>,
): Fault {
  const words = (issue?.message ?? 'wrong shape')
    .replace(/^Invalid input: /, '')
    .replace('received ExactNumber', 'received one that would be rounded');
  const requestId = headers[HEADERS.requestId];
  const place = formatPath([...path, ...(issue?.path ?? [])]);
  return new Fault('protocol', `answer has the wrong shape at ${place}: ${words}`, {
    status,
    ...(requestId === undefined ? {} : { request_id: safeText(requestId, 100) }),
  });
}

/** Returns the response with its body as bytes, unchecked. In `text`, bytes that are not UTF-8 are U+FFFD. */
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

/**
 * Returns the milliseconds since the epoch of an HTTP date, undefined for anything else. It accepts IMF-fixdate only, the
 * form that RFC 9110 requires of servers.
 */
export function parseHttpDate(date: string | undefined): number | undefined {
  if (date === undefined || !/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(date)) return undefined;
  const time = Date.parse(date);
  return Number.isNaN(time) ? undefined : time;
}

/** Returns whether a response is a page for people. Web servers, proxies and login pages answer so. */
export function isWebPage({ headers }: Pick<ApiResponse, 'headers'>): boolean {
  return /^(?:text\/html|application\/xhtml\+xml)\b/i.test(headers['content-type'] ?? '');
}

function checkType(response: ApiResponse, isSecret: boolean): void {
  const { headers, bytes } = response;
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  // A body without a type may still be JSON: the parser decides.
  if (type === undefined || /^(application|text)\/([\w.-]+\+)?json$/.test(type)) return;
  // Some servers name another type: the default of PHP is text/html, that of a bucket application/octet-stream.
  if (isJson(bytes)) return;
  const shown = isSecret ? '' : safeText(new TextDecoder().decode(bytes.subarray(0, 400)), 80);
  const message = `expected JSON, got ${safeText(type, 60)}${shown === '' ? '' : `: ${shown}`}`;
  throw new Fault('protocol', message, isWebPage(response) ? { hint: checkBaseUrl() } : {});
}

function isJson(bytes: Uint8Array): boolean {
  try {
    const { value } = parseJson(bytes);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

/** Returns a path in JSON as text: `data[3].integrity`, `$` for the whole value. */
export function formatPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '$';
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${safeText(String(key), 40)}`))
    .join('')
    .replace(/^\./, '');
}
