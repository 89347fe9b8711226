// `arx search QUERY`: messages by their words, their number, or their numbers by a field.
import * as z from 'zod';
import type { App } from '../app.ts';
import type { Client, Query } from '../client/index.ts';
import { PAGE_LIMIT } from '../contract/scalars.ts';
import { cutText } from '../contract/search/cut-text.ts';
import { QueryError, type SearchQuery } from '../contract/search/expression.ts';
import { asksOfFiles } from '../contract/search/match.ts';
import { ALL_MESSAGES, parseQuery } from '../contract/search/query.ts';
import { type SearchHit, type SearchPage } from '../contract/search/search.ts';
import { SEARCH_FACETS, SEARCH_SORTS } from '../contract/search/parameters.ts';
import { Fault } from '../faults.ts';
import { formatCount, plural } from '../format/numbers.ts';
import {
  conversationCountView,
  isOnlyQuoted,
  searchCountView,
  searchHitView,
} from '../format/views/index.ts';
import { noticeEmptyArchive } from './lists/archive-counts.ts';
import { idArgument } from '../shell-words.ts';
import { commandAgain, commandForAll, optionWords } from './shared/command-again.ts';
import { checkDateRange } from './lists/date-range.ts';
import { ContentType, Limit, withoutUndefined } from './shared/input.ts';
import { printTotal } from './lists/page.ts';
import { datesOf, sayDatesAreUtc } from './lists/utc-dates.ts';
import { OTHER_TIER } from './lists/withheld-rows.ts';

export const Input = z.object({
  query: z.array(z.string()).default([]),
  from: z.string().optional(),
  subject: z.string().optional(),
  city: z.string().optional(),
  type: ContentType.optional(),
  channel: z.string().optional(),
  source: z.string().optional(),
  since: z.string().optional(),
  before: z.string().optional(),
  on: z.string().optional(),
  conversation: z.string().optional(),
  sort: z.enum(SEARCH_SORTS).optional(),
  limit: Limit.optional(),
  after: z.string().min(1).optional(),
  all: z.boolean().default(false),
  snippets: z.boolean().default(true),
  count: z.boolean().default(false),
  facet: z.enum(SEARCH_FACETS).optional(),
});
type Input = z.infer<typeof Input>;

export async function run(input: Input, app: App): Promise<void> {
  checkOptions(input);
  const unread = OF_TEXT.find((name) => app.printer.selects(name));
  if (!input.snippets && unread !== undefined)
    throw new Fault(
      'usage',
      `--fields ${unread} does not go with --no-snippets: it needs the text of messages`,
    );
  const { q, places } = queryOf(input);
  const query = checkQuery(q, app, { places });
  sayDatesAreUtc(datesOf(query.parts), app);
  const client = await app.client();
  const { sort, limit, after, facet } = input;
  const asked = withoutUndefined({
    q,
    sort,
    facet,
    starting_after: after,
    limit: input.all ? PAGE_LIMIT.maximum : limit,
    ...(input.count ? { count: true } : {}),
    ...(showsSnippets(input, app) ? {} : { snippets: false }),
  });
  const page = await firstPage(client, asked, app);
  const hidden = await hiddenFiles(page, query, facet, client, app);
  const isComplete = isKnown(page, query, facet, hidden);
  if (input.count) await printTotal({ total: page.total, index: page.index, complete: isComplete }, app);
  else if (facet !== undefined)
    await printFacet(
      page,
      isComplete,
      facet === 'conversation' ? conversationCountView : searchCountView,
      app,
    );
  else await printHits(client, asked, { first: page, isComplete }, input, app);
  await sayWhyNone(query, page, client, app, { facet, hidden });
  await noticeEmptyArchive(page.total, app);
  reportIndex(page, app);
}

function checkOptions({ query, count, facet, all, after, sort, limit }: Input): void {
  // Two minus signs negate nothing that one would not, so such a word was meant as an option.
  const option = query.find((word) => /^--[a-z]/.test(word));
  if (option !== undefined)
    throw new Fault('usage', `${cutText(option)} stands behind --, where every word is searched`, {
      hint: ({ arx }) => `options stand before it: ${arx} search --count -- usb -hub`,
    });
  const shown = count ? '--count' : facet === undefined ? undefined : '--facet';
  const refused = { '--after': after, '--all': all || undefined, '--sort': sort };
  for (const [option, value] of Object.entries(refused))
    if (shown !== undefined && value !== undefined)
      throw new Fault('usage', `${shown} does not go with ${option}`);
  if (count && facet !== undefined) throw new Fault('usage', '--count does not go with --facet');
  if (all && limit !== undefined) throw new Fault('usage', '--all does not go with --limit');
}

