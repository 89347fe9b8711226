// Quotations and signatures in the text of a message, and the folding of long quotations.
import { expect, test } from 'vitest';
import { foldQuotations, quotePrefix, textLines } from '../../../src/format/reading/quoted-lines.ts';

test.each<[line: string, depth: number, prefix: string]>([
  ['a > b', 0, ''],
  ['> a', 1, '> '],
  ['>a', 1, '>'],
  [' > a', 1, ' > '],
  ['>> a', 2, '>> '],
  ['> > a', 2, '> > '],
  ['> >>  a', 3, '> >> '],
  ['  > a', 0, ''],
  ['>From here', 1, '>'],
])('%j is quoted %i times', (line, depth, prefix) => {
  expect(textLines(line).next().value).toMatchObject({ depth, text: line });
  expect(quotePrefix(line)).toBe(prefix);
});

test.each<[name: string, text: string, signature: string[]]>([
  ['none', 'a\nb', []],
  ['one', 'a\n-- \nme\nhere\n\n', ['-- ', 'me', 'here']],
  ['one whose blank was lost', 'a\n--\nme', ['--', 'me']],
  ['that of the author, then that of the list', 'a\n-- \nme\n-- \nlist', ['-- ', 'me', '-- ', 'list']],
  ['a line far from the end', `--\n${'a\n'.repeat(20)}`, []],
  ['a patch', 'a\n---\n-- b', []],
  ['a quoted one', '> -- \n> me', []],
])('signature: %s', (_, text, signature) => {
  expect([...textLines(text)].filter((line) => line.isSignature).map((line) => line.text)).toEqual(signature);
});

test.each<[text: string, lines: string[]]>([
  ['', []],
  [' \n\t\r\n', []],
  ['a', ['a']],
  ['a\r', ['a\r']],
  ['a\r\n\r\n\nb \r\n', ['a', '', '', 'b ']],
  ['\n\na\n \n', ['', '', 'a']],
])('the lines of %j', (text, lines) => {
  expect(Array.from(textLines(text), (line) => line.text)).toEqual(lines);
});

test('lines are made when they are read, so that millions need no memory', () => {
  const lines = foldQuotations(textLines(`a\n${'> b\n'.repeat(10)}`));
  expect([lines.next(), lines.next()].map(({ value }) => value?.text)).toEqual(['a', '> b']);
  expect(textLines('a\nb').next().value).toEqual({ text: 'a', depth: 0, isSignature: false });
});

const shown = (text: string) =>
  Array.from(foldQuotations(textLines(text)), ({ text: line, folded }) =>
    folded === undefined ? line : `${folded} more`,
  );

test.each<[name: string, text: string, lines: string[]]>([
  ['a short quotation', '> a\n> b\nc', ['> a', '> b', 'c']],
  ['six lines', `${'> a\n'.repeat(6)}b`, [...Array<string>(6).fill('> a'), 'b']],
  ['seven lines', `${'> a\n'.repeat(7)}b`, ['> a', '> a', '> a', '4 more', 'b']],
  ['lines of several depths', `${'> a\n>> b\n'.repeat(4)}c`, ['> a', '>> b', '> a', '5 more', 'c']],
  [
    'two quotations',
    `${'> a\n'.repeat(8)}b\n${'> c\n'.repeat(8)}`,
    ['> a', '> a', '> a', '5 more', 'b', '> c', '> c', '> c', '5 more'],
  ],
])('folding %s', (_, text, lines) => {
  expect(shown(text)).toEqual(lines);
});

test('a hundred thousand lines that begin with a thousand brackets', () => {
  expect([...textLines(`${'>'.repeat(1000)}\n`.repeat(1000))].at(-1)?.depth).toBe(1000);
  expect(shown('> a\n'.repeat(100_000))).toEqual(['> a', '> a', '> a', '99997 more']);
});
