// Decides whether the words of a message match an expression, as the indexes of both engines do.
import type { Expression, SearchQuery, Term, TextField } from './expression.ts';
import { isAsciiWord, isPlain, placeWords, wordsOf } from './words.ts';

/** The texts of a message that are searched, each apart: a phrase does not reach from one into another. */
export const COLUMNS = ['subject', 'sender', 'body', 'files', 'quoted'] as const;
/** One of {@link COLUMNS}. */
export type Column = (typeof COLUMNS)[number];

/** The texts of a message by column, as readers see them. */
export type SearchText = Readonly<Record<Column, string>>;
/** The words of a message by column, in order. */
export type SearchWords = Readonly<Record<Column, readonly string[]>>;

/** The columns that each field of a query searches. */
export const COLUMNS_OF_FIELD: Readonly<Record<TextField, readonly Column[]>> = {
  from: ['sender'],
  subject: ['subject'],
  body: ['body', 'quoted'],
  unquoted: ['body'],
  quoted: ['quoted'],
  file: ['files'],
};

/** Returns the columns that a term searches. */
export function columnsOf({ field }: Pick<Term, 'field'>): readonly Column[] {
  return field === undefined ? COLUMNS : COLUMNS_OF_FIELD[field];
}

/** Returns whether a message with these words matches. */
export function matches(expression: Expression, words: SearchWords): boolean {
  return holds(expression, (term, column) => findTerm(term, words[column]).next().done === false);
}

/** Returns whether a message matches; `has` says which terms its texts have. */
export function holds(expression: Expression, has: (term: Term, column: Column) => boolean): boolean {
  switch (expression.kind) {
    case 'term':
      return columnsOf(expression).some((column) => has(expression, column));
    case 'all':
      return expression.of.every((operand) => holds(operand, has));
    case 'any':
      return expression.of.some((operand) => holds(operand, has));
    case 'not':
      return !holds(expression.of, has);
    default:
      return expression satisfies never;
  }
}

/** A part of a text, in UTF-16 units; the end is not part of it. */
export type Range = { start: number; end: number };
/** Terms in a text. */
export type TermsInText = {
  /** Returns whether the text has a term. */
  has(term: Term): boolean;
  /** Yields where a term is in the text, in order. */
  places(term: Term): Generator<Range>;
};

/** Returns what finds terms in a text, as {@link findTerm} does in its words. Most texts are not split for it. */
export function termsIn(text: string): TermsInText {
  if (isPlain(text)) {
    const lower = text.toLowerCase();
    return {
      has: (term) => findInPlain(term, lower).next().done === false,
      places: (term) => findInPlain(term, lower),
    };
  }
  const words = wordsOf(text);
  return {
    has: (term) => findTerm(term, words).next().done === false,
    *places(term) {
      const placed = placeWords(text);
      for (const at of findTerm(term, words))
        yield { start: placed[at]!.start, end: placed[at + term.words.length - 1]!.end };
    },
  };
}

function* findInPlain(term: Term, lower: string): Generator<Range> {
  const first = term.words[0]!;
  for (let start = lower.indexOf(first); start >= 0; start = lower.indexOf(first, start + 1)) {
    if (start > 0 && isAsciiWord(lower.charCodeAt(start - 1))) continue;
    const end = endOfTerm(term, lower, start);
    if (end !== undefined) yield { start, end };
  }
}

/** Returns where a term ends whose first word begins here; undefined where its other words do not follow. */
function endOfTerm({ words, isPrefix }: Term, lower: string, start: number): number | undefined {
  const isWord = (at: number): boolean => at < lower.length && isAsciiWord(lower.charCodeAt(at));
  const last = words.length - 1;
  let at = start;
  for (const [index, word] of words.entries()) {
    if (!lower.startsWith(word, at)) return undefined;
    at += word.length;
    if (index === last && isPrefix) while (isWord(at)) at += 1;
    if (isWord(at)) return undefined;
    if (index < last) while (at < lower.length && !isWord(at)) at += 1;
  }
  return at;
}

/** Returns whether an expression can match because a text lacks something. */
export function hasNegation(expression: Expression): boolean {
  return expression.kind === 'not' || (expression.kind !== 'term' && [...expression.of].some(hasNegation));
}

/** Yields the index of the first word of each occurrence of a term. */
export function* findTerm({ words, isPrefix }: Term, text: readonly string[]): Generator<number> {
  const last = words.length - 1;
  const isExact = last > 0 || !isPrefix;
  for (let at = 0; at + last < text.length; at += 1) {
    // Not by the loop alone, which is slow for the first thousands of words that a process compares.
    if (isExact) at = text.indexOf(words[0]!, at);
    if (at < 0 || at + last >= text.length) return;
    let index = 0;
    while (index < last && text[at + index] === words[index]) index += 1;
    const word = text[at + last]!;
    if (index === last && (isPrefix ? word.startsWith(words[last]!) : word === words[last])) yield at;
  }
}

/** Returns whether files decide which messages match: their cities, types, names or text. Whether a message has files is known without them. */
export function asksOfFiles({ expression, filters }: Pick<SearchQuery, 'expression' | 'filters'>): boolean {
  return (
    filters.some(({ kind }) => kind === 'city' || kind === 'type') ||
    (expression !== undefined && searchesFiles(expression))
  );
}

function searchesFiles(expression: Expression): boolean {
  if (expression.kind === 'term') return columnsOf(expression).includes('files');
  return expression.kind === 'not' ? searchesFiles(expression.of) : expression.of.some(searchesFiles);
}

/** Returns the terms that a match can contain: those that are not negated. */
export function positiveTerms(expression: Expression, isNegated = false): Term[] {
  switch (expression.kind) {
    case 'term':
      return isNegated ? [] : [expression];
    case 'not':
      return positiveTerms(expression.of, !isNegated);
    case 'all':
    case 'any':
      return expression.of.flatMap((operand) => positiveTerms(operand, isNegated));
    default:
      return expression satisfies never;
  }
}
