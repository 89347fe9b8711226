// When a token expires, by the service's clock and with the drift that the service reported. Pure functions.
import type { TokenEntry } from './token-store.ts';

type Timed = Pick<
  TokenEntry,
  'expires_at' | 'timeline_offset_ms' | 'session_drift_ms' | 'obtained_at' | 'clock_offset_ms'
>;

/** A clock that is off by more than this many milliseconds is reported. */
export const CLOCK_TOLERANCE_MS = 60_000;
/** A longer lifetime means that a clock is wrong. */
const MAX_TOKEN_LIFETIME_MS = 366 * 86_400_000;

/**
 * Returns when a token counts as expired, in milliseconds since the epoch by the service's clock; undefined where the service did not say it. This is `expires_at` plus
 * `timeline_offset_ms + session_drift_ms` where that is earlier, never later. The service reports its drift, but not in which
 * direction to apply it (interface 1, 2.3, 5): an early renewal costs one request, a late one a failure.
 * A drift by which the token would have expired before it was obtained is ignored.
 */
export function effectiveExpiry(token: Timed): number | undefined {
  if (token.expires_at === undefined) return undefined;
  const expires = Date.parse(token.expires_at);
  const drift = (token.timeline_offset_ms ?? 0) + (token.session_drift_ms ?? 0);
  const moved = expires + Math.min(0, drift);
  return moved > Date.parse(token.obtained_at) + token.clock_offset_ms ? moved : expires;
}

/**
 * Returns the milliseconds until a token counts as expired, negative after that; without end where that is not known. `now` is local
 * time.
 */
export function timeLeft(token: Timed, now: number): number {
  // Where the local clock was set back to before the token was obtained, its age is unknown: the service decides.
  const local = Math.max(now, Date.parse(token.obtained_at));
  return (effectiveExpiry(token) ?? Infinity) - (local + token.clock_offset_ms);
}

/** Returns whether a token counts as expired. `now` is local time. */
export function isExpired(token: Timed, now: number): boolean {
  return timeLeft(token, now) <= 0;
}

/**
 * What the response to a token request says about the local clock. `offset` is the service's clock minus ours in
 * milliseconds. `expired`: the token had expired already. `notice` is a line for the user, where something is wrong.
 */
export type ClockReading = { offset: number; expired: boolean; notice?: string };

/**
 * Returns what the Date header of a token response says about the clock. `serverTime` is the header in milliseconds since the
 * epoch, undefined where it is missing or invalid. A Date that contradicts `expires_at`, where our clock does not, is
 * ignored. Nothing is said of the clock where the token has no end that is known.
 */
export function readClock(
  serverTime: number | undefined,
  now: number,
  expiresAt: string | undefined,
): ClockReading {
  if (expiresAt === undefined) return { offset: 0, expired: false };
  const expires = Date.parse(expiresAt);
  const fits = (time: number) => expires > time && expires - time <= MAX_TOKEN_LIFETIME_MS;
  const offset = serverTime === undefined || Number.isNaN(serverTime) ? undefined : serverTime - now;
  if (offset === undefined) {
    return {
      offset: 0,
      expired: expires <= now,
      notice: 'the service sent no usable Date; expiry is judged by the clock of this machine',
    };
  }
  if (!fits(now + offset) && fits(now)) {
    return {
      offset: 0,
      expired: false,
      notice: 'the Date of the service does not fit its token; it is ignored',
    };
  }
  return { offset, expired: expires <= now + offset, ...noticeOf(offset) };
}

function noticeOf(offset: number): { notice?: string } {
  if (Math.abs(offset) <= CLOCK_TOLERANCE_MS) return {};
  return {
    notice: `your clock is off by ${describeClockOffset(offset)}; expiry is judged by the clock of the service`,
  };
}

/** Returns an offset (the service's clock minus ours, in milliseconds) as `2 h 5 min (ahead)`: our clock is ahead. */
export function describeClockOffset(offset: number): string {
  const seconds = Math.round(Math.abs(offset) / 1000);
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  const shown = parts
    .slice(Math.max(first, 0), Math.max(first, 0) + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`);
  return `${shown.join(' ') || '0 s'} (${offset < 0 ? 'ahead' : 'behind'})`;
}
