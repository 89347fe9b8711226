// GET /v1/search (ours): the messages that match a query, as the reader's tier sees them.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSemaphore } from '../../concurrency/semaphore.ts';
import {
  COLUMNS,
  hasNegation,
  holds,
  matches,
  termsIn,
  type SearchText,
} from '../../contract/search/match.ts';
import { QueryError, type Expression, type SearchQuery } from '../../contract/search/expression.ts';
import { parseQuery } from '../../contract/search/query.ts';
import { type SearchCount, type SearchHit, type SearchPage } from '../../contract/search/search.ts';
import { MAX_QUERY_CHARACTERS, SEARCH_FACETS, SEARCH_SORTS } from '../../contract/search/parameters.ts';
import type { Message } from '../../contract/conversation.ts';
import type { Tier } from '../../contract/tier.ts';
import { searchTextReader } from '../mail/search-text.ts';
import { conversationSubject } from '../records/conversation.ts';
import { messageJson } from '../records/message.ts';
import { pageText, parseRows, substitute, type CompletedRows } from '../records/page-json.ts';
import { isReadable, statementFor } from '../records/reader.ts';
import { isIndexedWhole, searchWordsOf } from '../records/search-words.ts';
import { ApiError } from '../rules/api-error.ts';
import { excerptOf, type TermsInTexts } from '../rules/excerpt.ts';
import { idOf, numberOf } from '../rules/identifier.ts';
import type { Archive } from '../store/archive.ts';
import { readChecked } from '../store/files/read-checked.ts';
import { indexNext, readIndexed } from '../store/search/build-index.ts';
import { createFinder, type Facet, type Finder, type KnownSearch } from '../store/search/find-messages.ts';
import { indexState } from '../store/search/index-state.ts';
import type { Hit, Search, SearchOrder } from '../store/search/search.ts';
import { selectIn } from '../store/sql/bulk-statements.ts';
import type { DataVersion, LongReads } from '../store/sql/database.ts';
import { isStoreUnavailable } from '../store/sql/database-error.ts';
import { ok, type Call, type Reply } from './call.ts';
import { invalidCursor } from './list-window.ts';
import { labelNotes, labelsFor, meantLabels, type Labels } from './search-labels.ts';

/** With more matches PostgreSQL does not rank, since that would take seconds. */
const MAX_RANKED = 20_000;

/**
 * Returns a page of messages, or their number, or their numbers by a field. Indexes a part of what the index lacks before.
 * Throws ApiError `request_invalid` for a wrong query, `cursor_not_found` for a cursor that the search does not find, `store_unavailable` where
 * too many searches wait. A search whose client has gone leaves its place, and throws the reason of the signal.
 */
export async function search(call: Call): Promise<Reply> {
  if (PERMITS.waiting() >= MAX_WAITING)
    throw new ApiError('store_unavailable', 'too many searches are running, try again', {
      'retry-after': '2',
    });
  const gone = call.request.gone?.();
  const release = await PERMITS.acquire(gone);
  try {
    return await found(call, gone);
  } finally {
    release();
  }
}

/** Searches of this process at once, of all archives. On PostgreSQL each takes one of the six connections that other requests need too. */
const PERMITS = createSemaphore(3);
const MAX_WAITING = 64;

async function found(call: Call, gone: AbortSignal | undefined): Promise<Reply> {
  const { archive, bearer, query } = call;
  const source = query.text('q', MAX_QUERY_CHARACTERS);
  if (source === undefined) throw new ApiError('request_invalid', 'q: must be given');
  const sort = query.choice('sort', SEARCH_SORTS);
  const facet = query.choice('facet', SEARCH_FACETS);
  const isCount = query.flag('count') ?? false;
  const hasSnippets = query.flag('snippets') ?? true;
  const limit = query.limit();
  const parsed = parsedQuery(source, archive.now());
  const cursor = cursorOf(query.text('starting_after'));

  await indexSome(archive);
  gone?.throwIfAborted();
  const { longReads } = archive.database;
  const reads = gone === undefined ? longReads : longReads.until(gone);
  const texts = readerOf(archive, gone);
  const labels = await labelsFor(reads, parsed, bearer.tier);
  const scope: Scope = { archive, reads, reader: bearer.tier, texts, labels };
  // Before the count, which may lack what is indexed meanwhile.
  const index = {
    ...(await indexState(archive.database, bearer.tier)),
    withheld: call.summary.withheld,
    withheld_files: call.summary.withheldFiles,
  };
  const finder = await finderOf(parsed, scope);
  const total = await finder.count();
  const order = orderOf(sort, parsed, archive.database.engine, total);
  const page = {
    object: 'list' as const,
    status: 'stable' as const,
    drift_ratio: call.driftRatio(),
    integrity: call.summary.integrity,
    total,
    order,
    index,
    notes: [
      ...parsed.notes,
      ...labelNotes(parsed, labels, { city: index.withheld_files > 0, channel: index.withheld > 0 }),
    ],
    ...(total > 0 ? {} : { alone: await countAlone(parsed, scope) }),
  };
  if (facet !== undefined) {
    const { values, counts } = await facetOf(finder, facet, limit, scope);
    return ok({ ...page, data: [], has_more: values > counts.length, values, counts } satisfies SearchPage);
  }
  if (isCount || total === 0)
    return ok({ ...page, data: [], has_more: isCount && total > 0 } satisfies SearchPage);

  const after = cursor === undefined ? undefined : await finder.hitOf(cursor, order);
  if (cursor !== undefined && after === undefined)
    throw new ApiError(
      'cursor_not_found',
      `starting_after: ${idOf('msg', cursor)} is not among the results of this search`,
    );
  const hits = await finder.find(order, limit + 1, after);
  const has_more = hits.length > limit;
  const records = await recordsOf(hits.slice(0, limit), scope);
  if (!hasSnippets)
    return { status: 200, json: pageText({ ...page, data: [], has_more }, completed(records)) };
  return ok({ ...page, data: await withExcerpts(records, parsed, scope), has_more } satisfies SearchPage);
}

