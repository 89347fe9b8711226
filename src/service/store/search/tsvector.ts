// The words of a message in the binary form of PostgreSQL's TSVECTOR, which needs no parsing by the server.
import { Buffer } from 'node:buffer';
import type { Column, SearchWords } from '../../../contract/search/match.ts';

/** The weights A to D in the two highest bits of a place. Words of files have lexemes of their own. */
const WEIGHTS: readonly (readonly [column: Column, weight: number])[] = [
  ['subject', 3],
  ['sender', 2],
  ['body', 1],
  ['files', 1],
  ['quoted', 0],
];

/** What the lexemes of words of files begin with. A word has no such sign. */
export const FILE_PREFIX = 'file/';

const MAX_PLACE = 16_383;
const MAX_PLACES = 256;

/** A message in the form of the table. `isLong`: some places were left out, so that phrases cannot be decided by them. */
export type Lexemes = { words: Uint8Array; isLong: boolean };

/** Returns the lexemes of a message with their places. Between two columns a place is free, so that no phrase spans both. */
export function lexemesOf(words: SearchWords): Lexemes {
  const places = new Map<string, number[]>();
  let place = 0;
  let isLong = false;
  for (const [column, weight] of WEIGHTS) {
    for (const word of words[column]) {
      place += 1;
      const lexeme = column === 'files' ? FILE_PREFIX + word : word;
      let own = places.get(lexeme);
      if (own === undefined) places.set(lexeme, (own = []));
      // A lexeme without any place would lose its weight.
      if (own.length < MAX_PLACES && (place <= MAX_PLACE || own.length === 0))
        own.push((weight << 14) | Math.min(place, MAX_PLACE));
      else isLong = true;
      if (place > MAX_PLACE) isLong = true;
    }
    place += 1;
  }
  return { words: encode(places), isLong };
}

/** A count, then each lexeme: its text, a zero, the number of its places, its places. */
function encode(lexemes: ReadonlyMap<string, readonly number[]>): Uint8Array {
  let size = 4;
  for (const [lexeme, places] of lexemes) size += Buffer.byteLength(lexeme) + 3 + 2 * places.length;
  const bytes = Buffer.allocUnsafe(size);
  let at = bytes.writeInt32BE(lexemes.size);
  for (const [lexeme, places] of lexemes) {
    at += bytes.write(lexeme, at);
    at = bytes.writeUInt8(0, at);
    at = bytes.writeUInt16BE(places.length, at);
    for (const place of places) at = bytes.writeUInt16BE(place, at);
  }
  return bytes;
}