/** The fields of a row that need the text of its message. */
const OF_TEXT = ['matched', 'snippet', 'marks'] as const;

/** Returns whether the output has a field that needs the text of each message. */
function showsSnippets({ snippets, count, facet }: Input, { printer }: App): boolean {
  return count || facet !== undefined || (snippets && OF_TEXT.some((name) => printer.shows(name)));
}

/** The fields of the query language that options set. */
const FIELDS = [
  'from',
  'subject',
  'city',
  'type',
  'channel',
  'source',
  'since',
  'before',
  'on',
  'conversation',
] as const;

/** Where the fields of options stand in a query: the first character of each, from 1. */
type OptionPlaces = readonly { option: string; field: string; position: number }[];

/** Returns the query with what the options add, and where. Numbers without a query are those of all messages. */
function queryOf(input: Input): { q: string; places: OptionPlaces } {
  let q = visible(input.query.join(' ')).trim();
  const places = FIELDS.flatMap((field) => {
    const value = input[field];
    if (value === undefined) return [];
    if (q !== '') q += ' ';
    const position = q.length + 1;
    q += visible(`${field}:${quoted(value)}`).trimEnd();
    return [{ option: `--${field}`, field, position }];
  });
  const isNumber = input.count || input.facet !== undefined;
  return { q: q === '' && isNumber ? ALL_MESSAGES : q, places };
}

/** Characters that cannot be seen are left out, as no word has any. */
function visible(text: string): string {
  return text.replaceAll(/\p{Cf}/gu, '').replaceAll(/\p{C}/gu, ' ');
}

