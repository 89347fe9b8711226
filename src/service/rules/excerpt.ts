// The part of a message that shows why it was found: one line of text, and which words of it match.
import type { Expression, Term } from '../../contract/search/expression.ts';
import type { Matched } from '../../contract/search/search.ts';
import {
  COLUMNS,
  columnsOf,
  positiveTerms,
  type Column,
  type Range,
  type SearchText,
  type TermsInText,
} from '../../contract/search/match.ts';

/** A snippet is about this long, and begins about this many characters before what it shows. */
const SNIPPET_CHARACTERS = 180;
const LEAD_CHARACTERS = 50;
/** Of more places in one text the first are compared. */
const MAX_PLACES = 500;

/** Where words of a query are in a text, and the term that they belong to. */
type Place = { start: number; end: number; term: Term };
/** Why a message was found. */
export type Excerpt = { matched: Matched[]; snippet: string; marks: Range[] };

const MATCHED: Readonly<Record<Column, Matched>> = {
  subject: 'subject',
  sender: 'from',
  body: 'body',
  files: 'file',
  quoted: 'quoted',
};

/** The column that the snippet is taken from: the first one with a match. */
const SHOWN: readonly Column[] = ['body', 'quoted', 'files'];

/** What finds terms in each text of a message. */
export type TermsInTexts = Readonly<Record<Column, TermsInText>>;

/** Returns where the words of an expression are, and a snippet of the text around them; else of its beginning. */
export function excerptOf(
  text: SearchText,
  texts: TermsInTexts,
  expression: Expression | undefined,
): Excerpt {
  const terms = expression === undefined ? [] : positiveTerms(expression);
  const termsOf = (column: Column) => terms.filter((term) => columnsOf(term).includes(column));
  const found = COLUMNS.filter((column) => termsOf(column).some((term) => texts[column].has(term)));
  const shown = SHOWN.find((column) => found.includes(column)) ?? 'body';
  const places = found.includes(shown) ? placesOf(texts[shown], termsOf(shown)) : [];
  return { matched: found.map((column) => MATCHED[column]), ...snippetOf(text[shown], places) };
}

function placesOf(text: TermsInText, terms: readonly Term[]): Place[] {
  const found: Place[] = [];
  for (const term of terms) {
    let count = 0;
    for (const { start, end } of text.places(term)) {
      found.push({ start, end, term });
      if ((count += 1) >= MAX_PLACES) break;
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

function snippetOf(text: string, places: readonly Place[]): Pick<Excerpt, 'snippet' | 'marks'> {
  const from = startOf(text, bestPlace(places));
  const to = endOf(text, from);
  const ranges = places
    .filter(({ start, end }) => start >= from && end <= to)
    .map(({ start, end }): Range => ({ start, end }));
  return oneLine(text, from, to, merged(ranges));
}

/** Returns the place after which the most different terms follow within a snippet. */
function bestPlace(places: readonly Place[]): Place | undefined {
  let best: Place | undefined;
  let most = 0;
  for (const [index, place] of places.slice(0, MAX_PLACES).entries()) {
    const terms = new Set<Term>();
    for (let at = index; at < places.length; at += 1) {
      if (places[at]!.end > place.start + SNIPPET_CHARACTERS - LEAD_CHARACTERS) break;
      terms.add(places[at]!.term);
    }
    if (terms.size <= most) continue;
    [best, most] = [place, terms.size];
    if (most === new Set(places.map(({ term }) => term)).size) break;
  }
  return best ?? places[0];
}

/** Returns the beginning of a word, somewhat before a place. */
function startOf(text: string, place: Place | undefined): number {
  if (place === undefined) return 0;
  const earliest = Math.max(0, place.start - LEAD_CHARACTERS);
  if (earliest === 0) return 0;
  const blank = text.slice(earliest, place.start).search(/\s/);
  return blank < 0 ? place.start : earliest + blank + 1;
}

function endOf(text: string, from: number): number {
  const latest = from + SNIPPET_CHARACTERS;
  if (latest >= text.length) return text.length;
  const last = text
    .slice(from, latest)
    .trimEnd()
    .search(/\s\S*$/);
  return last > SNIPPET_CHARACTERS / 2 ? from + last : latest;
}

function merged(ranges: readonly Range[]): Range[] {
  const all: Range[] = [];
  for (const { start, end } of ranges) {
    const last = all.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}

/** Returns a part of a text with one blank for each run of them, and dots where it was cut, with the ranges as they are there. */
function oneLine(
  text: string,
  from: number,
  to: number,
  ranges: readonly Range[],
): Pick<Excerpt, 'snippet' | 'marks'> {
  const part = text.slice(from, to).replaceAll(/\s/g, ' ');
  const hasRuns = part.includes('  ');
  const upTo = (end: number): string => {
    const line = hasRuns ? part.slice(0, end - from).replaceAll(/ +/g, ' ') : part.slice(0, end - from);
    return from > 0 ? `…${line}` : line.trimStart();
  };
  const marks = ranges.map(({ start, end }): Range => ({ start: upTo(start).length, end: upTo(end).length }));
  const snippet = upTo(to).trimEnd();
  return { snippet: to < text.length ? `${snippet}…` : snippet, marks };
}
