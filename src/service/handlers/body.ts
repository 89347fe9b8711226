// A request body as JSON: the type it must declare, the size it may have, and no words of the parser in a refusal.
import { isUtf8 } from 'node:buffer';
import type { ErrorCode } from '../../contract/error.ts';
import { singleHeader, type ServiceRequest } from '../../contract/exchange.ts';
import { MAX_REQUEST_BYTES } from '../../contract/scalars.ts';
import { ApiError } from '../rules/api-error.ts';

/**
 * The parsed body. Throws `media_type_unsupported` for anything but plain `application/json` in UTF-8,
 * `payload_too_large` over {@link MAX_REQUEST_BYTES}, and the code given for what is not JSON.
 */
export function readJson(request: ServiceRequest, invalid: ErrorCode): unknown {
  const body = bodyOf(request, 'application/json');
  if (!isUtf8(body)) throw notJson(invalid);
  return parse(UTF8.decode(body), invalid);
}

/** Whether the body is declared as many values, one a line. */
export function isNdjson(request: ServiceRequest): boolean {
  return mediaTypeOf(request) === NDJSON;
}

/**
 * The lines of an `application/x-ndjson` body that are not empty, each to be parsed when it is asked for: one that is not
 * JSON in UTF-8 throws then, alone. Throws as {@link readJson}, and `payload_too_large` for more than `most`.
 */
export function readNdjson(request: ServiceRequest, most: number, invalid: ErrorCode): (() => unknown)[] {
  const body = bodyOf(request, NDJSON);
  const lines = isUtf8(body)
    ? UTF8.decode(body)
        .split('\n')
        .filter((line) => line.trim() !== '')
    : linesOf(body, most + 1);
  if (lines.length > most) throw new ApiError('payload_too_large', `a body may have at most ${most} lines`);
  if (lines.length === 0) throw new ApiError(invalid, '$: the body has no line');
  return lines.map((line) => () => {
    if (line === undefined) throw notJson(invalid);
    return parse(line, invalid);
  });
}

/** Passes over a mark at the start. */
const UTF8 = new TextDecoder();
const NDJSON = 'application/x-ndjson';
const NEWLINE = 0x0a;

/** As many lines that are not empty, `undefined` for one that is not UTF-8. */
function linesOf(body: Uint8Array, most: number): (string | undefined)[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const lines: (string | undefined)[] = [];
  for (let start = 0; start < bytes.length && lines.length < most; start += 1) {
    // A body may be a million of these.
    if (bytes[start] === NEWLINE) continue;
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const line = bytes.subarray(start, end);
    const text = !isUtf8(line) ? undefined : start === 0 ? UTF8.decode(line) : line.toString();
    if (text?.trim() !== '') lines.push(text);
    start = end;
  }
  return lines;
}

function bodyOf(request: ServiceRequest, type: string): Uint8Array {
  const { headers, body } = request;
  const encoded = ([name, value]: readonly [string, string]) =>
    name === 'content-encoding' && value.trim().toLowerCase() !== 'identity';
  if (headers.some(encoded)) {
    throw new ApiError('media_type_unsupported', 'content-encoding: a body must be sent as it is');
  }
  if (mediaTypeOf(request) !== type) {
    throw new ApiError('media_type_unsupported', `content-type: must be ${type} in utf-8`);
  }
  if (body !== null && body.byteLength > MAX_REQUEST_BYTES) throw payloadTooLarge();
  return body ?? new Uint8Array();
}

function parse(text: string, invalid: ErrorCode): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(invalid);
  }
}

function notJson(invalid: ErrorCode): ApiError {
  return new ApiError(invalid, '$: the body is not JSON');
}

/** What the body is declared as; undefined for nothing, for two things, and for another charset than UTF-8. */
function mediaTypeOf({ headers }: ServiceRequest): string | undefined {
  const given = singleHeader(headers, 'content-type');
  if (given === undefined || !given.includes(';')) return given?.trim().toLowerCase();
  const [type, ...parameters] = given.split(';').map((part) => part.trim().toLowerCase());
  const charsets = parameters.filter((part) => part.startsWith('charset='));
  return charsets.every((part) => /^charset="?utf-?8"?$/.test(part)) ? type : undefined;
}

export function payloadTooLarge(): ApiError {
  return new ApiError('payload_too_large', `a body may have at most ${MAX_REQUEST_BYTES} bytes`);
}