/** What is known of the last searches of each archive, while it does not change: the pages of a search follow each other. */
const KNOWN = new WeakMap<Archive, { state: DataVersion; searches: Map<string, KnownSearch> }>();
const MAX_KNOWN = 8;

/** Returns what finds the messages of a query. It knows their number and their ranks from the page before. */
async function finderOf(parsed: SearchQuery, scope: Scope): Promise<Finder> {
  const { archive, reader, reads: longReads } = scope;
  // Before anything is read: a later commit is another state.
  const state = await archive.database.dataVersion?.();
  const known = state === undefined ? {} : knownSearch(archive, state, JSON.stringify([reader, parsed]));
  return createFinder({ longReads }, searchOf(parsed, scope), known);
}

function knownSearch(archive: Archive, state: DataVersion, name: string): KnownSearch {
  let kept = KNOWN.get(archive);
  if (kept?.state !== state) KNOWN.set(archive, (kept = { state, searches: new Map() }));
  const { searches } = kept;
  const known = searches.get(name) ?? {};
  searches.delete(name);
  searches.set(name, known);
  for (const oldest of searches.keys()) {
    if (searches.size <= MAX_KNOWN) break;
    searches.delete(oldest);
  }
  return known;
}

/** What all statements of one request have in common. */
type Scope = {
  archive: Archive;
  /** They end when the client has gone. */
  reads: LongReads;
  reader: Tier;
  texts: ReturnType<typeof readerOf>;
  labels: Labels;
};

function parsedQuery(source: string, now: number): SearchQuery {
  try {
    return parseQuery(source, now);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw new ApiError('request_invalid', `q: character ${error.position}: ${error.message}`);
  }
}

/** Returns what a query asks for, undefined where it is wrong: one letter is a query, and with a star behind it it is none. */
function queryOf(source: string, now: number): SearchQuery | undefined {
  try {
    return parseQuery(source, now);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return undefined;
  }
}

function cursorOf(id: string | undefined): number | undefined {
  if (id === undefined) return undefined;
  const n = numberOf('msg', id);
  if (n === undefined) throw invalidCursor('starting_after', id);
  return n;
}

/** Archives whose index is being completed. */
const INDEXING = new WeakMap<Archive, Promise<unknown>>();

/** Indexes a part of what is missing. A search finds what is indexed, also where nothing can be written now. */
async function indexSome(archive: Archive): Promise<void> {
  let running = INDEXING.get(archive);
  if (running === undefined) {
    running = indexNext(archive, textReaderOf(archive))
      .catch((error: unknown) => {
        if (!isStoreUnavailable(error)) throw error;
      })
      .finally(() => INDEXING.delete(archive));
    INDEXING.set(archive, running);
  }
  await running;
}

/** Returns a function that reads the texts of messages as the index has them, each once. */
function readerOf(
  archive: Archive,
  gone: AbortSignal | undefined,
): (n: number) => Promise<SearchText | undefined> {
  const read = textReaderOf(archive);
  return async (n) => {
    gone?.throwIfAborted();
    const message = await readIndexed(archive.database, n);
    return message && read(message);
  };
}

/** Returns what makes the texts of a message. Other requests are answered between two messages. */
function textReaderOf(archive: Archive): ReturnType<typeof searchTextReader> {
  const read = searchTextReader((sha256) => readChecked(archive.blobs, sha256));
  return async (message) => {
    await nextTurn();
    return read(message);
  };
}

function searchOf(
  { expression, filters }: Pick<SearchQuery, 'expression' | 'filters'>,
  scope: Scope,
): Search {
  return {
    expression,
    filters,
    reader: scope.reader,
    labelsOf: (filter) => meantLabels(filter, scope.labels),
    async matches(n) {
      const text = expression && (await scope.texts(n));
      return text !== undefined && matchesText(expression!, text, termsInTexts(text));
    },
  };
}

