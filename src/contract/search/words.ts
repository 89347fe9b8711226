// Splits text into the words of the search index. The index, queries and excerpts all use it, so that they agree.

/** A word, and the part of the text that it stands for. */
export type PlacedWord = { word: string; start: number; end: number };

/** Longer words are cut. So are those of a query, which then find the same. */
const MAX_WORD_CHARACTERS = 64;

/** Scripts that are written without blanks between words: each character is a word. */
const SINGLE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;
/** Accents, and characters without a width such as the soft hyphen. */
const IGNORED = /[\p{M}\p{Cf}]/u;
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
  const words: string[] = [];
  scan(text, (word) => words.push(word));
  return words;
}

/** As {@link wordsOf}, with the place of each word in the text. */
export function placeWords(text: string): PlacedWord[] {
  const words: PlacedWord[] = [];
  scan(text, (word, start, end) => words.push({ word, start, end }));
  return words;
}

/** Returns whether a word is one character of a script without blanks. */
export function isSingle(word: string): boolean {
  return SINGLE.test(word);
}

function scan(text: string, found: (word: string, start: number, end: number) => void): void {
  let word = '';
  let start = 0;
  let end = 0;
  const finish = (): void => {
    if (word !== '') found(cut(word), start, end);
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
}

function isAsciiWord(code: number): boolean {
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
    if (!WORD_CHARACTER.test(one)) return ' ';
    // The two forms of sigma are one letter.
    return SINGLE.test(one) ? ` ${one} ` : one === 'ς' ? 'σ' : one;
  }).join('');
}

function withoutIgnored(text: string): string {
  return Array.from(text, (one) => (IGNORED.test(one) ? '' : one)).join('');
}
