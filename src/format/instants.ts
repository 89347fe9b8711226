// How instants are shown to people: in the zone of the user, in UTC, or as a distance from now. Machine forms show them as they are.
import { instantOf, isoInstant } from '../contract/instant-forms.ts';
import { formatMinute, formatSecond } from './numbers.ts';

/** How instants are shown. */
export type InstantStyle = {
  /** The time zone; undefined: that of this machine. */
  timeZone: string | undefined;
  /** Distances from now, so that no zone needs to be named. */
  isRelative: boolean;
  /**
   * Returns an instant to the minute, or to the second, or as its distance from now; other text unchanged. `offset`: minutes
   * that its zone is ahead of UTC, undefined where it is relative or not an instant.
   */
  show(instant: string, precision?: Precision): ShownInstant;
};

/** An instant as it is shown; see {@link InstantStyle.show}. */
export type ShownInstant = { text: string; offset: number | undefined };

/** To what an instant is shown. */
export type Precision = 'minute' | 'second';

const FORMATS = { minute: formatMinute, second: formatSecond };

const MINUTE_MS = 60_000;

/** Instants in UTC. */
export const UTC_INSTANTS: InstantStyle = {
  timeZone: 'UTC',
  isRelative: false,
  show(shown, precision = 'minute') {
    const instant = inUtc(shown);
    const text = FORMATS[precision](instant);
    return { text, offset: text === instant ? undefined : 0 };
  },
};

/**
 * Returns the style of a run. `timeZone` is the value of TZ; without one, or with one that is not known, it is the zone of this
 * machine. `now` returns milliseconds since 1970.
 */
export function instantStyle(options: {
  utc: boolean;
  relative: boolean;
  timeZone: string | undefined;
  now(): number;
}): InstantStyle {
  const { utc, relative, now } = options;
  const timeZone = utc ? 'UTC' : options.timeZone;
  return {
    timeZone,
    isRelative: relative,
    show(shown, precision = 'minute') {
      const instant = inUtc(shown);
      const format = FORMATS[precision];
      const text = format(instant);
      const ms = Date.parse(instant);
      if (text === instant || Number.isNaN(ms)) return { text: instant, offset: undefined };
      if (relative) return { text: distance(now() - ms), offset: undefined };
      const offset = utc ? 0 : offsetAt(ms, timeZone);
      return { text: offset === 0 ? text : format(moved(ms, offset)), offset };
    },
  };
}

/** Returns an instant of another service in UTC: one with an offset, an HTTP date, or a number since 1970. Other text is unchanged. */
function inUtc(text: string): string {
  const isZoned = /^\d{4}-\d\d-\d\d[T ][\d:.]{5,18}[+-]\d\d:?\d\d$/.test(text) || text.endsWith(' GMT');
  const instant = isZoned ? instantOf(text) : undefined;
  return instant === undefined ? (isoInstant(text) ?? text) : new Date(instant).toISOString();
}

/** Returns an instant with its zone, `2004-01-01 13:00 UTC+1`, for lines without a heading. */
export function zonedInstant(instant: string, style: InstantStyle): string {
  const { text, offset } = style.show(instant);
  return offset === undefined ? text : `${text} ${zoneName([offset])}`;
}

/** Returns `STARTED (UTC+1)`: the name of a column, and the zone of its instants where there are some. */
export function zonedHeading(name: string, offsets: ReadonlySet<number>): string {
  return offsets.size === 0 ? name : `${name} (${zoneName(offsets)})`;
}

/** Returns the name of the zones with these offsets: `UTC`, `UTC+5:30`, `UTC+1/+2` for a zone with summer time. */
export function zoneName(offsets: Iterable<number>): string {
  const names = [...new Set(offsets)].sort((a, b) => a - b).map(signedHours);
  if (names.length === 1 && names[0] === '+0') return 'UTC';
  // Zones had odd offsets before there were time zones: then only the first and the last are named.
  return `UTC${names.length > 2 ? `${names[0]}…${names.at(-1)}` : names.join('/')}`;
}

function signedHours(offset: number): string {
  const minutes = Math.abs(offset) % 60;
  const hours = `${offset < 0 ? '-' : '+'}${Math.floor(Math.abs(offset) / 60)}`;
  return minutes === 0 ? hours : `${hours}:${String(minutes).padStart(2, '0')}`;
}

/** Returns the instant whose digits in UTC are those of `ms` in a zone; `ms` itself at the end of what a date can be. */
function moved(ms: number, offset: number): string {
  const date = new Date(ms + offset * MINUTE_MS);
  return (Number.isNaN(date.getTime()) ? new Date(ms) : date).toISOString();
}

/** Offsets change at quarters of an hour at most, so those of a list are looked up, not computed. */
const SLOT_MS = 15 * MINUTE_MS;
const MAX_SLOTS = 20_000;
const OFFSETS = new Map<string | undefined, { format: Intl.DateTimeFormat; slots: Map<number, number> }>();

function offsetAt(ms: number, timeZone: string | undefined): number {
  let zone = OFFSETS.get(timeZone);
  if (zone === undefined)
    OFFSETS.set(timeZone, (zone = { format: offsetFormat(timeZone), slots: new Map() }));
  const slot = Math.floor(ms / SLOT_MS);
  let offset = zone.slots.get(slot);
  if (offset === undefined) {
    if (zone.slots.size >= MAX_SLOTS) zone.slots.clear();
    const parts = zone.format.formatToParts(slot * SLOT_MS);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = '0', minutes = '0'] = /^GMT([+-])(\d+):(\d+)/.exec(name) ?? [];
    offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
    zone.slots.set(slot, offset);
  }
  return offset;
}

function offsetFormat(timeZone: string | undefined): Intl.DateTimeFormat {
  const fields = { hour: '2-digit', timeZoneName: 'longOffset' } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { ...fields, ...(timeZone ? { timeZone } : {}) });
  } catch {
    return new Intl.DateTimeFormat('en-US', fields);
  }
}

const UNITS = [
  { ms: 365.2425 * 24 * 60 * MINUTE_MS, name: 'year' },
  { ms: 30.44 * 24 * 60 * MINUTE_MS, name: 'month' },
  { ms: 24 * 60 * MINUTE_MS, name: 'day' },
  { ms: 60 * MINUTE_MS, name: 'hour' },
  { ms: MINUTE_MS, name: 'minute' },
];

/** Returns `3 days ago`, `in 2 hours`, `just now`. */
function distance(ago: number): string {
  const size = Math.abs(ago);
  const unit = UNITS.find(({ ms }) => size >= ms);
  if (unit === undefined) return 'just now';
  const count = Math.floor(size / unit.ms);
  const amount = `${count} ${unit.name}${count === 1 ? '' : 's'}`;
  return ago < 0 ? `in ${amount}` : `${amount} ago`;
}
