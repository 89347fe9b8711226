// A request body as JSON: the type it must declare, the size it may have, and no words of the parser in a refusal.
import type { ErrorCode } from '../../contract/error.ts';
import type { ServiceRequest } from '../../contract/exchange.ts';
import { MOST_REQUEST_BYTES } from '../../contract/quantity.ts';
import { Refusal } from '../refusal.ts';

/**
 * The parsed body. Throws `media_type_unsupported` for anything but plain `application/json` in UTF-8,
 * `payload_too_large` over {@link MOST_REQUEST_BYTES}, and the code given for what is not JSON.
 */
export function readJson(request: ServiceRequest, invalid: ErrorCode): unknown {
  return parse(textOf(request, 'application/json', invalid), invalid);
}

/** Whether the body is declared as many values, one a line. */
export function isNdjson(request: ServiceRequest): boolean {
  return mediaTypeOf(request) === NDJSON;
}

/**
 * The lines of an `application/x-ndjson` body that are not empty, each to be parsed when it is asked for. Throws as
 * {@link readJson}, and `payload_too_large` for more than `most`.
 */
export function readNdjson(request: ServiceRequest, most: number, invalid: ErrorCode): (() => unknown)[] {
  const lines = textOf(request, NDJSON, invalid)
    .split('\n')
    .filter((line) => line.trim() !== '');
  if (lines.length > most) throw new Refusal('payload_too_large', `a body may have at most ${most} lines`);
  if (lines.length === 0) throw new Refusal(invalid, '$: the body has no line');
  return lines.map((line) => () => parse(line, invalid));
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const NDJSON = 'application/x-ndjson';

function textOf(request: ServiceRequest, type: string, invalid: ErrorCode): string {
  const { headers, body } = request;
  const encoded = ([name, value]: readonly [string, string]) =>
    name === 'content-encoding' && value.trim().toLowerCase() !== 'identity';
  if (headers.some(encoded)) {
    throw new Refusal('media_type_unsupported', 'content-encoding: a body must be sent as it is');
  }
  if (mediaTypeOf(request) !== type) {
    throw new Refusal('media_type_unsupported', `content-type: must be ${type} in utf-8`);
  }
  if (body !== null && body.byteLength > MOST_REQUEST_BYTES) throw tooLarge();
  try {
    return UTF8.decode(body ?? new Uint8Array());
  } catch {
    throw new Refusal(invalid, '$: the body is not JSON');
  }
}

function parse(text: string, invalid: ErrorCode): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(invalid, '$: the body is not JSON');
  }
}

/** What the body is declared as; undefined for nothing, for two things, and for another charset than UTF-8. */
function mediaTypeOf({ headers }: ServiceRequest): string | undefined {
  let given: string | undefined;
  for (const [name, value] of headers) {
    if (name !== 'content-type') continue;
    if (given !== undefined) return undefined;
    given = value;
  }
  if (given === undefined || !given.includes(';')) return given?.trim().toLowerCase();
  const [type, ...parameters] = given.split(';').map((part) => part.trim().toLowerCase());
  const charsets = parameters.filter((part) => part.startsWith('charset='));
  return charsets.every((part) => /^charset="?utf-?8"?$/.test(part)) ? type : undefined;
}

export function tooLarge(): Refusal {
  return new Refusal('payload_too_large', `a body may have at most ${MOST_REQUEST_BYTES} bytes`);
}
