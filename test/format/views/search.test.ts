// How a message that was found is shown: what it is about, where it belongs, and the words that were found, at any width.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchHitView } from '../../../src/format/views/search.ts';
import { plainText, spansOf, type Line } from '../../../src/format/terminal/styled-line.ts';
import { textWidth } from '../../../src/format/terminal/escape.ts';
import type { SearchHit } from '../../../src/contract/search/search.ts';

const hit = (snippet: string, word: string, more: Partial<SearchHit> = {}): SearchHit => ({
  id: 'msg_2430',
  conversation_id: 'conv_2401',
  date: '2020-09-28T08:51:59.000Z',
  from: 'Isaac Boukris via samba-technical <samba-technical@lists.samba.org>',
  subject: 'winbindd callbacks not triggered',
  attachments: 2,
  matched: ['body'],
  snippet,
  marks: [{ start: snippet.indexOf(word), end: snippet.indexOf(word) + word.length }],
  ...more,
});
const linesOf = (row: SearchHit, columns?: number): Line[] => [
  ...searchHitView.listLines!(row, { columns, unicode: true }),
];

test('a message of which only the id is known is its id', () => {
  const [bare] = linesOf({ id: 'msg_1', snippet: '' });
  expect(plainText(bare!)).toBe('msg_1');
});

test.each([
  [
    160,
    'msg_2430  2020-09-28 08:51 UTC  conv_2401  winbindd callbacks not triggered  2 files  Isaac Boukris via samba-technical <samba-technical@lists.samba.org>',
  ],
  [
    120,
    'msg_2430  2020-09-28 08:51 UTC  conv_2401  winbindd callbacks not triggered  2 files  Isaac Boukris via samba-technical',
  ],
  [
    110,
    'msg_2430  2020-09-28 08:51 UTC  winbindd callbacks not triggered  2 files  Isaac Boukris via samba-technical',
  ],
  [
    100,
    'msg_2430  2020-09-28 08:51 UTC  winbindd callbacks not triggered  Isaac Boukris via samba-technical',
  ],
  [92, 'msg_2430  2020-09-28 08:51 UTC  winbindd callbacks not t…  Isaac Boukris via samba-technical'],
  [80, 'msg_2430  2020-09-28 08:51 UTC  winbindd callbacks not triggered'],
  [40, 'msg_2430  winbindd callbacks not trigge…'],
  [12, 'msg_2430  w…'],
])('in %i columns facts give way by importance', (columns, text) => {
  const [head] = linesOf(hit('a winbind', 'winbind'), columns);
  expect(plainText(head!)).toBe(text);
});

test('a match in quoted lines alone is marked', () => {
  const [, line] = linesOf(hit('a winbind', 'winbind', { matched: ['subject', 'quoted'] }));
  expect(plainText(line!)).toBe('    (quoted) a winbind');
});

test('a message without a subject or a name keeps its sender', () => {
  const from = 'samba-technical@lists.samba.org';
  const [head] = linesOf(hit('a winbind', 'winbind', { subject: null, from }), 64);
  expect(plainText(head!)).toBe('msg_2430  2020-09-28 08:51 UTC  samba-technical@lists.samba.org');
});

test.each(['body', 'quoted'] as const)(
  'at any width the match in the %s is seen, and the line is full',
  (matched) => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '漢', 'é', '.'), maxLength: 200, size: 'max' });
    fc.assert(
      fc.property(text, text, fc.integer({ min: 60, max: 160 }), (before, after, columns) => {
        const [, line] = linesOf(hit(`${before}WINBIND${after}`, 'WINBIND', { matched: [matched] }), columns);
        const shown = plainText(line!);
        expect(shown).toContain('WINBIND');
        expect(spansOf(line!).filter((span) => typeof span !== 'string' && span.style === 'match')).toEqual([
          { text: 'WINBIND', style: 'match' },
        ]);
        const width = textWidth(shown);
        expect(width).toBeLessThanOrEqual(columns);
        const whole = textWidth(
          plainText(linesOf(hit(`${before}WINBIND${after}`, 'WINBIND', { matched: [matched] }))[1]!),
        );
        // A wide character that does not fit leaves a column at either end.
        expect(width).toBeGreaterThanOrEqual(Math.min(whole, columns - 2));
      }),
    );
  },
);
