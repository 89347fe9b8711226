// The words of the search index: case, accents, compatibility forms, scripts without blanks, and where words stand.
import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { isSingle, placeWords, searchable, wordsOf } from '../../../src/contract/search/words.ts';

test.each<[name: string, text: string, words: string[]]>([
  ['nothing', '', []],
  ['only signs', '!? -- …', []],
  ['case', 'Hello WORLD', ['hello', 'world']],
  ['digits', 'v4.19-rc2', ['v4', '19', 'rc2']],
  ['line breaks', 'a\nb\r\nc', ['a', 'b', 'c']],
  ['an address', 'Jane <j.doe@example.org>', ['jane', 'j', 'doe', 'example', 'org']],
  ['underscores', 'usb_submit_urb()', ['usb', 'submit', 'urb']],
  ['accents', 'Müller naïve Ångström', ['muller', 'naive', 'angstrom']],
  ['decomposed accents', 'Mu\u0308ller', ['muller']],
  ['sharp s', 'Straße STRASSE', ['straße', 'strasse']],
  ['a dotted capital I', 'İstanbul', ['istanbul']],
  ['final sigma', 'Λόγος ΛΟΓΟΣ', ['λογοσ', 'λογοσ']],
  ['full width', 'ＡＢＣ１２', ['abc12']],
  ['a ligature', 'ﬁne', ['fine']],
  ['a fraction', '1½', ['11', '2']],
  ['a soft hyphen', 'soft\u00adware', ['software']],
  ['characters without a width', 'hid\u200bden', ['hidden']],
  ['Cyrillic', 'Ёлка', ['елка']],
  ['Arabic with vowels', 'كِتَاب', ['كتاب']],
  ['Han', '日本語', ['日', '本', '語']],
  ['Han beside Latin', 'USB接口2', ['usb', '接', '口', '2']],
  ['Kana', 'カメラ', ['カ', 'メ', 'ラ']],
  ['half-width Kana', 'ｶﾞ', ['カ']],
  ['Hangul', '한글', ['한', '글']],
  ['decomposed Hangul', '한글'.normalize('NFD'), ['한', '글']],
  ['Thai', 'กิน', ['ก', 'น']],
  ['beyond the basic plane', '𝐀𝟏 𠀀', ['a1', '𠀀']],
  ['half of a surrogate pair', 'a\ud800b', ['a', 'b']],
  ['a long word', 'x'.repeat(100), ['x'.repeat(64)]],
  ['a long word cut between surrogates', `${'x'.repeat(63)}𐐨y`, ['x'.repeat(63)]],
  ['NUL', 'a\u0000b', ['a', 'b']],
])('%s', (_, text, words) => {
  expect(wordsOf(searchable(text))).toEqual(words);
});

property.prop([fc.string({ unit: 'binary', maxLength: 40 })])('words are made of words', (text) => {
  for (const word of wordsOf(searchable(text))) {
    expect(word).toMatch(/^[\p{L}\p{N}]+$/u);
    expect(isSingle(word) ? word.length <= 2 : wordsOf(word)).toEqual(isSingle(word) ? true : [word]);
  }
});

const drawn = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('a', 'B', 'é', '語', '𐐨', ' ', '\u0308'), maxLength: 200 }),
);
property.prop([drawn])('places are in order', (text) => {
  let before = 0;
  for (const { word, start, end } of placeWords(text)) {
    expect(wordsOf(text.slice(start, end))).toContain(word);
    expect(start).toBeGreaterThanOrEqual(before);
    expect(end).toBeGreaterThan(start);
    before = start;
  }
  expect(placeWords(text).map(({ word }) => word)).toEqual(wordsOf(text));
});

test('every character is folded once', () => {
  // Of the planes from the third on, which hold ideographs, tags and what is not assigned, some of each.
  for (let point = 0; point <= 0x10_ff_ff; point += point < 0x2_00_00 ? 1 : 61) {
    for (const word of wordsOf(searchable(String.fromCodePoint(point)))) {
      const again = wordsOf(searchable(word));
      if (again.length !== 1 || again[0] !== word)
        expect.fail(`U+${point.toString(16)}: ${word} ${again.join()}`);
    }
  }
});
