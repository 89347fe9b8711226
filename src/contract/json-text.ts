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

/** JSON text with its value, and what the value does not say. */
export type ParsedJson = { value: unknown; scan: JsonScan };

/** Returns the value of a JSON text and its scan. Throws SyntaxError for other text. */
export function parseJsonText(text: string): ParsedJson {
  return { value: JSON.parse(text), scan: scanJson(text) };
}

/** A number in JSON text. */
export type JsonNumber = { at: number; text: string };

/** The value of a member, as it is written. `inexact`: those of its numbers, by their places in `text`. */
export type JsonMember = { text: string; inexact: JsonNumber[] };

/** What a JSON text says that its parsed value does not. */
export type JsonScan = {
  /** The deepest nesting of objects and arrays. */
  depth: number;
  /** The first key that an object has twice. JSON.parse keeps the last value, other parsers the first. */
  repeatedKey: string | undefined;
  /**
   * Numbers that JSON.parse changes (beyond the range, too many digits), and integers beyond 2^53: String() would write some
   * of them with an exponent. With `asWritten` more, see {@link scanJson}.
   */
  inexact: JsonNumber[];
  /** The members of the outermost object: key → its value as it is written, without the white space around it. */
  members: Map<string, JsonMember>;
};

/**
 * Reads a text that is valid JSON once, without building its value. Within members of the name `asWritten` each number is
 * inexact that JSON.stringify would write in another way (2.0, 1e2), and -0 everywhere. Ends after `maxInexact` inexact numbers
 * and one more.
 */
export function scanJson(
  text: string,
  { asWritten, maxInexact = Infinity }: { asWritten?: string; maxInexact?: number } = {},
): JsonScan {
  /** For each open bracket: the keys of the object, undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  const scan: JsonScan = { depth: 0, repeatedKey: undefined, inexact: [], members: new Map() };
  let isKey = false;
  let lastKey: string | undefined;
  /** How many brackets are open within the member whose numbers stay as they are written. */
  let writtenDepth = Infinity;
  const isInexact = (number: string): boolean => {
    if (number.length > 3 && isChanged(number)) return true;
    if (asWritten === undefined || isShortInteger(number)) return false;
    const value = Number(number);
    return open.length >= writtenDepth ? JSON.stringify(value) !== number : Object.is(value, -0);
  };
  /** The member of the outermost object that is being read, and where its value begins. */
  let member: { key: string; from: number; numbers: number } | undefined;
  const endMember = (to: number): void => {
    if (member === undefined || open.length > 1) return;
    const untrimmed = text.slice(member.from, to).trimEnd();
    const value = untrimmed.trimStart();
    const start = member.from + untrimmed.length - value.length;
    const inexact = scan.inexact
      .slice(member.numbers)
      .map((number) => ({ ...number, at: number.at - start }));
    scan.members.set(member.key, { text: value, inexact });
  };
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
        lastKey = key;
        if (open.length === 1)
          member = { key, from: text.indexOf(':', end) + 1, numbers: scan.inexact.length };
      }
      here = end;
    } else if (unit === 0x2c) {
      endMember(here);
      isKey = open.at(-1) !== undefined;
      lastKey = undefined;
    } else if (unit === 0x7b || unit === 0x5b) {
      isKey = unit === 0x7b;
      open.push(isKey ? new Set() : undefined);
      if (open.length > scan.depth) scan.depth = open.length;
      if (asWritten !== undefined && lastKey === asWritten)
        writtenDepth = Math.min(writtenDepth, open.length);
      lastKey = undefined;
    } else if (unit === 0x7d || unit === 0x5d) {
      endMember(here);
      open.pop();
      if (open.length < writtenDepth) writtenDepth = Infinity;
      isKey = false;
    } else if (unit === 0x2d || (unit >= 0x30 && unit <= 0x39)) {
      NUMBER.lastIndex = here;
      const number = NUMBER.exec(text)![0];
      if (isInexact(number)) scan.inexact.push({ at: here, text: number });
      if (scan.inexact.length > maxInexact) break;
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

/** A decimal of up to 15 digits is the shortest text of its 64-bit number, if that is no subnormal number. */
const MAX_CERTAIN_DIGITS = 15;
const MIN_CERTAIN_VALUE = 1e-290;

/** Returns whether a number has digits only, and so few that JSON.stringify writes them again. */
function isShortInteger(number: string): boolean {
  return number.length <= MAX_CERTAIN_DIGITS && /^\d+$/.test(number);
}

/** Returns whether JSON.parse changes the value of a number, or the number is an integer beyond 2^53. */
function isChanged(number: string): boolean {
  if (number.length <= MAX_CERTAIN_DIGITS && !/e/i.test(number)) return false;
  const exponentAt = exponentIn(number);
  const value = Number(number);
  if (!Number.isFinite(value)) return true;
  if (exponentAt === -1 && !number.includes('.')) return !Number.isSafeInteger(value);
  const mantissa = exponentAt === -1 ? number : number.slice(0, exponentAt);
  if (mantissa.length <= MAX_CERTAIN_DIGITS && Math.abs(value) >= MIN_CERTAIN_VALUE) return false;
  return value === 0 ? /[1-9]/.test(mantissa) : decimalOf(number) !== decimalOf(String(value));
}

/** Returns where the exponent of a number begins, -1 where it has none. */
function exponentIn(number: string): number {
  const at = number.indexOf('e');
  return at === -1 ? number.indexOf('E') : at;
}

/** Exponents up to here are added to the number of digits without rounding. */
const MAX_EXPONENT = 1e15;

/**
 * Returns a number of JSON text in one form for each value: its digits without zeros at either end, and an exponent:
 * `-15e-1` for -1.5 and -1.50, `0` for any zero. Undefined for an exponent of 10^15 or more.
 */
export function decimalOf(number: string): string | undefined {
  const exponentAt = exponentIn(number);
  const end = exponentAt === -1 ? number.length : exponentAt;
  const sign = number.startsWith('-') ? '-' : '';
  const point = number.indexOf('.');
  const fraction = point === -1 ? '' : number.slice(point + 1, end);
  const digits = number.slice(sign.length, point === -1 ? end : point) + fraction;
  let [from, to] = [0, digits.length];
  while (digits.charCodeAt(from) === 0x30) from += 1;
  if (from === to) return '0';
  while (digits.charCodeAt(to - 1) === 0x30) to -= 1;
  const power = exponentAt === -1 ? 0 : Number(number.slice(end + 1));
  if (Math.abs(power) >= MAX_EXPONENT) return undefined;
  return `${sign}${digits.slice(from, to)}e${power - fraction.length + digits.length - to}`;
}
