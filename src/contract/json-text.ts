// Checks and parses what may be JSON.
import { isUtf8 } from 'node:buffer';

/** Returns whether a text is a JSON value. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the value of JSON in UTF-8, undefined for other bytes. Bytes that are not UTF-8 are never replaced: the value
 * would be another one than was written.
 */
export function parseJsonBytes(bytes: Buffer): unknown {
  try {
    return isUtf8(bytes) ? JSON.parse(bytes.toString()) : undefined;
  } catch {
    return undefined;
  }
}

/** A number in JSON text. `rounded`: a decimal of more than 17 digits. `lost`: a 64-bit number cannot hold it at all. */
export type InexactNumber = { at: number; text: string; kind: 'rounded' | 'lost' };

/** What a JSON text says that its parsed value does not. */
export type JsonScan = {
  /** The deepest nesting of objects and arrays. */
  depth: number;
  /** The first key that an object has twice. JSON.parse keeps the last value, other parsers the first. */
  repeatedKey: string | undefined;
  /** Numbers that JSON.parse changes: integers beyond 2^53, numbers beyond the range, and too many digits. */
  inexact: InexactNumber[];
};

/** Reads a text that is valid JSON once, without building its value. */
export function scanJson(text: string): JsonScan {
  /** For each open bracket: the keys of the object, undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  const scan: JsonScan = { depth: 0, repeatedKey: undefined, inexact: [] };
  let isKey = false;
  for (let here = 0; here < text.length; here += 1) {
    const unit = text.charCodeAt(here);
    if (unit === 0x22) {
      const end = endOfString(text, here);
      if (isKey) {
        const raw = text.slice(here + 1, end);
        const key = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
        const keys = open.at(-1);
        if (keys?.has(key) === true) scan.repeatedKey ??= key;
        keys?.add(key);
        isKey = false;
      }
      here = end;
    } else if (unit === 0x2c) isKey = open.at(-1) !== undefined;
    else if (unit === 0x7b || unit === 0x5b) {
      isKey = unit === 0x7b;
      open.push(isKey ? new Set() : undefined);
      if (open.length > scan.depth) scan.depth = open.length;
    } else if (unit === 0x7d || unit === 0x5d) {
      open.pop();
      isKey = false;
    } else if (unit === 0x2d || (unit >= 0x30 && unit <= 0x39)) {
      NUMBER.lastIndex = here;
      const number = NUMBER.exec(text)![0];
      const kind = number.length < 4 ? undefined : changeOf(number);
      if (kind !== undefined) scan.inexact.push({ at: here, text: number, kind });
      here += number.length - 1;
    }
  }
  return scan;
}

const NUMBER = /-?[\d.eE+-]*/y;

/** Returns the index of the quote that ends the string which begins at `from`. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); ; end = text.indexOf('"', end + 1)) {
    if (end === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}

/** How JSON.parse changes a number; undefined where it is the same. */
function changeOf(number: string): InexactNumber['kind'] | undefined {
  const value = Number(number);
  if (/^-?\d+$/.test(number)) return Number.isSafeInteger(value) ? undefined : 'lost';
  const [mantissa = ''] = number.split(/e/i, 1);
  const digits = mantissa.replace(/\D/g, '').replace(/^0+/, '');
  if (!Number.isFinite(value) || (value === 0 && digits !== '')) return 'lost';
  return digits.length > 17 && /[1-9]/.test(digits.slice(17)) ? 'rounded' : undefined;
}
