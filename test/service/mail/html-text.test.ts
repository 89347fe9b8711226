// Plain text of HTML: blanks, lines, quotations, links, references, and hostile input in linear time.
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { htmlToText } from '../../../src/service/mail/html-text.ts';

const textOf = (html: string) => htmlToText(html).text;

test.each<[name: string, html: string, text: string]>([
  ['nothing', '', ''],
  ['text', 'a', 'a\n'],
  ['blanks', '  a \n\t b  ', 'a b\n'],
  ['inline elements', 'a<b>b</b> <i> c</i>', 'ab c\n'],
  ['divisions', '<div>a</div><div>b</div>c', 'a\nb\nc\n'],
  ['nested divisions', '<div><div>a</div></div><div>b</div>', 'a\nb\n'],
  ['paragraphs', '<p>a</p><p>b</p>', 'a\n\nb\n'],
  ['line breaks', 'a<br>b<br/><br>c', 'a\nb\n\nc\n'],
  ['a list', '<ul><li>a<li>b</ul>c', '* a\n* b\n\nc\n'],
  ['a table', '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc\n'],
  ['preformatted text', '<pre>a  b\n  c</pre>', 'a  b\n  c\n'],
  [
    'a quotation',
    'a<blockquote>b<br>c<blockquote>d</blockquote></blockquote>e',
    'a\n\n> b\n> c\n\n> > d\n\ne\n',
  ],
  ['a script', 'a<script>b</b></script >c', 'ac\n'],
  ['a style in capitals', '<STYLE>a{}</Style>b', 'b\n'],
  ['a title', '<head><title>t</title></head><body>b', 'b\n'],
  ['a comment', 'a<!-- <b>x</b> -->b', 'ab\n'],
  ['empty comments', 'a<!-->b<!--->c', 'abc\n'],
  ['a comment without an end', 'a<!-- b', 'a\n'],
  ['a declaration', '<!DOCTYPE html><?xml x?>a', 'a\n'],
  ['a tag without an end', 'a<b c', 'a\n'],
  ['a bracket that is no tag', '1 < 2 <3 <', '1 < 2 <3 <\n'],
  ['a bracket in a value', '<a title="x>y">z</a>', 'z\n'],
  ['a quotation mark outside of a value', '<p class=a">b</p>', 'b\n'],
  ['an image', '<img alt="a &amp; b" src=x>', 'a & b\n'],
  ['named references', '&lt;&amp;&nbsp;&eacute;&Omega;&hellip;&nothing;&amp', '<&\u00a0éΩ…&nothing;&\n'],
  ['numbered references', '&#65;&#x42;&#128;&#0;&#xd800;&#x110000;', 'AB€\ufffd\ufffd\ufffd\n'],
  ['a reference across a tag', '&am<b>p;</b>', '&amp;\n'],
])('%s', (_, html, text) => {
  expect(textOf(html)).toBe(text);
});

describe('links', () => {
  const read = (html: string) => htmlToText(html, { links: true });

  test.each<[name: string, html: string, text: string, links: string[]]>([
    ['a link', '<a href="https://a.example/x">x</a> y', 'x [1] y\n', ['https://a.example/x']],
    [
      'two links',
      "<a href='http://a'>x</a><a href=mailto:b@c>y</a>",
      'x [1]y [2]\n',
      ['http://a', 'mailto:b@c'],
    ],
    [
      'an address as its text',
      '<a href="https://a.example/">https://a.example</a>',
      'https://a.example\n',
      [],
    ],
    ['a place in the document', '<a href="#x">x</a>', 'x\n', []],
    ['a script', '<a href="javascript:x()">x</a>', 'x\n', []],
    ['no end tag', '<a href="http://a">x', 'x [1]\n', ['http://a']],
    [
      'a link in a link',
      '<a href="http://a">x<a href="http://b">y</a></a>',
      'x [1]y [2]\n',
      ['http://a', 'http://b'],
    ],
    ['a reference in the address', '<a href="http://a?b&amp;c">x</a>', 'x [1]\n', ['http://a?b&c']],
    ['the first of two addresses', '<a href=http://a href=http://b>x</a>', 'x [1]\n', ['http://a']],
  ])('%s', (_, html, text, links) => {
    expect(read(html)).toEqual({ text, links });
  });

  test('are not numbered unless asked for', () => {
    expect(htmlToText('<a href="http://a">x</a>')).toEqual({ text: 'x\n', links: [] });
  });
});

const PIECES = [
  '<',
  '>',
  '"',
  "'",
  '=',
  '&',
  ';',
  '#',
  '/',
  '!',
  '-',
  '--',
  'a',
  'script',
  'pre',
  'p ',
  ' ',
  '\n',
  'é',
];

property.prop([fc.array(fc.constantFrom(...PIECES), { maxLength: 60 })])('any text is read', (pieces) => {
  const { text } = htmlToText(pieces.join(''), { links: true });
  expect(text === '' || text.endsWith('\n')).toBe(true);
});

property.prop([fc.array(fc.constantFrom('a', ' ', '\n', 'é', 'b.'), { maxLength: 40 })])(
  'text without markup keeps its words',
  (pieces) => {
    const words = (text: string) => text.split(/[ \n]+/).filter((word) => word !== '');
    expect(words(textOf(pieces.join('')))).toEqual(words(pieces.join('')));
  },
);

describe('hostile input takes linear time', () => {
  const HOSTILE = [
    '<!--',
    '<',
    '<a href="',
    "<a b='",
    '<div>',
    '<blockquote>',
    '<script>',
    '<script></script',
    '&',
    '</',
    '<a href=http://a>',
    '<pre>\n',
    '<b =',
    '<img alt=',
  ];

  // With quadratic time, each would take longer than a test may.
  test.each(HOSTILE)('%s', (piece) => {
    const html = piece.repeat(100_000);
    const { text } = htmlToText(html, { links: true });
    expect(text.length).toBeLessThanOrEqual(20 * html.length);
  });
});
