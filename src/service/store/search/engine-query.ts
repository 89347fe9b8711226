// Writes an expression in the query language of an engine: FTS5 of SQLite, TSQUERY of PostgreSQL.
import { columnsOf, COLUMNS_OF_FIELD, type Column } from '../../../contract/search/match.ts';
import type { Expression, Term } from '../../../contract/search/expression.ts';
import { FILE_PREFIX } from './tsvector.ts';

/**
 * A query of the engine. `isComplement`: the messages that it does not match are meant, since neither engine finds messages by
 * what they lack alone.
 */
export type EngineQuery = { text: string; isComplement: boolean };

/** How an engine writes terms and operators. */
type Writer = {
  term(term: Term): string;
  and: string;
  or: string;
  /** Writes that the first holds and the second does not. */
  without(positive: string, negative: string): string;
};

/** Returns the query of SQLite. */
export function fts5Query(expression: Expression): EngineQuery {
  return write(expression, FTS5);
}

/** Returns the query of PostgreSQL. */
export function tsQuery(expression: Expression): EngineQuery {
  return write(expression, TSQUERY);
}

/**
 * Returns a query of PostgreSQL that matches every message which the expression matches, whatever the places of its words, and
 * more. Undefined where the expression has no phrase and no field that is told by its weight alone: then {@link tsQuery} needs no
 * places.
 */
export function looseTsQuery(expression: Expression): EngineQuery | undefined {
  return needsPlaces(expression) ? tsQuery(boundOf(expression, 'upper', () => NOTHING)) : undefined;
}

/**
 * Returns a query of PostgreSQL that matches only messages which the expression matches, but not all of them, even where some
 * places of their words are missing. All places that there are must be true, see {@link samePlaceTsQuery}.
 */
export function certainTsQuery(expression: Expression): EngineQuery {
  return tsQuery(boundOf(expression, 'lower', (term) => term));
}

/** A word of a field that has an index of its own: the weight of that field, and a query without weights. */
export type FieldQuery = { weight: string; text: string };

/**
 * Returns the words of subjects and senders that every match has. `isWhole`: the expression says nothing else, so that every message
 * with them matches.
 */
export function fieldQueries(expression: Expression): { queries: FieldQuery[]; isWhole: boolean } {
  const operands = expression.kind === 'all' ? expression.of : [expression];
  const queries = operands.flatMap((operand) => {
    if (operand.kind !== 'term' || operand.words.length > 1) return [];
    const { field, words, isPrefix } = operand;
    if (field !== 'from' && field !== 'subject') return [];
    const weight = WEIGHTS[field === 'from' ? 'sender' : 'subject'];
    return [{ weight, text: `'${words[0]}'${isPrefix ? ':*' : ''}` }];
  });
  return { queries, isWhole: queries.length === operands.length };
}

/** Returns a query of PostgreSQL that matches where some word of an expression is at a place of this lexeme. */
export function samePlaceTsQuery(expression: Expression, lexeme: string): string {
  return `((${lexemesOf(expression).join(' | ')}) <0> '${lexeme}')`;
}

function lexemesOf(expression: Expression): string[] {
  if (expression.kind !== 'term') return [expression.of].flat().flatMap(lexemesOf);
  const { words, isPrefix } = expression;
  return words.flatMap((word, at) =>
    ['', FILE_PREFIX].map((prefix) => `'${prefix}${word}'${isPrefix && at === words.length - 1 ? ':*' : ''}`),
  );
}

/** Returns whether an expression has a phrase, or a field that is only some places of words. */
function needsPlaces(expression: Expression): boolean {
  if (expression.kind === 'term') return expression.words.length > 1 || isOfPlaces(expression);
  return [expression.of].flat().some(needsPlaces);
}

/** Of a word that is often in a body, the places in quoted lines may not be stored. */
function isOfPlaces({ field }: Term): boolean {
  return field === 'quoted' || field === 'unquoted';
}

