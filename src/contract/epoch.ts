// Reads instants that a service writes as a number.

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
