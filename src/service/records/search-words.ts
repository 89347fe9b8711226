// The words of a message as the search index stores them, within the limits of both engines.
import { Buffer } from 'node:buffer';
import { COLUMNS, type Column, type SearchText, type SearchWords } from '../../contract/search/match.ts';
import { foldText, wordsOf } from '../../contract/search/words.ts';

/** Raised when words or texts are made in another way: the index of an archive is then made again. */
export const SEARCH_VERSION = 4;

/** The bytes that the different words of a message and their places may take. PostgreSQL allows a TSVECTOR 1 MiB. */
const MAX_BYTES = 1_000_000;
/** What a word takes besides its letters: as one of a file, with its first place. */
const BYTES_PER_WORD = 17;
const BYTES_PER_PLACE = 2;
/** A UTF-16 unit takes at most this many bytes. */
const BYTES_PER_CHARACTER = 3;

/** Returns the words of the texts, columns in their order. Words beyond what an index can hold of a message are left out. */
export function searchWordsOf(text: SearchText): SearchWords {
  const all = COLUMNS.map((column) => [column, wordsOf(text[column])]);
  const words = Object.fromEntries(all) as Record<Column, string[]>;
  return fits(text, (column) => words[column].length) ? words : withinLimit(words);
}

/** Returns whether an index surely holds all words of the texts. */
export function isIndexedWhole(text: SearchText): boolean {
  return fits(text, (column) => maxWordsIn(text[column]));
}

/** Returns texts that the tokenizer `ascii` of SQLite splits into the words of {@link searchWordsOf}. */
export function foldedTextsOf(text: SearchText): SearchText {
  const words = isIndexedWhole(text) ? undefined : searchWordsOf(text);
  const texts = COLUMNS.map((column) => [column, words?.[column].join(' ') ?? foldText(text[column])]);
  return Object.fromEntries(texts) as Record<Column, string>;
}

/** Beyond ASCII a character can be a word, and a few characters are several words of a small set. */
function maxWordsIn(text: string): number {
  return /[\x80-\uffff]/.test(text) ? 2 * text.length : Math.ceil(text.length / 2);
}

/** Returns whether so many words of the texts are sure to be within the limit. */
function fits(text: SearchText, countOf: (column: Column) => number): boolean {
  const most = COLUMNS.reduce(
    (sum, column) => sum + countOf(column) * BYTES_PER_WORD + text[column].length * BYTES_PER_CHARACTER,
    0,
  );
  return most <= MAX_BYTES;
}

function withinLimit(words: Record<Column, readonly string[]>): SearchWords {
  const seen = new Set<string>();
  let bytes = 0;
  for (const column of COLUMNS) {
    const all = words[column];
    for (const [index, word] of all.entries()) {
      const lexeme = column === 'files' ? `file/${word}` : word;
      bytes += BYTES_PER_PLACE + (seen.has(lexeme) ? 0 : BYTES_PER_WORD + Buffer.byteLength(lexeme));
      seen.add(lexeme);
      if (bytes <= MAX_BYTES) continue;
      words[column] = all.slice(0, index);
      for (const later of COLUMNS.slice(COLUMNS.indexOf(column) + 1)) words[later] = [];
      return words;
    }
  }
  return words;
}
