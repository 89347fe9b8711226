// Parses the Date field of a mail: the form of RFC 5322, and forms that older mailers wrote.

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = `(${MONTHS.join('|')})[a-z]*`;
const TIME = String.raw`(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?`;
const DAY_FIRST = new RegExp(String.raw`(\d{1,2})[\s-]*${MONTH}[\s,.-]*(\d{2,4})[\s,]+${TIME}\s*(\S*)`, 'i');
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

/** Returns milliseconds since the epoch, or null when the text contains no date. */
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
  if (year === '') return null;
  const written = Number(year);
  // RFC 5322 4.3 reads two digits as 1950 to 2049. No mail is older than 1969, and common readers begin there.
  const full = written >= 100 ? written : written + (written > 68 ? 1900 : 2000);
  const at = Date.UTC(full, MONTHS.indexOf(month.toLowerCase()), +day, +hour, +minute, +second);
  return at - minutesEast(zone) * 60_000;
}

function minutesEast(zone: string): number {
  const written = /^[-+]?\d+/.exec(zone)?.[0];
  if (written === undefined) return 60 * (ZONE_HOURS[zone.toLowerCase()] ?? 0);
  return Math.trunc(Number(written) / 100) * 60 + (Number(written) % 100);
}
