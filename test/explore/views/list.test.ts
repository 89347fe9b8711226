// Lists of the explorer: branches of a thread, and what a search found.
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../../src/explore/entry.ts';
import type { Place } from '../../../src/explore/place.ts';
import { columnNames, rowLine } from '../../../src/explore/views/list.ts';
import { plainText } from '../../../src/format/terminal/styled-line.ts';
import { conversation, file, message } from '../states.ts';

const CONTEXT = { checks: new Map(), order: 'archive', entries: [], place: { kind: 'overview' } } as const;
const shown = (entry: Entry): string => plainText(rowLine(entry, 100, false, CONTEXT));

test('branches stand before the subject', () => {
  expect(shown(message(2, { lead: '│ └ ', subject: 'Re: x' }))).toContain('│ └ Re: x');
});

test('the heading says that the column has what was found', () => {
  const found = message(1, { lead: '', snippet: 'the words', subject: 'a subject' });
  expect(shown(found)).toContain('the words (a subject)');
  expect(plainText(columnNames([found], 100, CONTEXT))).toContain('TEXT FOUND (SUBJECT)');
  expect(plainText(columnNames([message(1)], 100, CONTEXT))).not.toContain('FOUND');
});

test('a withheld record is not called one without a subject', () => {
  const nameless = { subject: '', lead: '' };
  expect(shown({ ...conversation(1, ''), status: 'withheld' })).toContain('(withheld) conv_1');
  expect(shown({ ...conversation(1, ''), status: 'stable' })).toContain('(no subject) conv_1');
  expect(shown(message(1, { ...nameless, status: 'withheld' }))).toContain('(withheld)');
  expect(shown(message(1, { ...nameless, status: 'stable' }))).toContain('(no subject)');
});

describe('the columns of files', () => {
  const long = 'abcdefghijklmnopqrstuvwxyz'.repeat(9);
  const withheld = file(2, { name: long, state: 'withheld', reason: 'legal hold' });
  const names = (place: Place, columns: number, entries: readonly Entry[], checks = CONTEXT.checks) =>
    plainText(columnNames(entries, columns, { checks, order: 'archive', entries, place }))
      .trim()
      .split(/ +/)
      .join(' ');

  test.each([
    [40, 27],
    [50, 26],
    [80, 38],
    [100, 42],
    [110, 52],
    [120, 48],
    [139, 67],
    [200, 104],
  ])('at %i columns %i are for the name, also where some are withheld', (columns, least) => {
    const context = { ...CONTEXT, entries: [withheld], place: { kind: 'files' } as const };
    const shown = plainText(rowLine(withheld, columns, false, context));
    expect(/[a-z]{8,}…?/.exec(shown.slice(10))?.[0].length).toBe(least);
  });

  test('why a file cannot be had is a column where that is so of one', () => {
    expect(names({ kind: 'files' }, 80, [file(1)])).toBe('STATE NAME SIZE');
    expect(names({ kind: 'files' }, 80, [file(1), withheld])).toBe('STATE NAME WHY SIZE');
    const failed = new Map([['att_1', { state: 'failed' as const, text: 'its hash differs' }]]);
    expect(names({ kind: 'files' }, 80, [file(1)], failed)).toBe('STATE NAME WHY SIZE');
  });

  test('a list of one city or type has no column for it', () => {
    expect(names({ kind: 'files' }, 140, [file(1)])).toBe('STATE NAME SIZE CITY TYPE ID');
    expect(names({ kind: 'files', city: 'oslo' }, 140, [file(1)])).toBe('STATE NAME SIZE TYPE ID');
    expect(names({ kind: 'files', type: 'image/png' }, 140, [file(1)])).toBe('STATE NAME SIZE CITY ID');
  });
});

test.each([
  [80, 37],
  [110, 57],
  [130, 51],
])('at %i columns %i are for the subject of a message', (columns, least) => {
  const line = plainText(rowLine(message(1, { subject: 'x'.repeat(200) }), columns, false, CONTEXT));
  expect(/x+…/.exec(line)?.[0]).toHaveLength(least);
});
