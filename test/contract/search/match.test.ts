// Places of terms in a text: those of its words.
import { fc, test as property } from '@fast-check/vitest';
import { expect } from 'vitest';
import { findTerm, termsIn } from '../../../src/contract/search/match.ts';
import { placeWords, wordsOf } from '../../../src/contract/search/words.ts';

const letters = ['a', 'b', 'A', '1', 'ab', ' ', ' ', '\n', '-', '_', '.', '\0', 'x'.repeat(63)];
const text = fc
  .array(
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...letters) }, fc.constantFrom('é', '語', '\u00ad')),
    {
      maxLength: 40,
    },
  )
  .map((pieces) => pieces.join(''));
const words = fc.array(fc.constantFrom('a', 'b', 'ab', 'ba', '1', 'aab', 'e', '語', 'x'.repeat(64)), {
  minLength: 1,
  maxLength: 3,
});

property.prop([text, words, fc.boolean()], { numRuns: 2_000 })(
  'are where its words are that a term finds',
  (given, searched, isPrefix) => {
    const term = { kind: 'term' as const, field: undefined, words: searched, isPrefix };
    const placed = placeWords(given);
    const expected = [...findTerm(term, wordsOf(given))].map((at) => ({
      start: placed[at]!.start,
      end: placed[at + searched.length - 1]!.end,
    }));
    const { has, places } = termsIn(given);
    expect([...places(term)]).toEqual(expected);
    expect(has(term)).toBe(expected.length > 0);
  },
);
