// Parsing dates as mailers write them.
import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { parseMailDate } from '../../../src/service/mail/date.ts';

test.each<[text: string, iso: string | null]>([
  ['Thu, 25 Apr 2019 10:00:05 +0200', '2019-04-25T08:00:05.000Z'],
  ['25 Apr 2019 10:00 -0330', '2019-04-25T13:30:00.000Z'],
  ['Thu, 25 Apr 2019 10:00:05 GMT (comment)', '2019-04-25T10:00:05.000Z'],
  ['Mon, 30 Nov 92 14:14:20 PST', '1992-11-30T22:14:20.000Z'],
  ['1 Jan 05 00:00:00 EDT', '2005-01-01T04:00:00.000Z'],
  ['1 Jan 05 00:00:00 constructor', '2005-01-01T00:00:00.000Z'],
  ['1 Jan 05 00:00:00__proto__', '2005-01-01T00:00:00.000Z'],
  ['Tuesday, 07-Sep-99 12:36:54 GMT', '1999-09-07T12:36:54.000Z'],
  ['Tue Sep 07 12:36:54 1999', '1999-09-07T12:36:54.000Z'],
  ['Tue Sep  7 12:36:54 PDT 1999', '1999-09-07T19:36:54.000Z'],
  ['Tue Sep  7 12:36:54 +0200 1999', '1999-09-07T10:36:54.000Z'],
  ['September 7, 1999 12:36', '1999-09-07T12:36:00.000Z'],
  ['Sun, 25 Aug 2002 19:21:44 QZT', '2002-08-25T19:21:44.000Z'],
  ['', null],
  ['yesterday', null],
  ['Sep 7', null],
  ['25 Foo 2019 10:00:05', null],
  ['Thu, 25 Apr 2019 10:00:05 +02:00', '2019-04-25T08:00:05.000Z'],
  ['Thu, 25 Apr 2019 10:00:05 +02', '2019-04-25T08:00:05.000Z'],
  ['Sat, 29 Feb 2020 10:00:00 +0000', '2020-02-29T10:00:00.000Z'],
  ['31 Dec 2016 23:59:60 +0000', '2017-01-01T00:00:00.000Z'],
  ['1 Jan 0050 00:00:00 +0000', '0050-01-01T00:00:00.000Z'],
  // Dates that do not exist are no date, and not the one that is nearest.
  ['31 Feb 2019 10:00:00 +0000', null],
  ['29 Feb 2019 10:00:00 +0000', null],
  ['Feb 31 10:00:00 2019', null],
  ['0 Mar 2019 10:00:00 +0000', null],
  ['125 Apr 2019 10:00:00 +0000', null],
  ['025 Apr 2019 10:00:00 +0000', '2019-04-25T10:00:00.000Z'],
  ['25 Apr 119 10:00:00 +0000', null],
  ['25 Apr 2019 24:00:00 +0000', null],
  ['25 Apr 2019 10:60:00 +0000', null],
  ['25 Apr 2019 10:00:61 +0000', null],
  ['25 Apr 2019 10:00:00 +9999', null],
  ['25 Apr 2019 10:00:00 -2400', null],
  ['25 Apr 2019 10:00:00 +0160', null],
])('%j', (text, iso) => {
  const found = parseMailDate(text);
  expect(found === null ? null : new Date(found).toISOString()).toBe(iso);
});

property.prop([fc.string()])('any text gives an integer or null', (text) => {
  expect(Number.isSafeInteger(parseMailDate(text) ?? 0)).toBe(true);
});
