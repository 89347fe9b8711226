// Reads instants that a service writes as a number or in another form than ISO 8601.

/** Numbers from here on are milliseconds since 1970, smaller ones are seconds. As seconds it is the year 5138. */
const FIRST_MILLISECONDS = 1e11;

/**
 * Returns a number of seconds or milliseconds since 1970 as an ISO instant, also one that is written as text of 9 to 14
 * digits; undefined for anything else.
 */
export function isoInstant(value: unknown): string | undefined {
  const isText = typeof value === 'string' && value.length <= 14 && /^\d{9,14}$/.test(value);
  if (!isText && typeof value !== 'number') return undefined;
  const number = Number(value);
  const date = new Date(Math.abs(number) >= FIRST_MILLISECONDS ? number : number * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
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
