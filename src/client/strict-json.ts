// Parses JSON from a server: UTF-8 without a byte order mark, limited nesting, exact integers, errors that quote no input.
import { Fault } from '../faults.ts';
import { TransportFault } from './transport.ts';

/** JSON.parse takes any depth, but recursive functions over the value do not. */
export const MAX_JSON_DEPTH = 200;

/**
 * Returns the text and its value. Keys like `__proto__` become plain own properties. An integer beyond 2^53 becomes a string
 * of its digits, since a rounded id would name another row. Throws Fault 'protocol', and {@link TransportFault} for JSON that ends
 * early or is empty: it was cut on the way, so another try may bring it whole.
 */
export function parseJson(bytes: Uint8Array): { text: string; value: unknown } {
  const text = textOf(bytes);
  if (text.trim() === '') throw cutFault('it is empty');
  if (text.startsWith('\u{feff}')) {
    throw new Fault('protocol', 'answer is not JSON: it begins with a byte order mark');
  }
  if (isDeep(text)) throw new Fault('protocol', `answer is nested more than ${MAX_JSON_DEPTH} levels deep`);
  try {
    const value = JSON.parse(text) as unknown;
    const exact = withExactIntegers(text);
    return { text, value: exact === text ? value : (JSON.parse(exact) as unknown) };
  } catch {
    if (endsEarly(bytes)) throw cutFault(`its JSON ends after ${bytes.length} bytes`);
    throw new Fault('protocol', `answer is not JSON (${bytes.length} bytes)`);
  }
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

/** Returns the JSON with integers beyond 2^53 in quotes. */
function withExactIntegers(text: string): string {
  // A quick check first. Hashes have long runs of digits too, but not at the start of a value.
  if (!/(?:^|[[:,\s])-?\d{16}/.test(text)) return text;
  const pieces: string[] = [];
  let from = 0;
  for (let here = 0; here < text.length; here += 1) {
    const unit = text.charCodeAt(here);
    if (unit === 0x22) {
      for (here += 1; text.charCodeAt(here) !== 0x22; here += 1)
        if (text.charCodeAt(here) === 0x5c) here += 1;
    } else if (unit === 0x2d || (unit >= 0x30 && unit <= 0x39)) {
      NUMBER.lastIndex = here;
      const number = NUMBER.exec(text)?.[0] ?? '';
      if (/^-?\d{16,}$/.test(number) && !Number.isSafeInteger(Number(number))) {
        pieces.push(text.slice(from, here), `"${number}"`);
        from = here + number.length;
      }
      here += number.length - 1;
    }
  }
  return pieces.join('') + text.slice(from);
}

const NUMBER = /-?[\d.eE+-]*/y;

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The last character may be cut in two.
    if (endsEarly(bytes)) throw cutFault(`its JSON ends after ${bytes.length} bytes`);
    throw new Fault('protocol', 'answer is not JSON: it is not valid UTF-8');
  }
}

function isDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (quoted) {
      if (unit === 0x5c) at += 1;
      else if (unit === 0x22) quoted = false;
    } else if (unit === 0x22) quoted = true;
    else if (unit === 0x7b || unit === 0x5b) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) return true;
    } else if (unit === 0x7d || unit === 0x5d) depth -= 1;
  }
  return false;
}
