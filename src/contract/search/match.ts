// Decides whether the words of a message match an expression, as the indexes of both engines do.
import type { Expression, Term, TextField } from './query.ts';

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
  switch (expression.kind) {
    case 'term':
      return columnsOf(expression).some(
        (column) => findTerm(expression, words[column]).next().done === false,
      );
    case 'all':
      return expression.of.every((operand) => matches(operand, words));
    case 'any':
      return expression.of.some((operand) => matches(operand, words));
    case 'not':
      return !matches(expression.of, words);
    default:
      return expression satisfies never;
  }
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
