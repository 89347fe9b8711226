// What a query asks for: an expression over words, and filters; and what is wrong with one.
import type { Period } from './dates.ts';

/** The fields whose words can be searched alone. */
export const TEXT_FIELDS = ['from', 'subject', 'body', 'unquoted', 'quoted', 'file'] as const;
/** One of {@link TEXT_FIELDS}. */
export type TextField = (typeof TEXT_FIELDS)[number];

/** Words in this order, one after the other. `isPrefix`: the last one may go on. Without a field any one may have them. */
export type Term = {
  kind: 'term';
  field: TextField | undefined;
  words: readonly string[];
  isPrefix: boolean;
};
/** An expression over words. `all` and `any` have two operands or more. */
export type Expression =
  Term | { kind: 'all' | 'any'; of: readonly Expression[] } | { kind: 'not'; of: Expression };

/** A condition on the message that is no text. `negated`: it must not hold. */
export type Filter = { negated: boolean } & (
  | { kind: 'conversation'; id: string }
  /** A content type of a file; a text that ends with `/` is a main type. */
  | { kind: 'type'; type: string }
  | { kind: 'city' | 'channel'; label: string }
  | { kind: 'source'; name: string }
  | { kind: 'attachment' }
  | ({ kind: 'date' } & Partial<Period>)
);

/** A filter by a name that is compared without case, blanks, signs and accents. */
export type LabelFilter = Extract<Filter, { label: string }>;

/** What a query asks for: messages for which the expression and all filters hold. */
export type SearchQuery = {
  expression: Expression | undefined;
  filters: readonly Filter[];
  /** The parts of the query that must all hold, as they were written. Each is a query. */
  parts: readonly string[];
  /** What was understood in another way than the user may have meant, for people. */
  notes: readonly string[];
};

/** What is wrong with a query. `position`: the character where it is wrong, from 1. */
export class QueryError extends Error {
  readonly position: number;
  readonly hint: string | undefined;

  constructor(message: string, at: number, hint?: string) {
    super(message);
    this.position = at + 1;
    this.hint = hint;
  }
}