function write(expression: Expression, writer: Writer): EngineQuery {
  if (expression.kind === 'term') return { text: writer.term(expression), isComplement: false };
  if (expression.kind === 'not') {
    const { text, isComplement } = write(expression.of, writer);
    return { text, isComplement: !isComplement };
  }
  const operands = expression.of.map((operand) => write(operand, writer));
  const positive = operands.filter(({ isComplement }) => !isComplement).map(({ text }) => text);
  const negative = operands.filter(({ isComplement }) => isComplement).map(({ text }) => text);
  // By De Morgan's laws: what all lack is what none of them has, and so on.
  const [own, others, inner, outer] =
    expression.kind === 'all'
      ? ([positive, negative, writer.and, writer.or] as const)
      : ([negative, positive, writer.and, writer.or] as const);
  if (own.length === 0) return { text: joined(others, outer), isComplement: expression.kind === 'all' };
  const text = joined(own, inner);
  return {
    text: others.length === 0 ? text : writer.without(text, joined(others, outer)),
    isComplement: expression.kind === 'any',
  };
}

function joined(texts: readonly string[], operator: string): string {
  return texts.length === 1 ? texts[0]! : `(${texts.join(operator)})`;
}

const FTS5: Writer = {
  term(term) {
    const { field, words, isPrefix } = term;
    const phrase = `"${words.join(' ')}"${isPrefix ? ' *' : ''}`;
    return field === undefined ? phrase : `({${columnsOf(term).join(' ')}} : ${phrase})`;
  },
  and: ' AND ',
  or: ' OR ',
  without: (positive, negative) => `(${positive} NOT ${negative})`,
};

/** The weight of each column. Words of files are told by their prefix, whatever their weight. */
const WEIGHTS: Readonly<Record<Column, string>> = {
  subject: 'A',
  sender: 'B',
  body: 'C',
  files: '',
  quoted: 'D',
};

const TSQUERY: Writer = {
  term({ field, words, isPrefix }) {
    const phrase = (prefix: string, weights: string): string => {
      const last = words.length - 1;
      const lexemes = words.map((word, index) => {
        const mark = (isPrefix && index === last ? '*' : '') + weights;
        return `'${prefix}${word}'${mark === '' ? '' : `:${mark}`}`;
      });
      return joined(lexemes, ' <-> ');
    };
    if (field === 'file') return phrase(FILE_PREFIX, '');
    if (field === undefined) return `(${phrase('', '')} | ${phrase(FILE_PREFIX, '')})`;
    return phrase('', COLUMNS_OF_FIELD[field].map((column) => WEIGHTS[column]).join(''));
  },
  and: ' & ',
  or: ' | ',
  without: (positive, negative) => `(${positive} & !${negative})`,
};

/**
 * Returns an expression that follows from this one (`upper`), or that this one follows from (`lower`). Terms that need places are
 * replaced: by their words, in any field where places tell it, which is upper; or by `lowerOf`. `not` exchanges both.
 */
function boundOf(
  expression: Expression,
  bound: 'upper' | 'lower',
  lowerOf: (term: Term) => Expression,
): Expression {
  switch (expression.kind) {
    case 'term':
      if (!needsPlaces(expression)) return expression;
      return bound === 'upper' ? wordsOfTerm(expression) : lowerOf(expression);
    case 'not':
      return { kind: 'not', of: boundOf(expression.of, bound === 'upper' ? 'lower' : 'upper', lowerOf) };
    case 'all':
    case 'any':
      return { ...expression, of: expression.of.map((operand) => boundOf(operand, bound, lowerOf)) };
    default:
      return expression satisfies never;
  }
}

function wordsOfTerm(term: Term): Expression {
  const { words, isPrefix } = term;
  const field = isOfPlaces(term) ? undefined : term.field;
  const last = words.length - 1;
  const each = words.map((word, index): Expression => ({
    kind: 'term',
    field,
    words: [word],
    isPrefix: isPrefix && index === last,
  }));
  return last === 0 ? each[0]! : { kind: 'all', of: each };
}

/** No text has a word with a sign. */
export const NO_WORD = '-';
const NOTHING: Expression = { kind: 'term', field: undefined, words: [NO_WORD], isPrefix: false };