/** The order that is asked for, as far as it can be given. Without words to look for there is no relevance. */
function orderOf(
  sort: SearchOrder | undefined,
  { expression }: SearchQuery,
  engine: Archive['database']['engine'],
  total: number,
): SearchOrder {
  if (sort === 'newest' || sort === 'oldest') return sort;
  const canRank = expression !== undefined && (engine === 'sqlite' || total < MAX_RANKED);
  return canRank ? 'relevance' : 'newest';
}

/** A word that may be the beginning of others, with a field before it or without. */
const SINGLE_WORD = /^(?:[a-z]+:)?[\p{L}\p{N}]+$/u;

/**
 * Returns how many messages each part of the query finds alone, where it has more than one; of a single word, how many
 * have words that begin with it.
 */
async function countAlone({ parts }: SearchQuery, scope: Scope): Promise<{ query: string; total: number }[]> {
  const [only] = parts;
  const isWord = parts.length === 1 && only !== undefined && SINGLE_WORD.test(only);
  const counted = isWord ? [`${only}*`] : parts.length < 2 ? [] : parts.slice(0, 8);
  const alone: { query: string; total: number }[] = [];
  for (const query of counted) {
    const parsed = queryOf(query, scope.archive.now());
    if (parsed === undefined) continue;
    const finder = await createFinder({ longReads: scope.reads }, searchOf(parsed, scope));
    alone.push({ query, total: await finder.count() });
  }
  return isWord ? alone.filter(({ total }) => total > 0) : alone;
}

async function facetOf(
  finder: Finder,
  facet: Facet,
  limit: number,
  { archive, reader }: Scope,
): Promise<{ values: number; counts: SearchCount[] }> {
  const { values, counts } = await finder.facet(facet, limit);
  if (facet !== 'conversation') {
    const rows = counts.map(({ value, count }) => ({
      value: value === null ? null : String(value),
      messages: count,
    }));
    return { values, counts: rows };
  }
  const numbers = counts.map(({ value }) => Number(value));
  const found = await selectIn<{ n: number; subject: string | null }>(
    archive.database,
    SUBJECTS(reader),
    numbers,
  );
  const subjects = new Map(found.map(({ n, subject }) => [n, subject]));
  const rows = counts.map(({ count }, at) => ({
    value: idOf('conv', numbers[at]!),
    messages: count,
    subject: subjects.get(numbers[at]!) ?? null,
  }));
  return { values, counts: rows };
}

const SUBJECTS = statementFor(
  (reader) => `SELECT c.n, ${conversationSubject(reader)} AS subject FROM conversations c
    LEFT JOIN messages f ON f.n = c.first_message WHERE c.n IN ?`,
);

const ROWS = statementFor(
  (reader) =>
    `SELECT m.n, ${messageJson(reader)} AS json FROM messages m WHERE ${isReadable('m.tier', reader)} AND m.n IN ?`,
);

/** The record of a message as the database wrote it. */
type StoredRecord = { n: number; json: string };

/** Returns the records of messages, in their order. What the reader may not see now is left out. */
async function recordsOf(hits: readonly Hit[], { archive, reader }: Scope): Promise<StoredRecord[]> {
  const found = await selectIn<StoredRecord>(
    archive.database,
    ROWS(reader),
    hits.map(({ n }) => n),
  );
  const records = new Map(found.map((record) => [record.n, record]));
  return hits.flatMap(({ n }) => records.get(n) ?? []);
}

function completed(records: readonly StoredRecord[]): CompletedRows {
  return substitute('message', {
    text: records.map(({ json }) => json).join(','),
    count: records.length,
  });
}

/**
 * Returns records with their excerpts. What does not match by its text is left out: a change may have been committed since the
 * index was read.
 */
async function withExcerpts(
  records: readonly StoredRecord[],
  { expression }: SearchQuery,
  { texts }: Scope,
): Promise<SearchHit[]> {
  const rows: SearchHit[] = [];
  for (const [at, record] of parseRows<Message>(completed(records)).entries()) {
    const text = await texts(records[at]!.n);
    if (text === undefined) rows.push({ ...record, matched: [], snippet: null, marks: [] });
    else {
      const terms = termsInTexts(text);
      if (expression === undefined || matchesText(expression, text, terms))
        rows.push({ ...record, ...excerptOf(text, terms, expression) });
    }
  }
  return rows;
}

function termsInTexts(text: SearchText): TermsInTexts {
  return Object.fromEntries(COLUMNS.map((column) => [column, termsIn(text[column])])) as TermsInTexts;
}

/** Returns whether an expression matches texts, as an index does that may not hold all of them. */
function matchesText(expression: Expression, text: SearchText, terms: TermsInTexts): boolean {
  const isMatch = holds(expression, (term, column) => terms[column].has(term));
  // Fewer words match nothing more, unless a word must be absent.
  if (isIndexedWhole(text) || (!isMatch && !hasNegation(expression))) return isMatch;
  return matches(expression, searchWordsOf(text));
}
