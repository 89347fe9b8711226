// Text with format=flowed: paragraphs, quotations, stuffed blanks, signatures, DelSp.
import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { joinFlowedLines } from '../../../src/service/mail/flowed-text.ts';

test.each<[name: string, text: string, joined: string]>([
  ['nothing', '', ''],
  ['a fixed line', 'a\nb', 'a\nb'],
  ['a paragraph', 'a \nb \nc\nd', 'a b c\nd'],
  ['an empty line ends a paragraph', 'a \n\nb', 'a \nb'],
  ['a stuffed blank', ' From me\n  two', 'From me\n two'],
  ['text that begins with a bracket', ' > no quotation', ' > no quotation'],
  ['a quoted paragraph', '> a \n> b\nc', '> a b\nc'],
  ['a quotation of another depth', '> a \n>> b\n', '> a \n>> b\n'],
  ['a quotation that answers', '> a \nb', '> a \nb'],
  ['a signature', 'a \n-- \nme', 'a \n-- \nme'],
  ['a quoted signature', '> a \n> -- \n> me', '> a \n> -- \n> me'],
  ['the end', 'a ', 'a '],
])('%s', (_, text, joined) => {
  expect(joinFlowedLines(text, false)).toBe(joined);
});

test('with DelSp the blank at the end of a line is no part of the text', () => {
  expect(joinFlowedLines('日本 \n語 \n。', true)).toBe('日本語。');
});

property.prop([
  fc.array(fc.constantFrom('a', ' ', '>', '-- ', '\n', 'b '), { maxLength: 60 }).map((s) => s.join('')),
])('no letter is lost, and none is added', (text) => {
  const letters = (source: string) => source.replaceAll(/[ \n>]/g, '');
  expect(letters(joinFlowedLines(text, false))).toBe(letters(text));
  expect(letters(joinFlowedLines(text, true))).toBe(letters(text));
});

test('a paragraph of 200,000 lines is joined at once', () => {
  const joined = joinFlowedLines('>'.repeat(10_000) + 'a\n' + 'word \n'.repeat(200_000), false);
  expect(joined.length).toBe(10_000 + 2 + 1 + 200_000 * 5);
});
