// Parses JSON from a server: UTF-8, limited nesting, exact integers, errors that quote no input.
import { parseExactJson, scanShownJson } from '../contract/exact-json.ts';
import { exceededLimit, hasMoreKeys } from '../contract/json-size.ts';
import { MAX_INEXACT_NUMBERS, MAX_JSON_DEPTH, MAX_JSON_KEYS, MAX_JSON_VALUES } from '../contract/scalars.ts';
import { Fault } from '../faults.ts';
import { safeText } from './safe-text.ts';
import { TransportFault } from './transport.ts';

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * Returns the text and its value. Keys like `__proto__` become plain own properties. A number that JSON.parse would
 * change (an integer beyond 2^53, 1e400, -0) becomes an ExactNumber, since a rounded id would name another row. Throws Fault
 * 'protocol', also for a key that an object has twice: it would depend on the parser whether a row is redacted. Throws
 * {@link TransportFault} for JSON that ends early or is empty: it was cut on the way, so another try may bring it whole.
 */
export function parseJson(body: Uint8Array): { text: string; value: unknown } {
  // RFC 8259, section 8.1, allows to ignore a byte order mark.
  const bytes = BYTE_ORDER_MARK.every((byte, at) => body[at] === byte) ? body.subarray(3) : body;
  const text = textOf(bytes);
  if (text.trim() === '') throw cutFault('it is empty');
  const unchanged = bytes.length <= MAX_JSON_VALUES ? unchangedValue(text) : undefined;
  if (unchanged !== undefined) return { text, value: unchanged };
  const exceeded = exceededLimit(bytes, { maxDepth: MAX_JSON_DEPTH, maxValues: MAX_JSON_VALUES });
  if (exceeded === 'depth')
    throw new Fault('protocol', `answer is nested more than ${MAX_JSON_DEPTH} levels deep`);
  if (exceeded === 'values')
    throw new Fault('protocol', `answer has more than ${MAX_JSON_VALUES} values of JSON`);
  if (hasMoreKeys(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), MAX_JSON_KEYS))
    throw new Fault('protocol', `answer has more than ${MAX_JSON_KEYS} different field names`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (endsEarly(bytes)) throw cutFault(`its JSON ends after ${bytes.length} bytes`);
    throw new Fault('protocol', `answer is not JSON (${bytes.length} bytes)`);
  }
  const scan = scanShownJson(text, MAX_INEXACT_NUMBERS);
  if (scan.inexact.length > MAX_INEXACT_NUMBERS)
    throw new Fault('protocol', `answer has more than ${MAX_INEXACT_NUMBERS} numbers that would be rounded`);
  const { repeatedKey } = scan;
  if (repeatedKey !== undefined)
    throw new Fault('protocol', `answer has two values for one key: ${safeText(repeatedKey, 80)}`);
  return { text, value: scan.inexact.length === 0 ? value : parseExactJson(text, scan) };
}

/**
 * Returns the value of JSON that JSON.stringify writes again as it is, which our service sends: so no key is repeated and no number is
 * changed. Undefined for other text, for integers beyond 2^53, for deep nesting and for very many fields. It takes a third of the time of a scan.
 */
function unchangedValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text && isPlain(value, MAX_JSON_DEPTH, { fields: MAX_JSON_KEYS })
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether a value of JSON has no integer beyond 2^53, at most so many levels, and fields; it counts `left.fields` down. */
function isPlain(value: unknown, levels: number, left: { fields: number }): boolean {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isPlain(item, levels - 1, left));
  for (const key in value) {
    left.fields -= 1;
    if (left.fields < 0 || !isPlain((value as Record<string, unknown>)[key], levels - 1, left)) return false;
  }
  return true;
}

/** Returns the fault of a body that did not come whole although its transfer ended as it should. */
export function cutFault(reason: string): TransportFault {
  return new TransportFault('network', `answer was cut: ${reason}`, true, { retryable: true });
}

/** Characters of JSON outside of strings, besides brackets: white space, separators, numbers, `true`, `false`, `null`. */
const BARE = new Set(Array.from(' \t\n\r,:0123456789.eE+-truefalsn', (character) => character.charCodeAt(0)));

/** Returns whether bytes that are no JSON end inside an object, an array or a string, and are like JSON up to there. */
function endsEarly(bytes: Uint8Array): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (isQuoted) {
      if (byte === 0x5c) at += 1;
      else if (byte === 0x22) isQuoted = false;
    } else if (byte === 0x22) isQuoted = true;
    else if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (!BARE.has(byte)) return false;
    // What stands after a whole value is not a cut.
    if (depth <= 0 && !isQuoted && byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d)
      return false;
  }
  return depth > 0 || isQuoted;
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The last character may be cut in two.
    if (endsEarly(bytes)) throw cutFault(`its JSON ends after ${bytes.length} bytes`);
    throw new Fault('protocol', 'answer is not JSON: it is not valid UTF-8');
  }
}
