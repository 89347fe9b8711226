// Expiry with reported drift and other people's clocks (faults L).
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import {
  effectiveExpiry,
  isExpired,
  readClock,
  describeClockOffset,
  timeLeft,
} from '../../src/config/token-expiry.ts';
import { entry, NOW } from './store-world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (ms: number) => new Date(ms).toISOString();

// Obtained at NOW for one hour.
test.each([
  ['no drift', 0, 0, HOUR],
  ['late timeline never prolongs', 5000, 0, HOUR],
  ['early timeline', -5000, 0, HOUR - 5000],
  ['session drift', 0, -7000, HOUR - 7000],
  ['both', -5000, -7000, HOUR - 12_000],
  ['they cancel out', -5000, 5000, HOUR],
  ['more than its life is ignored', -2 * HOUR, 0, HOUR],
])('%s', (_, timeline_offset_ms, session_drift_ms, left) => {
  expect(timeLeft(entry({ timeline_offset_ms, session_drift_ms }), NOW)).toBe(left);
});

property.prop([fc.integer(), fc.integer()])('drift never prolongs and never kills a new token', (a, b) => {
  const token = entry({ timeline_offset_ms: a, session_drift_ms: b });
  expect(effectiveExpiry(token)).toBeLessThanOrEqual(Date.parse(token.expires_at!));
  expect(isExpired(token, NOW)).toBe(false);
});

describe('L1: the clock of the service counts', () => {
  test.each([
    ['2 h ahead', 2 * HOUR],
    ['400 d behind', -400 * DAY],
    ['in 2040', 14 * 365 * DAY],
  ])('ours is %s', (_, wrong) => {
    const local = NOW + wrong;
    const clock = readClock(NOW, local, at(NOW + HOUR));
    expect(clock).toMatchObject({ offset: -wrong, expired: false });
    expect(clock.notice).toMatch(/your clock is off by .*(ahead|behind)/);
    const token = entry({ obtained_at: at(local), clock_offset_ms: clock.offset });
    expect(isExpired(token, local + HOUR - 1)).toBe(false);
    expect(isExpired(token, local + HOUR)).toBe(true);
  });

  test('a clock set back after login does not end the token, nor prolong it beyond its life', () => {
    expect(timeLeft(entry(), NOW - 10 * DAY)).toBe(HOUR);
  });
});

test('a token whose end is not known never expires, and nothing is said of the clock', () => {
  const { expires_at: _, timeline_offset_ms: __, ...token } = entry();
  expect([effectiveExpiry(token), isExpired(token, NOW + 400 * DAY)]).toEqual([undefined, false]);
  expect(readClock(NOW - DAY, NOW, undefined)).toEqual({ offset: 0, expired: false });
});

describe('readClock', () => {
  const soon = at(NOW + HOUR);
  test.each<
    [string, number | undefined, string, { offset: number; expired: boolean; notice: RegExp | undefined }]
  >([
    ['agrees', NOW + 900, soon, { offset: 900, expired: false, notice: undefined }],
    [
      'a minute off is still silent',
      NOW - 60_000,
      soon,
      { offset: -60_000, expired: false, notice: undefined },
    ],
    ['L6: missing', undefined, soon, { offset: 0, expired: false, notice: /no usable Date/ }],
    ['L6: unreadable', Number.NaN, soon, { offset: 0, expired: false, notice: /no usable Date/ }],
    ['L6: far future', NOW + 900 * DAY, soon, { offset: 0, expired: false, notice: /does not fit/ }],
    ['L6: 1970', 0, soon, { offset: 0, expired: false, notice: /does not fit/ }],
    ['L4: in the past', NOW, at(NOW - 1), { offset: 0, expired: true, notice: undefined }],
    [
      'L4: in the past without Date',
      undefined,
      at(NOW - 1),
      { offset: 0, expired: true, notice: /no usable/ },
    ],
    [
      'a token for ten years',
      NOW + 90_000,
      at(NOW + 3650 * DAY),
      { offset: 90_000, expired: false, notice: /off by/ },
    ],
  ])('%s', (_, serverTime, expires, wanted) => {
    const { notice, ...rest } = readClock(serverTime, NOW, expires);
    expect(rest).toEqual({ offset: wanted.offset, expired: wanted.expired });
    if (wanted.notice === undefined) expect(notice).toBeUndefined();
    else expect(notice).toMatch(wanted.notice);
  });
});

test.each([
  [90_000, '1 min 30 s (behind)'],
  [-2 * HOUR, '2 h (ahead)'],
  [400 * DAY + HOUR, '400 d 1 h (behind)'],
  [DAY + 5 * 60_000, '1 d (behind)'],
])('%i ms are spoken as %s', (offset, text) => expect(describeClockOffset(offset)).toBe(text));
