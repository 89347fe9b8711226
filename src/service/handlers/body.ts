// Reads a request body as JSON: its declared type, its size, and errors without the parser's text.
import { isUtf8 } from 'node:buffer';
import type { ErrorCode } from '../../contract/error.ts';
import { singleHeader, type ServiceRequest } from '../../contract/exchange.ts';
import { MAX_REQUEST_BYTES } from '../../contract/scalars.ts';
import { ApiError } from '../rules/api-error.ts';

/**
 * Returns the parsed body. Throws ApiError `media_type_unsupported` for anything but `application/json` in UTF-8,
 * `payload_too_large` above {@link MAX_REQUEST_BYTES}, and the code `invalid` for text that is not JSON.
 */
export function readJson(request: ServiceRequest, invalid: ErrorCode): unknown {
  const body = bodyOf(request, 'application/json');
  if (!isUtf8(body)) throw notJson(invalid);
  return parse(UTF8.decode(body), invalid);
}

/** Returns whether the body is declared as `application/x-ndjson`. */
export function isNdjson(request: ServiceRequest): boolean {
  return mediaTypeOf(request) === NDJSON;
}

/**
 * Returns a function for each line of an `application/x-ndjson` body that is not blank. The function returns the parsed
 * line, or throws where that line is not JSON in UTF-8. Throws as {@link readJson}, and `payload_too_large` for more than
 * `maxLines` lines.
 */
export function readNdjson(request: ServiceRequest, maxLines: number, invalid: ErrorCode): (() => unknown)[] {
  const body = bodyOf(request, NDJSON);
  const lines = isUtf8(body)
    ? UTF8.decode(body)
        .split('\n')
        .filter((line) => line.trim() !== '')
    : splitLines(body, maxLines + 1);
  if (lines.length > maxLines) {
    throw new ApiError('payload_too_large', `a body may have at most ${maxLines} lines`);
  }
  if (lines.length === 0) throw new ApiError(invalid, '$: the body has no line');
  return lines.map((line) => () => {
    if (line === undefined) throw notJson(invalid);
    return parse(line, invalid);
  });
}

/** It drops a byte order mark. */
const UTF8 = new TextDecoder();
const NDJSON = 'application/x-ndjson';
const NEWLINE = 0x0a;

/** Returns the first `maxLines` lines that are not blank; undefined for a line that is not UTF-8. */
function splitLines(body: Uint8Array, maxLines: number): (string | undefined)[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const lines: (string | undefined)[] = [];
  for (let start = 0; start < bytes.length && lines.length < maxLines; start += 1) {
    // A body may be a million newlines, so an empty line must cost nothing.
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
  const isEncoded = ([name, value]: readonly [string, string]) =>
    name === 'content-encoding' && value.trim().toLowerCase() !== 'identity';
  if (headers.some(isEncoded)) {
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

/** Returns the declared media type; undefined for no or two declarations, and for another charset than UTF-8. */
function mediaTypeOf({ headers }: ServiceRequest): string | undefined {
  const given = singleHeader(headers, 'content-type');
  if (given === undefined || !given.includes(';')) return given?.trim().toLowerCase();
  const [type, ...parameters] = given.split(';').map((part) => part.trim().toLowerCase());
  const charsets = parameters.filter((part) => part.startsWith('charset='));
  return charsets.every((part) => /^charset="?utf-?8"?$/.test(part)) ? type : undefined;
}

/** Returns the error for a body above {@link MAX_REQUEST_BYTES}. */
export function payloadTooLarge(): ApiError {
  return new ApiError('payload_too_large', `a body may have at most ${MAX_REQUEST_BYTES} bytes`);
}
