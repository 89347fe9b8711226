// Reads a request body as JSON: its declared type first, then its bytes; errors do not have the parser's text.
import { isUtf8 } from 'node:buffer';
import type { ErrorCode } from '../../contract/error.ts';
import { singleHeader, type ServiceRequest } from '../../contract/exchange.ts';
import { parseJsonText, type ParsedJson } from '../../contract/json-text.ts';
import { MAX_REQUEST_BYTES } from '../../contract/scalars.ts';
import { ApiError } from '../rules/api-error.ts';

/** As {@link readJsonText}. Returns the value, and rejects for a number that JavaScript would round. */
export async function readJson(
  request: ServiceRequest,
  maxBytes: number,
  invalid: ErrorCode,
): Promise<unknown> {
  const { value, scan } = await readJsonText(request, maxBytes, invalid);
  const [number] = scan.inexact;
  if (number === undefined) return value;
  throw new ApiError(invalid, `$: 64 bits cannot hold the number ${number.text.slice(0, 40)}`);
}

/**
 * Returns the parsed body. Rejects with ApiError `media_type_unsupported` for anything but `application/json` in UTF-8,
 * `payload_too_large` above `maxBytes`, and the code `invalid` for text that is not JSON or nests too deeply, or in which a key has
 * two values.
 * An unsupported body is not read.
 */
export async function readJsonText(
  request: ServiceRequest,
  maxBytes: number,
  invalid: ErrorCode,
): Promise<ParsedJson> {
  checkMediaType(request, 'application/json');
  const body = await wholeBody(request, maxBytes);
  if (!isUtf8(body)) throw notJson(invalid);
  return parse(UTF8.decode(body), invalid);
}

/** Returns whether the body is declared as `application/x-ndjson`. */
export function isNdjson(request: ServiceRequest): boolean {
  return mediaTypeOf(request) === NDJSON;
}

/**
 * Returns a function for each line of an `application/x-ndjson` body that is not blank. The function returns the parsed
 * line, or throws where that line is not JSON in UTF-8. Rejects as {@link readJsonText} with {@link MAX_REQUEST_BYTES}, and with
 * `payload_too_large` for more than `maxLines` lines.
 */
export async function readNdjson(
  request: ServiceRequest,
  maxLines: number,
  invalid: ErrorCode,
): Promise<(() => ParsedJson)[]> {
  checkMediaType(request, NDJSON);
  const body = await wholeBody(request, MAX_REQUEST_BYTES);
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

/** Also beside what is read. A payload has less. */
const MAX_BODY_DEPTH = 64;

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

/** Returns the bytes of the body, none where there is no body. Rejects with ApiError `payload_too_large` above `maxBytes`. */
export async function wholeBody({ body }: ServiceRequest, maxBytes: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  if (typeof body === 'function') return body(maxBytes);
  if (body.byteLength > maxBytes) throw payloadTooLarge(maxBytes);
  return body;
}

function checkMediaType(request: ServiceRequest, type: string): void {
  const { headers } = request;
  const isEncoded = ([name, value]: readonly [string, string]) =>
    name === 'content-encoding' && value.trim().toLowerCase() !== 'identity';
  if (headers.some(isEncoded)) {
    throw new ApiError('media_type_unsupported', 'content-encoding: a body must be sent as it is');
  }
  if (mediaTypeOf(request) !== type) {
    throw new ApiError('media_type_unsupported', `content-type: must be ${type} in utf-8`);
  }
}

function parse(text: string, invalid: ErrorCode): ParsedJson {
  let parsed: ParsedJson;
  try {
    parsed = parseJsonText(text);
  } catch {
    throw notJson(invalid);
  }
  // What parsers read in different ways is not stored, and decides nothing.
  const { repeatedKey, depth } = parsed.scan;
  if (depth > MAX_BODY_DEPTH) {
    throw new ApiError(invalid, `$: must not nest deeper than ${MAX_BODY_DEPTH} levels`);
  }
  if (repeatedKey !== undefined) {
    throw new ApiError(invalid, `$: two values for the key ${JSON.stringify(repeatedKey.slice(0, 80))}`);
  }
  return parsed;
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

/** Returns the error for a body above `maxBytes`. */
export function payloadTooLarge(maxBytes: number): ApiError {
  return new ApiError('payload_too_large', `a body may have at most ${maxBytes} bytes`);
}
