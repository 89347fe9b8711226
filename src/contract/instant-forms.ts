// Reads the forms in which services write instants: ISO 8601, numbers since 1970, dates of mails and of .NET.

/** Smaller numbers are seconds since 1970, from here on milliseconds. As seconds it is the year 5138. */
const MIN_MILLISECONDS = 1e11;
/** The same in microseconds and nanoseconds. */
const MIN_MICROSECONDS = 1e14;
const MIN_NANOSECONDS = 1e17;

/** A number as text: of 9 digits at least, since smaller ones are places and counts. */
const DIGITS = /^\d{9,19}(?:\.\d{1,9})?$/;
/** As .NET writes instants. Its zone is only how to show it. */
const DOT_NET = /^\\?\/Date\((-?\d{1,15})(?:[+-]\d{4})?\)\\?\/$/;
/** As mails have it (RFC 5322 3.3), with a zone. */
const OF_MAIL =
  /^(?:[A-Z]{3,9}, *)?\d{1,2} [A-Z]{3,9} \d{4} \d{1,2}:\d\d(?::\d\d)? (?:[+-]\d{4}|GMT|UTC|Z)$/i;
const MAX_TEXT_LENGTH = 50;

/**
 * Returns an instant that is written in another form than ISO 8601 as an ISO instant: a number since 1970, also as text, or a date of
 * .NET or of a mail; undefined for anything else.
 */
export function isoInstant(value: unknown): string | undefined {
  const ms = typeof value === 'number' ? msOf(value) : typeof value === 'string' ? msIn(value) : undefined;
  if (ms === undefined) return undefined;
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function msOf(number: number): number {
  const size = Math.abs(number);
  if (size < MIN_MILLISECONDS) return number * 1000;
  if (size < MIN_MICROSECONDS) return number;
  return Math.trunc(number / (size < MIN_NANOSECONDS ? 1e3 : 1e6));
}

function msIn(text: string): number | undefined {
  // Most instants are in ISO 8601, and each row of a list has some.
  if (text.length < 9 || text.length > MAX_TEXT_LENGTH || text[4] === '-') return undefined;
  if (DIGITS.test(text)) return msOf(Number(text));
  const ticks = DOT_NET.exec(text)?.[1];
  if (ticks !== undefined) return Number(ticks);
  return OF_MAIL.test(text) ? Date.parse(text) : undefined;
}

/**
 * Returns an instant in milliseconds since 1970; undefined where a value is none. A date without a zone is taken to be in UTC.
 */
export function instantOf(value: unknown): number | undefined {
  const text = isoInstant(value) ?? value;
  if (typeof text !== 'string' || text.length > 40) return undefined;
  const [, date, time = '00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text) ?? [];
  // Other dates count where they name their zone, as those of mails do.
  const isZoned = date === undefined && /(?:[+-]\d{4}|GMT|UTC)$/.test(text);
  const instant = Date.parse(
    date === undefined ? (isZoned ? text : '') : `${date}T${time}${zone.toUpperCase()}`,
  );
  return Number.isNaN(instant) ? undefined : instant;
}
