// Lists of the explorer: branches of a thread, and what a search found.
import { expect, test } from 'vitest';
import type { Entry } from '../../../src/explore/entry.ts';
import { columnNames, rowLine } from '../../../src/explore/views/list.ts';
import { plainText } from '../../../src/format/terminal/styled-line.ts';
import { conversation, message } from '../states.ts';

const CONTEXT = { checks: new Map(), order: undefined } as never;
const shown = (entry: Entry): string => plainText(rowLine(entry, 100, false, CONTEXT));

test('branches stand before the subject', () => {
  expect(shown(message(2, { lead: '│ └ ', subject: 'Re: x' }))).toContain('│ └ Re: x');
});

test('the heading says that the column has what was found', () => {
  const found = message(1, { lead: '', snippet: 'the words', subject: 'a subject' });
  expect(shown(found)).toContain('the words (a subject)');
  expect(plainText(columnNames([found], 100, CONTEXT))).toContain('FOUND (SUBJECT)');
  expect(plainText(columnNames([message(1)], 100, CONTEXT))).not.toContain('FOUND');
});

test('a withheld record is not called one without a subject', () => {
  const nameless = { subject: '', lead: '' };
  expect(shown({ ...conversation(1, ''), status: 'withheld' })).toContain('(withheld) conv_1');
  expect(shown({ ...conversation(1, ''), status: 'stable' })).toContain('(no subject) conv_1');
  expect(shown(message(1, { ...nameless, status: 'withheld' }))).toContain('(withheld)');
  expect(shown(message(1, { ...nameless, status: 'stable' }))).toContain('(no subject)');
});
