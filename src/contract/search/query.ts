// The search language: parses a query into an expression over words, and filters.
import { QueryError, type Expression, type Filter, type SearchQuery } from './expression.ts';
import { filterOf } from './filter-value.ts';
import { MAX_QUERY_CHARACTERS } from './parameters.ts';
import { tokensOf, type Token } from './tokens.ts';
import { searchable } from './words.ts';

/** The query that every message matches. */
export const ALL_MESSAGES = '*';

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
    const what =
      token === undefined
        ? 'the query ends here, but a word must follow'
        : 'there is no word here, but one must follow';
    const hint = 'OR, AND and NOT in capitals are operators; quote them to search for the words';
    throw new QueryError(what, token?.at ?? before?.at ?? this.end, hint);
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
