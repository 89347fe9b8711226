// The dates of a query: a year, a month, a day, a minute, a second, or a time before today. All are in UTC.
import { cutText } from './cut-text.ts';

/** Milliseconds since the epoch; `end` is not part of the period. */
export type Period = { start: number; end: number };

const DAY_MS = 86_400_000;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** Returns dates as they may be given behind an option or a field, such as `since:`. */
export function dateExamples(before: string): string {
  const dates = ['2021', '2021-03', '2021-03-04', 'yesterday', '5d', '3m (3 months ago)'];
  return dates.map((date) => `${before}${date}`).join(', ');
}

/**
 * Returns the period that a text names: `2021`, `2021-03`, `2021-03-04`, a time of RFC 3339 (also without its zone or seconds),
 * `today`, `yesterday`, a day of the week (the last one, today included), or so many days, weeks, months or years ago (`3d`,
 * `2w`, `6m`, `1y`). A text instead says what is wrong.
 */
export function parsePeriod(text: string, now: number): Period | string {
  const name = text.toLowerCase();
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  if (name === 'today') return dayFrom(today);
  if (name === 'yesterday') return dayFrom(today - DAY_MS);
  const weekday = WEEKDAYS.indexOf(name);
  if (weekday >= 0) return dayFrom(today - ((new Date(today).getUTCDay() - weekday + 7) % 7) * DAY_MS);
  const ago = /^(\d{1,4})([dwmy])$/.exec(name);
  if (ago !== null) return dayFrom(timeAgo(today, Number(ago[1]), ago[2]!));
  const date = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?$/.exec(name);
  if (date !== null) return calendarPeriod(Number(date[1]), date[2], date[3]);
  return instant(text);
}

function dayFrom(start: number): Period {
  return { start, end: start + DAY_MS };
}

function timeAgo(today: number, count: number, unit: string): number {
  if (unit === 'd') return today - count * DAY_MS;
  if (unit === 'w') return today - 7 * count * DAY_MS;
  const then = new Date(today);
  const months = unit === 'y' ? 12 * count : count;
  const first = Date.UTC(then.getUTCFullYear(), then.getUTCMonth() - months, 1);
  const month = new Date(first);
  const days = daysIn(month.getUTCFullYear(), month.getUTCMonth() + 1);
  // A month before 31 March is the last day of February.
  return first + (Math.min(then.getUTCDate(), days) - 1) * DAY_MS;
}

function calendarPeriod(year: number, month?: string, day?: string): Period | string {
  if (month === undefined) return { start: utc(year, 1, 1), end: utc(year + 1, 1, 1) };
  if (Number(month) < 1 || Number(month) > 12) return `there is no month ${month}`;
  if (day === undefined) return { start: utc(year, Number(month), 1), end: utc(year, Number(month) + 1, 1) };
  const days = daysIn(year, Number(month));
  if (Number(day) < 1 || Number(day) > days)
    return `there is no such day: ${String(year).padStart(4, '0')}-${month} has ${days} days`;
  return dayFrom(utc(year, Number(month), Number(day)));
}

function daysIn(year: number, month: number): number {
  return new Date(utc(year, month + 1, 1) - DAY_MS).getUTCDate();
}

/** As Date.UTC, which takes years below 100 for those of the 20th century. */
function utc(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime();
}

function instant(text: string): Period | string {
  const parts = /^((\d{4})-(\d\d)-(\d\d))[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/i.exec(
    text,
  );
  if (parts === null) return `"${cutText(text)}" is no date`;
  const [, date, year, month, day, minute, second, zone = 'Z'] = parts;
  const days = calendarPeriod(Number(year), month, day);
  if (typeof days === 'string') return days;
  const start = Date.parse(`${date}T${minute}${second ?? ''}${zone.toUpperCase()}`);
  if (Number.isNaN(start)) return `"${cutText(text)}" is no time`;
  return { start, end: start + (second === undefined ? 60_000 : 1000) };
}
