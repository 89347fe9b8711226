import { expect, test } from 'vitest';
import { instantStyle, UTC_INSTANTS, zonedInstant, zoneName } from '../../src/format/instants.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const style = (options: { utc?: boolean; relative?: boolean; timeZone?: string }) =>
  instantStyle({ utc: false, relative: false, timeZone: undefined, now: () => NOW, ...options });

test.each([
  ['Asia/Kolkata', '2024-01-01T20:00:00Z', '2024-01-02 01:30 UTC+5:30'],
  ['America/St_Johns', '2024-07-01T01:00:00Z', '2024-06-30 22:30 UTC-2:30'],
  ['UTC', '2024-01-01T20:00:00.123Z', '2024-01-01 20:00 UTC'],
  // The hour before and after the clocks change.
  ['Europe/Lisbon', '2024-03-31T00:59:00Z', '2024-03-31 00:59 UTC'],
  ['Europe/Lisbon', '2024-03-31T01:00:00Z', '2024-03-31 02:00 UTC+1'],
])('%s %s', (timeZone, instant, shown) => expect(zonedInstant(instant, style({ timeZone }))).toBe(shown));

test.each([
  '2024-01-02T01:30:00+05:30',
  '2024-01-01 20:00:00.5+0000',
  '1704139200',
  '1704139200000',
  'Mon, 01 Jan 2024 20:00:00 GMT',
])('another form that names an instant: %s', (instant) => {
  expect(style({ timeZone: 'Asia/Kolkata' }).show(instant).text).toBe('2024-01-02 01:30');
  expect(UTC_INSTANTS.show(instant)).toEqual({ text: '2024-01-01 20:00', offset: 0 });
});

test('an unknown zone is that of this machine', () =>
  expect(zonedInstant('2024-01-01T20:00:00Z', style({ timeZone: 'Nowhere/Town' }))).toMatch(
    /^2024-01-0\d \d\d:\d\d UTC/,
  ));

test.each(['', 'yesterday', '2024-01-01', '2024-01-01 20:00:00', '12', '2024-99-99T99:99:99Z'])(
  'other text is unchanged: %j',
  (text) => {
    for (const each of [style({}), style({ relative: true }), style({ utc: true })])
      expect(each.show(text)).toEqual({ text, offset: undefined });
  },
);

test.each([
  ['2026-01-02T03:04:00Z', 'just now'],
  ['2026-01-02T03:03:00Z', '1 minute ago'],
  ['2026-01-01T03:04:00Z', '1 day ago'],
  ['2004-01-01T00:00:00Z', '22 years ago'],
  ['2026-01-02T05:04:06Z', 'in 2 hours'],
])('relative: %s', (instant, shown) =>
  expect(style({ relative: true }).show(instant)).toEqual({ text: shown, offset: undefined }),
);

test('UTC is UTC in every zone', () => {
  expect(style({ utc: true, timeZone: 'Asia/Kolkata' }).show('2024-01-01T20:00:00Z')).toEqual(
    UTC_INSTANTS.show('2024-01-01T20:00:00Z'),
  );
});

test.each([
  [[0], 'UTC'],
  [[60], 'UTC+1'],
  [[120, 60], 'UTC+1/+2'],
  [[-480, -420], 'UTC-8/-7'],
  [[53, 60, 120], 'UTC+0:53…+2'],
])('the zones of %j are named %s', (offsets, name) => expect(zoneName(offsets)).toBe(name));
