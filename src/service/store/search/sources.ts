// The messages of one tier that match an expression, as SQL of each engine.
import type { Expression } from '../../../contract/search/expression.ts';
import type { Tier } from '../../../contract/tier.ts';
import { tiersUpTo } from '../../rules/tiers.ts';
import type { Reads, Value } from '../sql/database.ts';
import { WORDS_MATCH, WORDS_OF_WEIGHT } from '../sql/prepared-texts.ts';
import {
  certainTsQuery,
  fieldQueries,
  fts5Query,
  looseTsQuery,
  NO_WORD,
  samePlaceTsQuery,
  tsQuery,
  type EngineQuery,
} from './engine-query.ts';
import type { Search } from './search.ts';
import { DAY_UNIT, searchTable } from './search-tables.ts';

/** The matching messages of one tier. All texts are SQL. */
export type Source = {
  tier: Tier;
  table: string;
  /** The condition of the expression, '' where there is none. Its parameters are numbered from $1. */
  where: string;
  values: readonly Value[];
  /** The number of a message, its day, and how well it matches; a lower score is better. */
  n: string;
  day: string;
  score: string;
  /** The columns of the order by day and number, and their values for a message. */
  key: readonly string[];
  /** The condition that a message is one of those whose keys are in a parameter, and the value of that parameter. */
  isOneOf(parameter: string): string;
  oneOf(places: readonly { n: number; day: number }[]): string;
  keyOf(place: { n: number; day: number }): number[];
};

/** Weights of subject, sender, body, files and quoted lines. */
const BM25_WEIGHTS = '4, 2, 1, 1, 0.3';
/** Weights of D, C, B, A. 1: the rank is divided by the logarithm of the length. */
const TS_RANK = `ts_rank('{0.1, 0.25, 0.5, 1}', words, CAST($1 AS TSQUERY), 1)`;

/** Returns the sources of all tiers that the reader sees. One statement runs at a time, so a search takes one connection. */
export async function sourcesOf(database: Reads, search: Search): Promise<Source[]> {
  const { expression, reader } = search;
  const sources: Source[] = [];
  for (const tier of tiersUpTo(reader))
    sources.push(
      database.engine === 'sqlite'
        ? sqliteSource(tier, expression)
        : await postgresSource(database, tier, search),
    );
  return sources;
}

function sqliteSource(tier: Tier, expression: Expression | undefined): Source {
  const table = searchTable(tier);
  const query = expression && fts5Query(expression);
  const matched = `${table} MATCH $1`;
  const key = `${table}.rowid`;
  return {
    tier,
    table,
    where:
      query?.isComplement === true
        ? `${key} NOT IN (SELECT rowid FROM ${table} WHERE ${matched})`
        : query
          ? matched
          : '',
    values: query ? [query.text] : [],
    n: `(${key} % ${DAY_UNIT})`,
    day: `(${key} / ${DAY_UNIT})`,
    score: query === undefined || query.isComplement ? '0' : `bm25(${table}, ${BM25_WEIGHTS})`,
    key: [key],
    isOneOf: (parameter) => `${key} IN (SELECT value FROM json_each(${parameter}))`,
    oneOf: (places) => JSON.stringify(places.map(({ n, day }) => day * DAY_UNIT + n)),
    keyOf: ({ n, day }) => [day * DAY_UNIT + n],
  };
}

async function postgresSource(database: Reads, tier: Tier, search: Search): Promise<Source> {
  const { expression } = search;
  const table = searchTable(tier);
  const query = expression && tsQuery(expression);
  const { where, values } = await postgresCondition(database, table, query, search);
  return {
    tier,
    table,
    where,
    values,
    n: `${table}.n`,
    day: `${table}.day`,
    score: query === undefined || query.isComplement ? '0' : `-CAST(${TS_RANK} AS DOUBLE PRECISION)`,
    key: [`${table}.day`, `${table}.n`],
    isOneOf: (parameter) => `${table}.n = ANY(CAST(${parameter} AS BIGINT[]))`,
    oneOf: (places) => `{${places.map(({ n }) => n).join()}}`,
    keyOf: ({ n, day }) => [day, n],
  };
}

/** The parameter of the rank, in a condition that does not need it. */
const QUERY_IS_GIVEN = 'CAST($1 AS TSQUERY) IS NOT NULL';

/**
 * Words of subjects and senders are found by the index of their own, from which no message must be read. The index of all words gives
 * each message with them anywhere.
 */
async function postgresCondition(
  database: Reads,
  table: string,
  query: EngineQuery | undefined,
  search: Search,
): Promise<Pick<Source, 'where' | 'values'>> {
  if (query === undefined) return { where: '', values: [] };
  const { queries, isWhole } = fieldQueries(search.expression!);
  const ofFields = queries.map(
    ({ weight }, at) => `${WORDS_OF_WEIGHT}'{${weight.toLowerCase()}}') @@ CAST($${at + 2} AS TSQUERY)`,
  );
  const whole = isWhole ? QUERY_IS_GIVEN : await tsCondition(database, table, query, search);
  return {
    where: [whole, ...ofFields].join(' AND '),
    values: [query.text, ...queries.map(({ text }) => text)],
  };
}

/** The words of a message, and a word that none has at the place after the last one; of a long message, at the last that is stored. */
const MARKED_WORDS = `(words || CAST('''${NO_WORD}'':1' AS TSVECTOR))`;

/**
 * Not all places of words are stored of long messages. So there an expression with phrases is decided by the text of each
 * message that has the words, unless the places that are stored show that it matches. The last place that is stored may stand for
 * any later one.
 */
async function tsCondition(
  database: Reads,
  table: string,
  query: EngineQuery,
  { expression, matches }: Search,
): Promise<string> {
  const matched = conditionOf(query);
  const loose = looseTsQuery(expression!);
  if (loose === undefined) return matched;
  const certain = certainTsQuery(expression!);
  const candidates = await database.all<{ n: number; certain: number }>(
    `SELECT n, CASE WHEN ${certain.isComplement ? 'NOT ' : ''}(words @@ CAST($2 AS TSQUERY))
        AND NOT (${MARKED_WORDS} @@ CAST($3 AS TSQUERY)) THEN 1 ELSE 0 END AS certain
      FROM ${table} WHERE is_long = 1 AND ${conditionOf(loose)} ORDER BY n`,
    [loose.text, certain.text, samePlaceTsQuery(expression!, NO_WORD)],
  );
  const found: number[] = [];
  for (const { n, certain: isFound } of candidates) if (isFound === 1 || (await matches(n))) found.push(n);
  const long = found.length === 0 ? '' : ` OR ${table}.n IN (${found.join(', ')})`;
  return `((is_long = 0 AND ${matched})${long})`;
}

function conditionOf({ isComplement }: EngineQuery): string {
  return `${isComplement ? 'NOT ' : ''}(${WORDS_MATCH})`;
}
