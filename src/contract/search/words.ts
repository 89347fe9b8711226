// Splits text into the words of the search index. The index, queries and excerpts all use it, so that they agree.
import { lazy } from '../../lazy.ts';

/** A word, and the part of the text that it stands for. */
export type PlacedWord = { word: string; start: number; end: number };

/** Longer words are cut. So are those of a query, which then find the same. */
const MAX_WORD_CHARACTERS = 64;

/** Scripts that are written without blanks between words: each character is a word. */
const single = lazy(
  () =>
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u,
);
const wordCharacter = lazy(() => /[\p{L}\p{N}]/u);
/** Accents, and characters without a width such as the soft hyphen. */
const ignored = lazy(() => /[\p{M}\p{Cf}]/u);
/** What {@link foldBeyondAscii} replaces. */
const BEYOND_ASCII = /[\0\x80-\uffff]/;
/** Parts of Hangul syllables, which are composed first. */
const CONJOINING = /[\u1100-\u11ff]/;

/** Returns a text in the form whose words are indexed. Offsets of {@link placeWords} refer to it. */
export function searchable(text: string): string {
  return CONJOINING.test(text) ? text.normalize('NFC') : text;
}

/**
 * Returns the words of a text in order: runs of letters and digits in lower case, in compatibility form (NFKD), without
 * accents. Words of more than 64 characters are cut. Each character of a script without blanks is a word.
 */
export function wordsOf(text: string): string[] {
  const lower = foldBeyondAscii(text).toLowerCase();
  const words: string[] = lower.match(/[a-z0-9\x80-\uffff]+/g) ?? [];
  return hasLongWord(lower) ? words.map(cut) : words;
}

/**
 * Returns a text in which the tokenizer `ascii` of SQLite finds the words of this one. The words of that tokenizer are the runs of
 * ASCII letters, digits and all characters beyond ASCII. It lower-cases ASCII.
 */
export function foldText(text: string): string {
  const folded = foldBeyondAscii(text);
  return hasLongWord(folded) ? wordsOf(text).join(' ') : folded;
}

/**
 * Replaces characters beyond ASCII by the letters and digits that they stand for, with blanks where a word ends. NUL becomes a
 * blank, too: SQLite would not read on after it.
 */
function foldBeyondAscii(text: string): string {
  return text.replaceAll(/[\0\x80-\uffff]+/g, (run) => {
    let letters = '';
    for (const character of run) letters += folded(character.codePointAt(0)!);
    return letters;
  });
}

/** Returns whether a UTF-16 unit of a folded text is part of a word. */
function isFoldedWord(code: number): boolean {
  return code >= 0x80 || isAsciiWord(code);
}

/** Returns whether a folded text has a word that {@link cut} shortens. */
function hasLongWord(text: string): boolean {
  let last = -1;
  // Such a word has one of the characters that are this far apart.
  for (let at = MAX_WORD_CHARACTERS; at < text.length; at = last + MAX_WORD_CHARACTERS + 1) {
    const first = at - MAX_WORD_CHARACTERS;
    for (last = at; last >= first; last -= 1) {
      if (!isFoldedWord(text.charCodeAt(last))) break;
    }
    if (last < first) return true;
  }
  return false;
}

/** As {@link wordsOf}, with the place of each word in the text. */
export function placeWords(text: string): PlacedWord[] {
  return isPlain(text) ? placeAscii(text) : placeFolded(text);
}

/** Returns whether a text has only ASCII and no word that is cut: then words differ from the text by their case alone. */
export function isPlain(text: string): boolean {
  return !BEYOND_ASCII.test(text) && !hasLongWord(text);
}

/** No character of the text becomes another but by its case, and no word is cut. */
function placeAscii(text: string): PlacedWord[] {
  const lower = text.toLowerCase();
  let end = 0;
  return wordsOf(text).map((word) => {
    // Before a word stand only signs, so it is not found too early.
    const start = lower.indexOf(word, end);
    end = start + word.length;
    return { word, start, end };
  });
}

function placeFolded(text: string): PlacedWord[] {
  const words: PlacedWord[] = [];
  let word = '';
  let start = 0;
  let end = 0;
  const finish = (): void => {
    if (word !== '') words.push({ word: cut(word), start, end });
    word = '';
  };
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) {
      const point = text.codePointAt(at)!;
      const next = at + (point > 0xff_ff ? 2 : 1);
      for (const character of folded(point)) {
        if (character === ' ') finish();
        else {
          if (word === '') start = at;
          word += character;
          end = next;
        }
      }
      at = next;
    } else if (isAsciiWord(code)) {
      if (word === '') start = at;
      const from = at;
      do at += 1;
      while (at < text.length && isAsciiWord(text.charCodeAt(at)));
      word += text.slice(from, at).toLowerCase();
      end = at;
    } else {
      finish();
      at += 1;
    }
  }
  finish();
  return words;
}

/** Returns whether a word is one character of a script without blanks. */
export function isSingle(word: string): boolean {
  return single().test(word);
}

/** Returns whether an ASCII character is part of a word. */
export function isAsciiWord(code: number): boolean {
  const letter = code | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

function cut(word: string): string {
  // A cut must not leave half of a surrogate pair.
  return word.length <= MAX_WORD_CHARACTERS
    ? word
    : word.slice(0, MAX_WORD_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
}

/** What characters beyond ASCII become, by their code points. */
const FOLDED = new Map<number, string>();
const MAX_FOLDED = 20_000;

function folded(point: number): string {
  let text = FOLDED.get(point);
  if (text === undefined) {
    if (FOLDED.size >= MAX_FOLDED) FOLDED.clear();
    text = fold(String.fromCodePoint(point));
    FOLDED.set(point, text);
  }
  return text;
}

/** Returns the letters and digits that a character stands for; a blank where a word ends. */
function fold(character: string): string {
  const lower = withoutIgnored(character.normalize('NFKD')).toLowerCase().normalize('NFKD');
  // Composed again for Hangul, whose syllables fall apart in NFKD.
  const composed = withoutIgnored(lower).normalize('NFC');
  return Array.from(composed, (one) => {
    if (!wordCharacter().test(one)) return ' ';
    // The two forms of sigma are one letter.
    return single().test(one) ? ` ${one} ` : one === 'ς' ? 'σ' : one;
  }).join('');
}

function withoutIgnored(text: string): string {
  return Array.from(text, (one) => (ignored().test(one) ? '' : one)).join('');
}
