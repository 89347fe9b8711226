// Times as ISO 8601 text.

const DAY_MS = 86_400_000;
/** The first and last millisecond that a JavaScript date can express, without the sign. */
const MAX_DATE_MS = 8.64e15;
const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));

/** The last date that was formatted. Neighbouring rows mostly have the same date, and `toISOString` is slow. */
let lastDay = { day: Number.NaN, text: '' };

/** Returns ISO 8601 in UTC with milliseconds; null for null and for a time that a date cannot express. */
export function instantOf(ms: number | null): string | null {
  if (ms === null || Math.abs(ms) > MAX_DATE_MS) return null;
  const day = Math.floor(ms / DAY_MS);
  if (day !== lastDay.day) lastDay = { day, text: new Date(day * DAY_MS).toISOString().slice(0, -13) };
  const time = ms - day * DAY_MS;
  const [hour, minute] = [Math.floor(time / 3_600_000), Math.floor(time / 60_000) % 60];
  const [second, milli] = [Math.floor(time / 1000) % 60, time % 1000];
  const end = milli < 10 ? `00${milli}` : milli < 100 ? `0${milli}` : milli;
  return `${lastDay.text}${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[second]}.${end}Z`;
}
