// JSON whose numbers keep their value: one that JavaScript would round is kept as its text.
import { hash } from 'node:crypto';
import { scanJson, type JsonScan } from './json-text.ts';

/** How often {@link ExactNumber.toJSON} was called. */
let conversions = 0;

/**
 * A number of JSON text as it was written, because JSON.parse would change it (9007199254740993, 1e400), or JSON.stringify
 * writes it in another way (-0, 2.0).
 */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** What JSON.stringify writes, which has no way to write the number. Use {@link exactJsonText}. */
  toJSON(): string {
    conversions += 1;
    return this.text;
  }

  toString(): string {
    return this.text;
  }
}

/** A long number or one with an exponent, or text that looks like one. Most texts have neither and need no scan. */
const MAY_BE_INEXACT = /(?:^|[:[,])\s*-?(?:\d[\d.]{14}|[\d.]+e)/i;

/**
 * Returns the value of a JSON text, with an {@link ExactNumber} for each number that JSON.parse changes. `scan` is that of
 * the text, where it is known. Throws SyntaxError for other text.
 */
export function parseExactJson(text: string, scan?: Pick<JsonScan, 'inexact'>): unknown {
  const value: unknown = JSON.parse(text);
  if (scan === undefined && !MAY_BE_INEXACT.test(text)) return value;
  const { inexact } = scan ?? scanJson(text);
  if (inexact.length === 0) return value;
  // No text contains its own hash, so no string in it begins with this mark.
  const mark = hash('sha256', text);
  let from = 0;
  const pieces = inexact.map(({ at, text: number }) => {
    const piece = `${text.slice(from, at)}"${mark}${number}"`;
    from = at + number.length;
    return piece;
  });
  return JSON.parse(pieces.join('') + text.slice(from), (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? new ExactNumber(value.slice(mark.length)) : value,
  );
}

/** The member of an event that holds what its sender wrote. */
const SENT = 'payload';

/**
 * Returns the scan of JSON that will be shown, where a number of a sender stays as it was written: 2.0, 1e2. It ends early where
 * more than `maxInexact` numbers are inexact.
 */
export function scanShownJson(text: string, maxInexact = Infinity): JsonScan {
  return scanJson(text, { asWritten: SENT, maxInexact });
}

/** Text that may have -0, or numbers of a sender. */
const MAY_BE_REWRITTEN = new RegExp(`(?:^|[:[,])\\s*-0|"${SENT}"`);

/** Like {@link parseExactJson}, for JSON that will be shown. */
export function parseShownJson(text: string): unknown {
  return parseExactJson(text, MAY_BE_REWRITTEN.test(text) ? scanShownJson(text) : undefined);
}

/** Returns a value as JSON text like JSON.stringify, with each {@link ExactNumber} as the number that it is. */
export function exactJsonText(value: unknown, indent?: number): string {
  const before = conversions;
  const text = JSON.stringify(value, null, indent);
  if (conversions === before) return text;
  const mark = hash('sha256', text);
  const marked = JSON.stringify(
    value,
    function (this: Record<string, unknown>, key, member: unknown) {
      const own = this[key];
      return own instanceof ExactNumber ? mark + own.text : member;
    },
    indent,
  );
  return marked.replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1');
}
