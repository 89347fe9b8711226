// Finds the messages that match a search, counts them, and counts them by a field. Both engines give the same sets.
import type { Tier } from '../../../contract/tier.ts';
import { isOpenFile, isReadable } from '../../records/reader.ts';
import type { Database, Value } from '../sql/database.ts';
import { filterConditions } from './filters.ts';
import { fewPlaces, type MessageKey } from './narrow.ts';
import type { Hit, Search, SearchOrder } from './search.ts';
import { dayOf, keyParameter } from './search-tables.ts';
import { sourcesOf, type Source } from './sources.ts';

/** The fields by which messages are counted. */
export type Facet = 'year' | 'from' | 'channel' | 'source' | 'type' | 'city' | 'conversation';

/** Messages with one value of a field; null where they have none. */
export type FacetCount = { value: string | number | null; count: number };

/** The values with the most messages, and the number of all values. Years come in order, the last ones. */
export type FacetCounts = { values: number; counts: FacetCount[] };

/** Finds the messages of one search. */
export type Finder = {
  /** Returns the number of messages. */
  count(): Promise<number>;
  /** Returns at most `limit` messages in order, of those after a hit. */
  find(order: SearchOrder, limit: number, after?: Hit): Promise<Hit[]>;
  /** Returns a message as a hit; undefined where the search does not find it. */
  hitOf(n: number, order: SearchOrder): Promise<Hit | undefined>;
  /** Counts the messages by a field. */
  facet(facet: Facet, limit: number): Promise<FacetCounts>;
};

/** Up to this number of matches PostgreSQL sorts them. It would else read the index of days to its end for a rare word. */
const MAX_SORTED = 2_000;

/** What is known of a search, for the next page of it in the same state of the data. */
export type KnownSearch = {
  sources?: Source[];
  places?: MessageKey[] | undefined;
  count?: number;
  /** The numbers of all messages by relevance. */
  ranking?: Float64Array;
};

/** Returns what finds the messages of a search. What it learns it puts into `known`. */
export async function createFinder(
  { longReads: database }: Pick<Database, 'longReads'>,
  search: Search,
  known: KnownSearch = {},
): Promise<Finder> {
  if (known.sources === undefined) {
    // Words narrow a search themselves. FTS5 would begin its query again for each key, which takes much longer for a common word.
    known.places = search.expression === undefined ? await fewPlaces(database, search) : undefined;
    known.sources = await sourcesOf(database, search);
  }
  const { places, sources } = known;
  const selection = (source: Source): Selection => selectionOf(search, source, places);
  const isPostgres = database.engine === 'postgres';

  const count = async (): Promise<number> => {
    if (known.count !== undefined) return known.count;
    let total = 0;
    for (const source of sources) {
      const { sql, values } = selection(source).select('COUNT(*) AS total');
      total += (await database.get<{ total: number }>(sql, values))?.total ?? 0;
    }
    return (known.count = total);
  };

  /** By day and number, as the table has them. */
  const inOrder = async (source: Source, order: SearchOrder, limit: number, after?: Hit): Promise<Hit[]> => {
    const { key, keyOf, n, day } = source;
    const selected = selection(source);
    if (after !== undefined) {
      const bound = keyOf(after).map((part) => keyParameter(selected.parameter(part)));
      selected.where.push(`(${key.join(', ')}) ${order === 'oldest' ? '>' : '<'} (${bound.join(', ')})`);
    }
    const direction = order === 'oldest' ? 'ASC' : 'DESC';
    if (isPostgres && (await count()) < MAX_SORTED) {
      const last = selected.parameter(limit);
      const { sql, values } = selected.select(`${n} AS n, ${day} AS day`);
      return database.all<Hit>(
        `WITH hits AS MATERIALIZED (${sql}) SELECT n, day, 0 AS score FROM hits
          ORDER BY day ${direction}, n ${direction} LIMIT ${last}`,
        values,
      );
    }
    const by = key.map((column) => `${column} ${direction}`).join(', ');
    const last = selected.parameter(limit);
    const { sql, values } = selected.select(`${n} AS n, ${day} AS day, 0 AS score`);
    return database.all<Hit>(`${sql} ORDER BY ${by} LIMIT ${last}`, values);
  };

  /** Returns what `select` gives of all sources as one text, and its values. */
  const ofAll = (select: (source: Source) => { sql: string; values: readonly Value[] }) => {
    const values: Value[] = [];
    const parts = sources.map((source) => {
      const { sql, values: own } = select(source);
      const before = values.length;
      values.push(...own);
      // The parameters of each part are numbered from 1.
      return sql.replaceAll(/\$(\d+)/g, (_, at: string) => `$${before + Number(at)}`);
    });
    return { sql: parts.join(' UNION ALL '), values };
  };

  /** All messages by relevance. */
  const byScore = (): { sql: string; values: Value[] } => {
    const { sql, values } = ofAll((source) =>
      selection(source).select(`${source.n} AS n, ${source.day} AS day, ${source.score} AS score`),
    );
    return { sql: `FROM (${sql}) AS hits ORDER BY score, day DESC, n DESC`, values };
  };

  const ranking = async (): Promise<Float64Array> => {
    const { sql, values } = byScore();
    return (known.ranking ??= await database.numbers(`SELECT n ${sql}`, values));
  };
  /** Further pages rank nothing again. */
  const rankedAfter = async (after: Hit, limit: number): Promise<Hit[]> => {
    const ranked = await ranking();
    const at = ranked.indexOf(after.n) + 1;
    return Array.from(ranked.subarray(at, at + limit), (n) => ({ n, day: 0, score: 0 }));
  };

  return {
    count,
    async find(order, limit, after) {
      if (order === 'relevance') {
        if (after !== undefined) return rankedAfter(after, limit);
        const { sql, values } = byScore();
        return database.all<Hit>(`SELECT n, day, score ${sql} LIMIT $${values.push(limit)}`, values);
      }
      const found: Hit[] = [];
      for (const source of sources) found.push(...(await inOrder(source, order, limit, after)));
      return found.sort(compareHits(order)).slice(0, limit);
    },
    async hitOf(n, order) {
      if (order === 'relevance') return (await ranking()).includes(n) ? { n, day: 0, score: 0 } : undefined;
      const row = await database.get<{ date_ms: number | null; tier: Tier }>(
        `SELECT date_ms, tier FROM messages WHERE n = $1 AND ${isReadable('tier', search.reader)}`,
        [n],
      );
      const source = sources.find(({ tier }) => tier === row?.tier);
      if (row === undefined || source === undefined) return undefined;
      const day = dayOf(row.date_ms);
      const selected = selection(source);
      const bound = source.keyOf({ n, day }).map((part) => keyParameter(selected.parameter(part)));
      selected.where.push(...source.key.map((column, at) => `${column} = ${bound[at]}`));
      const { sql, values } = selected.select('1 AS found');
      return (await database.get(sql, values)) && { n, day, score: 0 };
    },
    async facet(facet, limit) {
      const { sql, values: all } = ofAll((source) =>
        facetSelection(facet, search.reader, selection(source), source),
      );
      const grouped = `SELECT value, COUNT(*) AS count FROM (${sql}) AS found GROUP BY value`;
      if (facet === 'year')
        return years(await database.all<{ value: number; count: number }>(grouped, all), limit);
      const rows = await database.all<{ value: string | number; count: number; every: number }>(
        `SELECT value, count, COUNT(*) OVER () AS every FROM (${grouped}) AS counted
          ORDER BY count DESC, value LIMIT $${all.push(limit)}`,
        all,
      );
      const counts = rows.map(({ value, count: messages }) => ({
        value: value === '' ? null : value,
        count: messages,
      }));
      return { values: rows[0]?.every ?? 0, counts };
    },
  };
}

