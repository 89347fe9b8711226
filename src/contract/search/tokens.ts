// Splits a query into tokens: words and phrases, operators, parentheses and filters.
import { nearest } from '../nearest.ts';
import { ownValue } from '../own-value.ts';
import { cutText } from './cut-text.ts';
import { QueryError, TEXT_FIELDS, type Term, type TextField } from './expression.ts';
import { isSingle, searchable, wordsOf } from './words.ts';

/** Limits of a query, besides its length. */
const MAX_TERMS = 64;
const MAX_DEPTH = 16;

/** The names of filters. */
const FILTERS = [
  'conversation',
  'channel',
  'source',
  'type',
  'city',
  'has',
  'since',
  'before',
  'on',
] as const;
const NAMES: readonly string[] = [...TEXT_FIELDS, ...FILTERS];

/** Names that other programs have for these fields. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  after: 'since',
  newer: 'since',
  older: 'before',
  until: 'before',
  date: 'on',
  sender: 'from',
  author: 'from',
  title: 'subject',
  text: 'body',
  own: 'unquoted',
  quote: 'quoted',
  filename: 'file',
  attachment: 'file',
  mimetype: 'type',
  mime: 'type',
  thread: 'conversation',
  in: 'channel',
  room: 'channel',
  stream: 'channel',
  is: 'has',
};

/** An example of each name. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  from: 'from:jane',
  subject: 'subject:patch',
  body: 'body:"use after free"',
  unquoted: 'unquoted:patch',
  quoted: 'quoted:patch',
  file: 'file:report.pdf',
  conversation: 'conversation:conv_1',
  channel: 'channel:general',
  source: 'source:gateway',
  type: 'type:image/png or type:image/*',
  city: 'city:london',
  has: 'has:attachment',
  since: 'since:2021-03',
  before: 'before:2021-03',
  on: 'on:2021-03-04',
};

/** `at` and `end`: where a token stands in the query. */
export type Token = { at: number; end: number } & (
  | { kind: 'open' | 'close' | 'or' | 'and' | 'not' }
  | { kind: 'term'; term: Term }
  | { kind: 'filter'; name: (typeof FILTERS)[number]; value: string; valueAt: number }
);

/** Returns the tokens of a query. Adds to `notes` what may have been meant in another way. Throws {@link QueryError}. */
export function tokensOf(text: string, notes: string[]): Token[] {
  const tokens: Token[] = [];
  const opened: number[] = [];
  let terms = 0;
  let at = 0;
  while (at < text.length) {
    const character = text[at]!;
    if (isBlank(character)) {
      at += 1;
      continue;
    }
    if (character === '(') {
      opened.push(at);
      if (opened.length > MAX_DEPTH)
        throw new QueryError(`parentheses are nested more than ${MAX_DEPTH} times`, at);
      tokens.push({ kind: 'open', at, end: (at += 1) });
      continue;
    }
    if (character === ')') {
      if (opened.pop() === undefined)
        throw new QueryError('this ) closes nothing', at, 'leave it out, or quote it: ")"');
      tokens.push({ kind: 'close', at, end: (at += 1) });
      continue;
    }
    if (character === '-' && at + 1 < text.length && !isBlank(text[at + 1]!)) {
      tokens.push({ kind: 'not', at, end: (at += 1) });
      continue;
    }
    const token = readItem(text, at, opened.length > 0, notes);
    if (token.kind === 'term' && (terms += 1) > MAX_TERMS)
      throw new QueryError(`the query has more than ${MAX_TERMS} words`, at, 'shorten it, or search twice');
    tokens.push(token);
    at = token.end;
  }
  const unclosed = opened.at(-1);
  if (unclosed !== undefined) throw new QueryError('this ( is not closed', unclosed, 'add a ) behind it');
  return tokens;
}

const OPERATORS: Readonly<Record<string, 'or' | 'and' | 'not'>> = { OR: 'or', AND: 'and', NOT: 'not' };

