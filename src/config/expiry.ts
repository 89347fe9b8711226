// When a token ends, told with the drift the service reported and its clock instead of ours. Pure.
import type { TokenEntry } from './token-store.ts';

type Timed = Pick<
  TokenEntry,
  'expires_at' | 'timeline_offset_ms' | 'session_drift_ms' | 'obtained_at' | 'clock_offset_ms'
>;

/** Off by more than this, in milliseconds, a clock is spoken of. */
export const CLOCK_TOLERANCE = 60_000;
/** A token that would live longer than this says more about a clock than about itself. */
const LONGEST_LIFE = 366 * 86_400_000;

/**
 * The moment from which a token counts as expired, in milliseconds of the service's clock: `expires_at` moved by
 * `timeline_offset_ms + session_drift_ms` where that makes it earlier, never later (interface 1, 2.3, 5.2: the service
 * reports its drift, but not which way to apply it; an early renewal costs one request, a late one a failure).
 * A drift that would end the token before it was obtained cannot be about its life and is left out.
 */
export function effectiveExpiry(token: Timed): number {
  const expires = Date.parse(token.expires_at);
  const moved = expires + Math.min(0, token.timeline_offset_ms + token.session_drift_ms);
  return moved > Date.parse(token.obtained_at) + token.clock_offset_ms ? moved : expires;
}

/** Milliseconds until it counts as expired, negative after. `now` is local time. */
export function timeLeft(token: Timed, now: number): number {
  // A clock set back to before the token was obtained knows nothing of its age; then the service will judge it.
  const local = Math.max(now, Date.parse(token.obtained_at));
  return effectiveExpiry(token) - (local + token.clock_offset_ms);
}

export function isExpired(token: Timed, now: number): boolean {
  return timeLeft(token, now) <= 0;
}

/** What the answer to a token request says about our clock. `notice` is one line for the user, where there is need. */
export type ClockReading = { offset: number; expired: boolean; notice?: string };

/**
 * Reads the service's clock from the Date of its token answer (milliseconds, undefined where missing or unreadable).
 * A Date that does not fit the token's own `expires_at` while our clock does is ignored. `expired`: dead on arrival.
 */
export function readClock(serverTime: number | undefined, now: number, expiresAt: string): ClockReading {
  const expires = Date.parse(expiresAt);
  const fits = (time: number) => expires > time && expires - time <= LONGEST_LIFE;
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
  if (Math.abs(offset) <= CLOCK_TOLERANCE) return {};
  return { notice: `your clock is off by ${spoken(offset)}; expiry is judged by the clock of the service` };
}

/** An offset (service minus ours, milliseconds) as `2 h 5 min (ahead)`, seen from our clock. */
export function spoken(offset: number): string {
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
