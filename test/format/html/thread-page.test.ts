// A message in the page of a thread: one element for lines that look the same.
import { expect, test } from 'vitest';
import type { ReadMessage } from '../../../src/contract/reports/reading.ts';
import { threadMessage } from '../../../src/format/html/thread-page.ts';

const STYLE = { timeZone: 'UTC', linkOf: () => undefined, pictureOf: () => undefined };
const textMessage = (text: string): ReadMessage => ({
  version: 1,
  id: 'msg_1',
  conversation_id: null,
  parent_id: null,
  from: null,
  to: null,
  cc: null,
  date: null,
  subject: null,
  channel: null,
  parts: [{ kind: 'text', type: 'text/plain', text }],
  warnings: [],
});
const piecesOf = (text: string): string[] => [...threadMessage(textMessage(text), 1, STYLE)];

test.each([
  ['a\n\n<b>\r\nc', '<div class="">a\n\n&lt;b&gt;\nc\n</div>'],
  [
    '\n> a\n> b\n>> c\nd\n-- \ne',
    '<div class="">\n</div><div class="q1">&gt; a\n&gt; b\n</div><div class="q2">&gt;&gt; c\n</div><div class="">d\n</div><div class="faint">-- \ne\n</div>',
  ],
  ['', ''],
])('lines of %j that look the same share one element', (text, inner) => {
  expect(piecesOf(text).join('')).toContain(`<div class="text">${inner}</div>`);
});

test('the page of a long text comes in pieces', () => {
  const pieces = piecesOf('line\n'.repeat(100_000));
  expect(pieces.length).toBeGreaterThan(5);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(100_000);
});
