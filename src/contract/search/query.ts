// The search language: parses a query into an expression over words, and filters.
import { cutText } from './cut-text.ts';
import { nearest } from '../nearest.ts';
import { ownValue } from '../own-value.ts';
import { dateExamples, parsePeriod, type Period } from './dates.ts';
import { MAX_QUERY_CHARACTERS } from './parameters.ts';
import { isSingle, searchable, wordsOf } from './words.ts';

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

/** Limits of a query, besides its length. */
const MAX_TERMS = 64;
const MAX_DEPTH = 16;

/** The query that every message matches. */
export const ALL_MESSAGES = '*';

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

/**
 * Returns what a query asks for. `now` in milliseconds since the epoch: dates may be relative to it. Throws
 * {@link QueryError}.
 */
export function parseQuery(source: string, now: number): SearchQuery {
  const text = searchable(source);
  if (text.length > MAX_QUERY_CHARACTERS)
    throw new QueryError(
      `the query is longer than ${MAX_QUERY_CHARACTERS} characters`,
      MAX_QUERY_CHARACTERS,
      'shorten it, or search twice',
    );
  if (text.trim() === ALL_MESSAGES)
    return { expression: undefined, filters: [], parts: [ALL_MESSAGES], notes: [] };
  const notes: string[] = [];
  const tokens = tokensOf(text, notes);
  const filters: Filter[] = [];
  const rest: Token[] = [];
  const parts: string[] = [];
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'open') depth += 1;
    if (token.kind === 'close') depth -= 1;
    if (token.kind !== 'filter') {
      rest.push(token);
      continue;
    }
    const before = tokens.slice(0, index).findLast(({ kind }) => kind !== 'not');
    const after = tokens[index + 1];
    if (depth > 0 || before?.kind === 'or' || after?.kind === 'or')
      throw new QueryError(
        `${token.name}: cannot stand in parentheses or beside OR`,
        token.at,
        `write it before or behind the other words: ${token.name}:… word`,
      );
    // What joins a filter to the rest says nothing: all filters hold.
    let negated = false;
    for (; rest.at(-1)?.kind === 'not'; rest.pop()) negated = !negated;
    if (before?.kind === 'and' && rest.at(-1)?.kind === 'and') rest.pop();
    filters.push({ ...filterOf(token, now), negated });
    parts.push(`${negated ? '-' : ''}${text.slice(token.at, token.end)}`);
  }
  if (rest[0]?.kind === 'and' && filters.length > 0) rest.shift();
  const expression = rest.length === 0 ? undefined : new ExpressionParser(rest, text).parse();
  if (expression === undefined && filters.length === 0) throw new QueryError('the query is empty', 0);
  return { expression, filters, parts: [...partsOf(rest, text), ...parts], notes };
}

/** `at` and `end`: where a token stands in the query. */
type Token = { at: number; end: number } & (
  | { kind: 'open' | 'close' | 'or' | 'and' | 'not' }
  | { kind: 'term'; term: Term }
  | { kind: 'filter'; name: (typeof FILTERS)[number]; value: string; valueAt: number }
);

function tokensOf(text: string, notes: string[]): Token[] {
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

/** An example of each name. */
const EXAMPLES: Readonly<Record<string, string>> = {
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

function filterOf({ name, value, valueAt }: Token & { kind: 'filter' }, now: number) {
  const hint = EXAMPLES[name];
  switch (name) {
    case 'conversation':
      if (!/^conv_\d{1,15}$/.test(value))
        throw new QueryError(`"${cutText(value)}" is no id of a conversation`, valueAt, hint);
      return { kind: 'conversation', id: value } as const;
    case 'type': {
      const type = value.toLowerCase();
      if (!/^[\w.+-]{1,100}(?:\/(?:\*|[\w.+-]{1,100}))?$/.test(type))
        throw new QueryError(`"${cutText(value)}" is no content type`, valueAt, hint);
      return { kind: 'type', type: type.includes('/') ? type.replace(/\*$/, '') : `${type}/` } as const;
    }
    case 'city':
    case 'channel':
      if (wordsOf(value).length === 0)
        throw new QueryError(`"${cutText(value)}" is no ${name}`, valueAt, hint);
      return { kind: name, label: value } as const;
    case 'source':
      if (!/^[\w.-]{1,100}$/.test(value))
        throw new QueryError(`"${cutText(value)}" is no source`, valueAt, hint);
      return { kind: 'source', name: value } as const;
    case 'has':
      if (!/^(?:attachments?|files?)$/i.test(value))
        throw new QueryError(`has:${cutText(value)} is not known`, valueAt, hint);
      return { kind: 'attachment' } as const;
    case 'since':
    case 'before':
    case 'on': {
      const period = parsePeriod(value, now);
      if (typeof period === 'string') throw new QueryError(period, valueAt, dateExamples(`${name}:`));
      if (name === 'on') return { kind: 'date', ...period } as const;
      return name === 'since'
        ? ({ kind: 'date', start: period.start } as const)
        : ({ kind: 'date', end: period.start } as const);
    }
    default:
      return name satisfies never;
  }
}

/** Parses `a b OR -(c d)` from tokens without filters. */
class ExpressionParser {
  private readonly tokens: readonly Token[];
  private readonly end: number;
  private at = 0;

  constructor(tokens: readonly Token[], text: string) {
    this.tokens = tokens;
    this.end = Math.max(0, text.trimEnd().length - 1);
  }

  parse(): Expression {
    return this.any();
  }

  private any(): Expression {
    const of = [this.all()];
    while (this.take('or')) of.push(this.all());
    return of.length === 1 ? of[0]! : { kind: 'any', of };
  }

  private all(): Expression {
    const of = [this.not()];
    for (;;) {
      const isJoined = this.take('and');
      const next = this.tokens[this.at]?.kind;
      if (!isJoined && (next === undefined || next === 'or' || next === 'close')) break;
      of.push(this.not());
    }
    return of.length === 1 ? of[0]! : { kind: 'all', of };
  }

  private not(): Expression {
    let isNegated = false;
    while (this.take('not')) isNegated = !isNegated;
    const item = this.item();
    return isNegated ? { kind: 'not', of: item } : item;
  }

  private item(): Expression {
    const token = this.tokens[this.at];
    if (token?.kind === 'term') {
      this.at += 1;
      return token.term;
    }
    if (this.take('open')) {
      const inner = this.any();
      this.take('close');
      return inner;
    }
    const before = this.tokens[this.at - 1];
    const what = token === undefined ? 'the query ends here' : 'there is no word here';
    const hint = 'OR, AND and NOT in capitals are operators; quote them to search for the words';
    throw new QueryError(`${what}, but one must follow`, token?.at ?? before?.at ?? this.end, hint);
  }

  private take(kind: Token['kind']): boolean {
    const isNext = this.tokens[this.at]?.kind === kind;
    if (isNext) this.at += 1;
    return isNext;
  }
}

/** Returns the outermost parts of an expression that are joined by AND, as they were written. */
function partsOf(tokens: readonly Token[], text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from: number | undefined;
  for (const { kind, at, end } of tokens) {
    if (depth === 0 && kind === 'or') return [text.slice(tokens[0]!.at, tokens.at(-1)!.end)];
    if (depth === 0 && kind === 'and') continue;
    from ??= at;
    if (kind === 'open') depth += 1;
    if (kind === 'close') depth -= 1;
    if (depth > 0 || kind === 'not') continue;
    parts.push(text.slice(from, end));
    from = undefined;
  }
  return parts;
}

function isBlank(character: string): boolean {
  return /\s/u.test(character);
}
