// The instant a Date field names, as RFC 5322 writes it and as older mailers did; null where it names none.

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = `(${MONTHS.join('|')})[a-z]*`;
const TIME = String.raw`(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?`;
const DAY_FIRST = new RegExp(String.raw`(\d{1,2})[\s-]*${MONTH}[\s,.-]*(\d{2,4})[\s,]+${TIME}\s*(\S*)`, 'i');
const MONTH_FIRST = new RegExp(
  String.raw`\b${MONTH}\s+(\d{1,2})(?:,?\s+(\d{4}))?,?\s+${TIME}(?:\s+([-+]\d{4}|[a-z]{1,5}))?(?:\s+(\d{4}))?`,
  'i',
);

/** Hours east of Greenwich of the zone names of RFC 5322 4.3; any other name says nothing and counts as UTC. */
const ZONES: Record<string, number> = {
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
};

/** Milliseconds since the epoch. */
export function parseMailDate(text: string): number | null {
  const dayFirst = DAY_FIRST.exec(text);
  if (dayFirst !== null) {
    const [, day, month, year, hour, minute, second, zone] = dayFirst;
    return instant(year, month, day, hour, minute, second, zone);
  }
  const monthFirst = MONTH_FIRST.exec(text);
  if (monthFirst === null) return null;
  const [, month, day, early, hour, minute, second, zone, late] = monthFirst;
  return instant(early ?? late, month, day, hour, minute, second, zone);
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
  // RFC 5322 4.3 counts two digits from 1950; mail is younger than 1969, which is where common readers cut.
  const full = written >= 100 ? written : written + (written > 68 ? 1900 : 2000);
  const at = Date.UTC(full, MONTHS.indexOf(month.toLowerCase()), +day, +hour, +minute, +second);
  return at - minutesEast(zone) * 60_000;
}

function minutesEast(zone: string): number {
  const written = /^[-+]?\d+/.exec(zone)?.[0];
  if (written === undefined) return 60 * (ZONES[zone.toLowerCase()] ?? 0);
  return Math.trunc(Number(written) / 100) * 60 + (Number(written) % 100);
}