function quoted(value: string): string {
  if (/^[^\s"()]+$/.test(value)) return value;
  const isPrefix = value.endsWith('*');
  return `"${value.replaceAll('"', ' ')}"${isPrefix ? '*' : ''}`;
}

/**
 * Returns the parsed query. Throws Fault `usage` for a wrong one, before anything is sent, also where its dates exclude each other. `name` is
 * what the query is called in messages; what an option added to it is called as the option.
 */
export function checkQuery(
  q: string,
  app: App,
  { name = 'query', places = [] }: { name?: string; places?: OptionPlaces } = {},
): SearchQuery {
  try {
    const query = parseQuery(q, app.world.now());
    checkDates(query);
    return query;
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const { position, message, hint = 'arx help queries' } = error;
    const added = places.findLast((place) => place.position <= position);
    if (added !== undefined)
      throw new Fault('usage', `${added.option}: ${message}`, {
        hint: hint.replaceAll(`${added.field}:`, `${added.option} `),
      });
    const where = q === '' ? '' : `, character ${position}`;
    throw new Fault('usage', `${name}${where}: ${message}`, { hint });
  }
}

function checkDates({ filters, parts }: SearchQuery): void {
  // The filters are the last parts.
  const written = parts.slice(parts.length - filters.length);
  const dates = filters.flatMap((filter, index) =>
    filter.kind === 'date' && !filter.negated ? [{ ...filter, written: cutText(written[index]!) }] : [],
  );
  checkDateRange(dates, 'before: is the first date left out: since:2020 before:2021, on:2020');
}

/** Reads the first page again while the service indexes messages, and shows how far it is. */
export async function firstPage(client: Client, asked: Query, app: App): Promise<SearchPage> {
  const progress = app.progress();
  try {
    let indexed = -1;
    for (;;) {
      const page = await readPage(client, asked);
      const { index } = page;
      if (index.indexed >= index.of || index.indexed <= indexed) return page;
      indexed = index.indexed;
      app.onInterrupt(() => ({
        kept: `${formatCount(page.index.indexed)} of ${plural(page.index.of, 'message')} indexed`,
        next: 'run the same command to continue',
      }));
      progress.update({ label: 'index', done: indexed, total: index.of, unit: 'messages' });
    }
  } finally {
    await progress.end();
  }
}

/** Reads a page. Throws Fault `not_found` with a hint where the service has no search. */
export async function readPage(client: Client, asked: Query): Promise<SearchPage> {
  try {
    return (await client.search(asked)).body;
  } catch (error) {
    const isMissing = error instanceof Fault && (error.kind === 'not_found' || error.detail.status === 405);
    if (!isMissing || error.detail.code === 'cursor_not_found') throw error;
    throw new Fault('not_found', 'this service has no search', {
      ...error.detail,
      hint: ({ arx }) => `${arx} messages ls --walk -o ndjson | grep -i WORD finds subjects and senders`,
    });
  }
}

/** `isComplete`: all messages and files are searched that decide what is found. */
async function printFacet(
  page: SearchPage,
  isComplete: boolean,
  view: typeof searchCountView,
  app: App,
): Promise<void> {
  const { counts = [], values = 0, total, has_more } = page;
  await app.printer.list(view, {
    rows: counts,
    summary: () => ({ values, messages: total, ...indexOf(app, page), complete: !has_more && isComplete }),
  });
  if (has_more && app.strict)
    app.addFault(
      new Fault('partial', 'these are not all values', {
        hint: `--limit COUNT, up to ${PAGE_LIMIT.maximum}`,
      }),
    );
  else if (has_more && app.printer.output !== 'json')
    app.notice(
      `${formatCount(counts.length)} of ${formatCount(values)} values; more: --limit COUNT, up to ${PAGE_LIMIT.maximum}`,
    );
}

async function printHits(
  client: Client,
  asked: Query,
  { first, isComplete }: { first: SearchPage; isComplete: boolean },
  input: Input,
  app: App,
): Promise<void> {
  let rows = 0;
  let last = first;
  let onlyQuoted: string | undefined;
  async function* hits(): AsyncGenerator<SearchHit[]> {
    for (let page: SearchPage | undefined = first; page !== undefined;) {
      last = page;
      rows += page.data.length;
      onlyQuoted ??= page.data.find(isOnlyQuoted)?.id;
      yield page.data;
      const id: string | undefined = page.data.at(-1)?.id;
      const goesOn: boolean = input.all && page.has_more && id !== undefined;
      page = goesOn ? await readPage(client, { ...asked, starting_after: id }) : undefined;
    }
  }
  const { status, total, order } = first;
  const isCut = (): boolean => last.has_more || input.after !== undefined;
  await app.printer.list(searchHitView, {
    status,
    rows: { pages: hits() },
    isAll: input.all,
    summary: () => ({
      rows,
      total,
      has_more: last.has_more,
      order,
      ...indexOf(app, first),
      complete: !isCut() && isComplete,
    }),
  });
  const { output } = app.printer;
  if (onlyQuoted !== undefined && output === 'table' && !app.printer.hasFields)
    app.notice(
      ({ arx }) =>
        `(quoted): only quoted lines match; to read them: ${arx} read --quotes ${idArgument(onlyQuoted!)}`,
    );
  const id = last.data.at(-1)?.id;
  if (last.has_more && id !== undefined && app.printer.mustNameNext()) {
    // A table has the numbers in its last line.
    const shown = output === 'table' ? '' : `${formatCount(rows)} of ${formatCount(total)} messages; `;
    const next = commandAgain(app, { without: ['--after'], more: optionWords('--after', id) });
    app.notice(`${shown}next page: ${next}; all: ${commandForAll(app)}`);
  }
  // What is not searched is said by itself.
  if (app.strict && isCut())
    app.addFault(new Fault('partial', 'the page is not the whole list', { hint: commandForAll(app) }));
  if (input.sort === 'relevance' && order !== 'relevance')
    app.notice(`newest first: this service does not rank these ${formatCount(total)} messages`);
}

/** How far the index goes, for scripts; people get a notice. */
function indexOf(app: App, { index }: SearchPage): Partial<Pick<SearchPage, 'index'>> {
  return app.printer.output === 'json' ? { index } : {};
}

function isWhole({ index }: SearchPage): boolean {
  return index.indexed >= index.of;
}

/** Fields of files by which messages are counted. */
const FACETS_OF_FILES: ReadonlySet<string | undefined> = new Set(['type', 'city']);

/**
 * Returns whether the page tells what there is: all messages are indexed, and none is above the reader's tier, nor withheld one of the files
 * that the query or the facet is about.
 */
export function isKnown(
  page: SearchPage,
  query: SearchQuery,
  facet?: string,
  hidden?: readonly string[],
): boolean {
  return isWhole(page) && unsearchedText(page, query, facet, hidden) === undefined;
}

/** Returns how many withheld files the query or the facet may be about. */
function withheldFilesOf({ index }: SearchPage, query: SearchQuery, facet?: string): number {
  return FACETS_OF_FILES.has(facet) || asksOfFiles(query) ? (index.withheld_files ?? 0) : 0;
}

/**
 * Returns the ids of the withheld files that may match, where that may be fewer than all, or is to be said; undefined where it is not
 * found out.
 */
export async function hiddenFiles(
  page: SearchPage,
  query: SearchQuery,
  facet: string | undefined,
  client: Client,
  app: App,
): Promise<readonly string[] | undefined> {
  const isOfInterest = app.strict || query.filters.some(({ kind }) => kind !== 'city' && kind !== 'type');
  if (!isOfInterest || withheldFilesOf(page, query, facet) === 0) return undefined;
  const { filesThatMayMatch } = await import('./search/withheld-files.ts');
  return filesThatMayMatch(query, client, app);
}

/** Of more withheld files the ids are not said. */
const MAX_NAMED_FILES = 3;

function withheldOf({ index }: SearchPage): number {
  return index.withheld ?? 0;
}

/**
 * Returns the words about what is not searched: messages above the reader's tier, and withheld files where the query or the facet is about
 * files. `hidden`: the ids of those that may match, where that is known. Undefined where there is nothing.
 */
export function unsearchedText(
  page: SearchPage,
  query: SearchQuery,
  facet?: string,
  hidden?: readonly string[],
): string | undefined {
  const withheld = withheldOf(page);
  const messages = `${formatCount(withheld)} of ${plural(page.index.of, 'message')} are above your tier`;
  const withheldFiles = hidden?.length ?? withheldFilesOf(page, query, facet);
  const isNamed = hidden !== undefined && withheldFiles <= MAX_NAMED_FILES;
  const ids = isNamed ? ` (${hidden.map((id) => cutText(id)).join(', ')})` : '';
  const files = `${plural(withheldFiles, 'file')} ${withheldFiles === 1 ? 'is' : 'are'} withheld from you${ids}`;
  const parts = [...(withheld > 0 ? [messages] : []), ...(withheldFiles > 0 ? [files] : [])];
  return parts.length === 0 ? undefined : parts.map((part) => `${part}, not searched`).join('; ');
}

/** Of more notes, and of more parts of a query, the first are shown. */
const MAX_NOTES = 5;
const MAX_PARTS = 16;

/**
 * Says what was understood, why nothing was found, and what was not searched. That no message could be searched is a Fault of the run;
 * under `--strict`, also that some were not, and that none matches, if all messages are indexed.
 */
export async function sayWhyNone(
  query: SearchQuery,
  page: SearchPage,
  client: Client,
  app: App,
  { facet, hidden }: { facet?: string | undefined; hidden?: readonly string[] | undefined } = {},
): Promise<void> {
  const { total, notes, alone = [], index } = page;
  const withheld = withheldOf(page);
  if (withheld > 0 && withheld >= index.of) {
    const text = `no message was searched: all ${formatCount(withheld)} are above your tier`;
    app.addFault(new Fault('partial', text, { hint: OTHER_TIER }));
    return;
  }
  for (const note of notes.slice(0, MAX_NOTES)) app.notice(note);
  const unsearched = unsearchedText(page, query, facet, hidden);
  if (total > 0) {
    if (unsearched === undefined) return;
    if (app.strict) app.addFault(new Fault('partial', unsearched, { hint: OTHER_TIER }));
    else app.notice(unsearched);
    return;
  }
  if (isWhole(page)) {
    const { noticeMissingValues } = await import('./search/missing-values.ts');
    await noticeMissingValues(query, page, client, app);
  }
  const parts = alone
    .slice(0, MAX_PARTS)
    .map(({ query, total: count }) => `${cutText(query)}: ${formatCount(count)}`);
  if (alone.length > MAX_PARTS) parts.push('…');
  const found = parts.length === 1 ? `; ${parts[0]}` : `; each part alone finds ${parts.join(', ')}`;
  const unread = unsearched === undefined ? '' : `; ${unsearched}`;
  const text = `no message matches${parts.length === 0 ? '' : found}${unread}`;
  if (app.strict && isKnown(page, query, facet, hidden)) app.addFault(new Fault('not_found', text));
  else if (app.strict && isWhole(page)) app.addFault(new Fault('partial', text, { hint: OTHER_TIER }));
  else app.notice(text);
}

function reportIndex(page: SearchPage, app: App): void {
  const { of, indexed } = page.index;
  if (isWhole(page)) return;
  const text = `${formatCount(of - indexed)} of ${formatCount(of)} messages are not indexed yet, so they are not found`;
  if (app.strict) app.addFault(new Fault('partial', text));
  else app.notice(text);
}
