// Snippets of found messages: which words are marked, in which text, and that one line is shown.
import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { parseQuery } from '../../../src/contract/search/query.ts';
import { wordsOf } from '../../../src/contract/search/words.ts';
import { termsIn } from '../../../src/contract/search/match.ts';
import { excerptOf } from '../../../src/service/rules/excerpt.ts';

const NONE = { subject: '', sender: '', body: '', files: '', quoted: '' };

function excerpt(text: Partial<typeof NONE>, query: string) {
  const whole = { ...NONE, ...text };
  const terms = {
    subject: termsIn(whole.subject),
    sender: termsIn(whole.sender),
    body: termsIn(whole.body),
    files: termsIn(whole.files),
    quoted: termsIn(whole.quoted),
  };
  const { matched, snippet, marks } = excerptOf(whole, terms, parseQuery(query, 0).expression);
  return { matched, snippet, marked: marks.map(({ start, end }) => snippet.slice(start, end)) };
}

test.each<[text: Partial<typeof NONE>, query: string, matched: string[], snippet: string, marked: string[]]>([
  [{ body: 'one\n two  three' }, 'TWO', ['body'], 'one two three', ['two']],
  [{ body: 'Größe ist größer' }, 'große* ist', ['body'], 'Größe ist größer', ['Größe', 'ist', 'größer']],
  [{ body: 'aba ab b' }, 'b', ['body'], 'aba ab b', ['b']],
  [{ body: 'a b a b c' }, '"a b c"', ['body'], 'a b a b c', ['a b c']],
  [{ body: 'see', files: 'x.txt oops' }, 'oops', ['file'], 'x.txt oops', ['oops']],
  [{ subject: 'usb', body: 'hello' }, 'usb', ['subject'], 'hello', []],
  [{ body: `${'x'.repeat(70)} needle` }, 'needle', ['body'], '…needle', ['needle']],
  [{ body: 'keep this', quoted: 'that' }, 'that -other', ['quoted'], 'that', ['that']],
])('%j, %s', (text, query, matched, snippet, marked) => {
  expect(excerpt(text, query)).toEqual({ matched, snippet, marked });
});

const body = fc.string({ unit: fc.constantFrom('a', 'b', 'é', 'E', '語', ' ', '-', '\n'), maxLength: 120 });
property.prop([body, fc.constantFrom('a', 'ab', 'e', '語', 'be')])('every mark is the word', (text, word) => {
  const query = word.replace('*', '');
  const { matched, marked } = excerpt({ body: text }, query);
  const count = wordsOf(text).filter((one) => one === query).length;
  expect(matched).toEqual(count > 0 ? ['body'] : []);
  // Words that touch are marked as one.
  expect(marked.flatMap(wordsOf)).toEqual(Array.from({ length: count }, () => query));
});