/** A SELECT from one source that is being written. */
type Selection = {
  where: string[];
  /** Adds a value, and returns its parameter. */
  parameter(value: Value): string;
  /** `joins`: tables beside the source and the message `m`. */
  select(columns: string, joins?: string): { sql: string; values: Value[] };
};

function selectionOf(search: Search, source: Source, places: readonly MessageKey[] | undefined): Selection {
  const values = [...source.values];
  const { sql: filters, needsMessage } = filterConditions(search, source, values);
  const where = [...(source.where === '' ? [] : [source.where]), ...filters];
  if (places !== undefined) where.push(source.isOneOf(`$${values.push(source.oneOf(places))}`));
  return {
    where,
    parameter: (value) => `$${values.push(value)}`,
    select(columns, joins) {
      const isJoined = needsMessage || joins !== undefined;
      // CROSS JOIN: SQLite reads the tables in this order.
      const from = isJoined ? `${source.table} CROSS JOIN messages m${joins ?? ''}` : source.table;
      const conditions = isJoined ? [...where, `m.n = ${source.n}`] : where;
      return {
        sql: `SELECT ${columns} FROM ${from}${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`}`,
        values,
      };
    },
  };
}

function facetSelection(
  facet: Facet,
  reader: Tier,
  selected: Selection,
  source: Source,
): { sql: string; values: Value[] } {
  const ofFiles = (column: string) => {
    const files = `LEFT JOIN attachments a ON a.message = m.n AND ${isOpenFile('a.', reader)} AND ${column} IS NOT NULL`;
    return selected.select(`DISTINCT ${source.n} AS n, COALESCE(${column}, '') AS value`, ` ${files}`);
  };
  switch (facet) {
    case 'year':
      return selected.select(`${source.n} AS n, ${source.day} AS value`);
    case 'from':
      return selected.select(`m.n AS n, COALESCE(m.sender, '') AS value`, '');
    case 'channel':
      return selected.select(`m.n AS n, COALESCE(m.channel, '') AS value`, '');
    case 'source':
      return selected.select('m.n AS n, m.source AS value', '');
    case 'conversation':
      return selected.select('m.n AS n, m.conversation AS value', '');
    case 'type':
      return ofFiles('a.declared_type');
    case 'city':
      return ofFiles('a.origin_city');
    default:
      return facet satisfies never;
  }
}

/** Adds up days to years. */
function years(days: readonly { value: number; count: number }[], limit: number): FacetCounts {
  const counts = new Map<string | null, number>();
  for (const { value: day, count } of days) {
    const year = day === 0 ? null : new Date(day * 86_400_000).getUTCFullYear().toString().padStart(4, '0');
    counts.set(year, (counts.get(year) ?? 0) + count);
  }
  const sorted = [...counts].toSorted(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1));
  return { values: counts.size, counts: sorted.slice(-limit).map(([value, count]) => ({ value, count })) };
}

function compareHits(order: SearchOrder): (a: Hit, b: Hit) => number {
  const sign = order === 'oldest' ? 1 : -1;
  return (a, b) =>
    (order === 'relevance' ? a.score - b.score : 0) || sign * (a.day - b.day) || sign * (a.n - b.n);
}
