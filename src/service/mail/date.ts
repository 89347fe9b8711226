// Parses the Date field of a mail: the form of RFC 5322, and forms that older mailers wrote.
import { ownValue } from '../../contract/own-value.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = `(${MONTHS.join('|')})[a-z]*`;
const TIME = String.raw`(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?`;
const DAY_FIRST = new RegExp(
  String.raw`(?<!\d)0?(\d{1,2})[\s-]*${MONTH}[\s,.-]*(\d{2,4})[\s,]+${TIME}\s*(\S*)`,
  'i',
);
const MONTH_FIRST = new RegExp(
  String.raw`\b${MONTH}\s+(\d{1,2})(?:,?\s+(\d{4}))?,?\s+${TIME}(?:\s+([-+]\d{4}|[a-z]{1,5}))?(?:\s+(\d{4}))?`,
  'i',
);

/** Hours east of Greenwich of the zone names of RFC 5322 4.3. Any other name counts as UTC. */
const ZONE_HOURS: Record<string, number> = {
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
};

/**
 * Returns milliseconds since the epoch, or null when the text contains no date. Null also for a date that does not exist: a
 * day that its month lacks, a time beyond 23:59:60, a year of three digits, a zone of a day or more. No date is guessed.
 */
export function parseMailDate(text: string): number | null {
  const dayFirst = DAY_FIRST.exec(text);
  if (dayFirst !== null) {
    const [, day, month, year, hour, minute, second, zone] = dayFirst;
    return instant(year, month, day, hour, minute, second, zone);
  }
  const monthFirst = MONTH_FIRST.exec(text);
  if (monthFirst === null) return null;
  const [, month, day, yearBefore, hour, minute, second, zone, yearAfter] = monthFirst;
  return instant(yearBefore ?? yearAfter, month, day, hour, minute, second, zone);
}

function instant(
  year = '',
  month = '',
  day = '',
  hour = '',
  minute = '',
  second = '0',
  zone = '',
): number | null {
  // Three digits can mean 1900 more, or a digit that was lost.
  if (year.length !== 2 && year.length !== 4) return null;
  const written = Number(year);
  // RFC 5322 4.3 reads two digits as 1950 to 2049. No mail is older than 1969, and common readers begin there.
  const full = year.length === 4 ? written : written + (written > 68 ? 1900 : 2000);
  const east = minutesEast(zone);
  if (east === null || +hour > 23 || +minute > 59 || +second > 60) return null;
  const midnight = new Date(0);
  // Unlike Date.UTC, this takes years below 100 as they are.
  midnight.setUTCFullYear(full, MONTHS.indexOf(month.toLowerCase()), +day);
  if (midnight.getUTCDate() !== +day) return null;
  return midnight.getTime() + ((+hour * 60 + +minute - east) * 60 + +second) * 1000;
}

/** Returns the offset of a zone: `+0130`, `+01:30`, `+1` or a name. Null when it is a day or more, or has over 59 minutes. */
function minutesEast(zone: string): number | null {
  const [, sign, digits = '', afterColon] = /^([-+]?)(\d+)(?::(\d{2}))?/.exec(zone) ?? [];
  if (digits === '') return 60 * (ownValue(ZONE_HOURS, zone.toLowerCase()) ?? 0);
  const hours = digits.length > 2 ? Math.trunc(Number(digits) / 100) : Number(digits);
  const minutes = digits.length > 2 ? Number(digits) % 100 : Number(afterColon ?? 0);
  if (hours > 23 || minutes > 59) return null;
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes);
}
