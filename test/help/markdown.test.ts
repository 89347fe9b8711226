// The subset of Markdown of the help topics, and how it is shown as plain text and as roff.
import { expect, test } from 'vitest';
import { parseMarkdown, spansOf } from '../../src/help/markdown.ts';
import { plainText } from '../../src/help/plain-text.ts';
import { roffOf } from '../../src/help/roff.ts';

const SOURCE = `# A title

First line
and second, with \`code\` and a [link](https://example.org).

- one item
  goes on
- another

## A section

- \`--flag\`: what it does
- **a term longer than the column**: what it means

\`\`\`
$ arx 'ls'

.dot
\`\`\`
`;

test('blocks', () => {
  expect(parseMarkdown(SOURCE).map(({ kind }) => kind)).toEqual([
    'title',
    'paragraph',
    'item',
    'item',
    'section',
    'definition',
    'definition',
    'code',
  ]);
  expect(spansOf('a `b` **c**')).toEqual([
    { style: 'plain', text: 'a ' },
    { style: 'code', text: 'b' },
    { style: 'plain', text: ' ' },
    { style: 'bold', text: 'c' },
  ]);
});

test('plain text', () => {
  expect(plainText(parseMarkdown(SOURCE))).toBe(`A TITLE

  First line and second, with code and a link (https://example.org).

  - one item goes on
  - another

A section

  --flag  what it does
  a term longer than the column
          what it means

    $ arx 'ls'

    .dot
`);
});

test.each([
  [4, '\n  text\n'],
  [5, '\n  Sections: S1 | S2 | S3 | S4 | S5\n\n  text\n'],
])('a text of %i sections begins with their names where they are many', (count, begin) => {
  const sections = Array.from({ length: count }, (_, index) => `## S${index + 1}\n\nx\n`);
  const text = plainText(parseMarkdown(['# Title', 'text', ...sections].join('\n\n')));
  expect(text.startsWith(`TITLE\n${begin}\nS1\n`)).toBe(true);
});

test('long words and lines stay within 80 columns where they can', () => {
  const lines = plainText(parseMarkdown(`- \`term\`: ${'word '.repeat(60)}`)).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('roff', () => {
  expect(roffOf(parseMarkdown(SOURCE))).toEqual([
    '.SH "A TITLE"',
    '.PP',
    'First line and second, with \\fBcode\\fR and a link (https://example.org).',
    '.IP \\(bu 2',
    'one item goes on',
    '.IP \\(bu 2',
    'another',
    '.SS "A section"',
    '.TP',
    '\\fB\\-\\-flag\\fR',
    'what it does',
    '.TP',
    '\\fBa term longer than the column\\fR',
    'what it means',
    '.PP',
    '.RS 4',
    '.nf',
    '$ arx \\(aqls\\(aq',
    '.sp',
    '\\&.dot',
    '.fi',
    '.RE',
  ]);
});