/** Reads a word, a phrase, an operator or a filter. */
function readItem(text: string, at: number, isInside: boolean, notes: string[]): Token {
  const [, name = ''] = /^([a-z_][a-z_-]{0,39}):/i.exec(text.slice(at, at + 42)) ?? [];
  const field = name.toLowerCase();
  if (name !== '') {
    const valueAt = at + name.length + 1;
    if (NAMES.includes(field)) {
      if (valueAt >= text.length || isBlank(text[valueAt]!))
        throw new QueryError(`${field}: has no value`, at, `write it without a blank: ${EXAMPLES[field]}`);
      const value = readValue(text, valueAt, isInside);
      const filter = FILTERS.find((known) => known === field);
      if (filter !== undefined)
        return { kind: 'filter', name: filter, value: value.text, valueAt, at, end: value.end };
      return { kind: 'term', term: termOf(value, valueAt, field as TextField), at, end: value.end };
    }
    const meant = ownValue(OTHER_NAMES, field) ?? nearest(field, NAMES);
    if (meant !== undefined)
      throw new QueryError(
        `there is no field ${name}:`,
        at,
        `did you mean ${meant}: ? To search for the text, quote it: "${name}:…"`,
      );
    notes.push(`${cutText(name)}: is no field of a query; it is searched as text`);
  }
  const value = readValue(text, at, isInside);
  const operator = value.isQuoted ? undefined : ownValue(OPERATORS, value.text);
  if (operator !== undefined) return { kind: operator, at, end: value.end };
  return { kind: 'term', term: termOf(value, at, undefined), at, end: value.end };
}

type Value = { text: string; isQuoted: boolean; isPrefix: boolean; end: number };

/** Reads a phrase in quotation marks, or up to the next blank. A star behind it makes it a prefix. */
function readValue(text: string, at: number, isInside: boolean): Value {
  if (text[at] === '"') {
    const close = text.indexOf('"', at + 1);
    if (close < 0) throw new QueryError('this quotation mark is not closed', at, 'add a " behind the phrase');
    const isPrefix = text[close + 1] === '*';
    return {
      text: text.slice(at + 1, close),
      isQuoted: true,
      isPrefix,
      end: close + (isPrefix ? 2 : 1),
    };
  }
  let end = at;
  // Parentheses that belong to the word, as in `main()`.
  let own = 0;
  for (; end < text.length; end += 1) {
    const character = text[end]!;
    if (isBlank(character) || character === '"') break;
    if (character === '(') own += 1;
    if (character === ')') {
      if (own === 0 && isInside) break;
      if (own === 0) throw new QueryError('this ) closes nothing', end, 'leave it out, or quote the word');
      own -= 1;
    }
  }
  const word = text.slice(at, end);
  const star = word.search(/\*[\p{L}\p{N}]/u);
  if (star >= 0)
    throw new QueryError(
      'a * can stand only at the end of a word',
      at + star,
      'quote the word, or leave the * out',
    );
  const isPrefix = word.endsWith('*') && !word.endsWith('/*');
  return { text: isPrefix ? word.slice(0, -1) : word, isQuoted: false, isPrefix, end };
}

/** Returns the words of a text as a term of a field. A star at the end makes it a prefix. Throws {@link QueryError} without a word. */
export function parseTerm(value: string, field: TextField): Term {
  const text = searchable(value);
  const isPrefix = text.endsWith('*');
  return termOf({ text: isPrefix ? text.slice(0, -1) : text, isPrefix }, 0, field);
}

function termOf(
  { text, isPrefix }: Pick<Value, 'text' | 'isPrefix'>,
  at: number,
  field: TextField | undefined,
): Term {
  const words = wordsOf(text);
  const last = words.at(-1);
  if (last === undefined)
    throw new QueryError(`"${cutText(text)}" has no letter or digit to search for`, at, 'leave it out');
  if (isPrefix && words.length === 1 && last.length === 1 && !isSingle(last))
    throw new QueryError(`${letterOf(text)}* is too short`, at, 'write two letters or more before the *');
  // A prefix goes on from its last letter: behind another character a new word would begin.
  const goesOn = isPrefix && !isSingle(last);
  return { kind: 'term', field, words, isPrefix: goesOn };
}

/** The only letter or digit of a text, as it was written. */
function letterOf(text: string): string {
  return /[\p{L}\p{N}]/u.exec(text)?.[0] ?? cutText(text);
}

function isBlank(character: string): boolean {
  return /\s/u.test(character);
}
