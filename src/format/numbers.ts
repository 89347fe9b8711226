// Formats numbers, sizes, durations and instants for people, the same in every locale and time zone.

/** Returns a count with separators: 4061 → `4,061`. */
export function formatCount(count: number): string {
  return String(count).replace(/^(-?)(\d+)/, (_, sign: string, digits: string) => {
    const first = digits.length % 3 || 3;
    return sign + digits.slice(0, first) + digits.slice(first).replace(/\d{3}/g, ',$&');
  });
}

/** Returns a count with its noun: `plural(1, 'row')` → `1 row`, `plural(2, 'row')` → `2 rows`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns `1 of 5 files is` or `3 of 5 files are`, to begin a sentence about a part of some things. */
export function partOf(part: number, total: number, noun: string): string {
  return `${formatCount(part)} of ${plural(total, noun)} ${part === 1 ? 'is' : 'are'}`;
}

const UNITS = ['kB', 'MB', 'GB', 'TB', 'PB'];

/** Returns bytes in powers of 1000: 999 → `999 B`, 1234567 → `1.2 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 'B';
  for (const next of UNITS) {
    // Not 1000: 999.96 kB would read `1000.0 kB`.
    if (value < (unit === 'B' ? 1000 : 999.95)) break;
    value /= 1000;
    unit = next;
  }
  return `${unit === 'B' ? value : value.toFixed(1)} ${unit}`;
}

/** Returns a duration in milliseconds with its two largest units: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`, `4 d 1 h`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}

/** Returns a share of 0 to 1 as `0 %`, `0.3 %` or `12 %`. Only 0 becomes `0 %`, only 1 becomes `100 %`. */
export function formatPercent(share: number): string {
  const value = share * 100;
  if (value === 0 || value === 100) return `${value} %`;
  if (value < 10) return `${Math.max(0.1, value).toFixed(1)} %`;
  return `${value > 99 ? Math.min(99.9, value).toFixed(1) : Math.round(value)} %`;
}

/** Returns an instant to the minute in UTC, `2004-01-01 12:00`. Any other text is returned unchanged. */
export function formatMinute(instant: string): string {
  const found = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z$/.exec(instant);
  return found === null ? instant : `${found[1]} ${found[2]}`;
}

/** Returns an instant to the second in UTC, `2004-01-01 12:00:07`. Any other text is returned unchanged. */
export function formatSecond(instant: string): string {
  const found = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(instant);
  return found === null ? instant : `${found[1]} ${found[2]}`;
}

/**
 * Returns an instant in a time zone, `Fri, 1 Mar 2019 23:11 +0100`. Without a zone, or with one that is not known, in that of
 * this machine. Returns any other text unchanged.
 */
export function formatLocal(instant: string, timeZone: string | undefined): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return instant;
  const parts = new Map(
    localFormat(timeZone)
      .formatToParts(date)
      .map(({ type, value }) => [type, value]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  const offset = of('timeZoneName').replace(/^GMT/, '').replace(':', '') || '+0000';
  const year = date.getUTCFullYear() < 1 ? `${of('year')} ${of('era')}` : of('year');
  return `${of('weekday')}, ${of('day')} ${of('month')} ${year} ${of('hour')}:${of('minute')} ${offset}`;
}

const LOCAL_FORMATS = new Map<string | undefined, Intl.DateTimeFormat>();

function localFormat(timeZone: string | undefined): Intl.DateTimeFormat {
  const known = LOCAL_FORMATS.get(timeZone);
  if (known !== undefined) return known;
  const fields = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', era: 'short' } as const;
  const options = {
    ...fields,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  } as const;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { ...options, ...(timeZone ? { timeZone } : {}) });
  } catch {
    format = new Intl.DateTimeFormat('en-US', options);
  }
  LOCAL_FORMATS.set(timeZone, format);
  return format;
}

/** Returns a number with three significant digits: 0.20837 → `0.208`, 1234.5 → `1230`, 2e300 → `2.00e+300`. */
export function formatSignificant(value: number): string {
  const rounded = Number(value.toPrecision(3));
  return Math.abs(rounded) < 1e6 ? String(rounded) : value.toExponential(2);
}
