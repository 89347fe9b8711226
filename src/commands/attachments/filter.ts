// The options that select rows of the catalogue, of `ls`, `pull` and the commands that count.
import * as z from 'zod';
import { OptionalNonEmptyText, OptionalText } from '../../contract/scalars.ts';
import type { App } from '../../app.ts';
import type { Query } from '../../client/index.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { cutText } from '../../contract/search/cut-text.ts';
import { shellLine, shellWord } from '../../shell-words.ts';
import { optionWords } from '../shared/command-again.ts';
import type { FieldFilter } from '../lists/field-filter.ts';
import { ContentType, Size } from '../shared/input.ts';
import type { MessageFacts } from './message-facts.ts';
import { FilteredList, type LocalTests } from '../lists/filtered-list.ts';
import { attachmentView } from '../../format/views/index.ts';
import { dateTests, nameTest, sizeTest, valueOfColumn, wordsTest, type RowTest } from '../lists/row-tests.ts';
import { datesOf, sayDatesAreUtc } from '../lists/utc-dates.ts';

/** The values a row must have, each compared as a whole. An absent one selects every row. */
export const ExactValues = z.object({
  city: OptionalNonEmptyText,
  type: ContentType.optional(),
  source: OptionalNonEmptyText,
  message: OptionalNonEmptyText,
});
export type ExactValues = z.infer<typeof ExactValues>;

/** Everything that rows are selected by. */
export const Selectors = ExactValues.extend({
  name: OptionalNonEmptyText,
  from: OptionalText,
  matching: OptionalNonEmptyText,
  minBytes: Size.optional(),
  since: OptionalText,
  until: OptionalText,
  on: OptionalText,
});
export type Selectors = z.infer<typeof Selectors>;

/** The names of the values that rows are selected by. */
export const SELECTOR_NAMES = Object.keys(Selectors.shape) as (keyof Selectors)[];

/** Returns the option of such a value: `--min-bytes` of `minBytes`. */
export function optionOf(name: keyof Selectors): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Returns these options with their values, as words of a command line. */
export function selectorWords(input: Selectors, names: readonly (keyof Selectors)[]): string[] {
  return names.flatMap((name) => {
    const value = input[name];
    return value === undefined ? [] : optionWords(optionOf(name), `${value}`);
  });
}

/** Returns the same text for options that select the same rows, in any letter case; `--all` where there are none. */
export function selectionOptions(input: Selectors): string {
  const words = selectorWords(input, SELECTOR_NAMES);
  return words.length === 0 ? '--all' : shellLine(words).toLowerCase();
}

/** In place of a value of a city, type or source: rows that have none, or do not show it. */
export const NONE = 'none';

/** Returns the words of the command that lists the rows which show none of these values. */
export function listWithout(columns: readonly string[]): string {
  return ['attachments ls', ...columns.map((column) => `--${column} ${NONE}`)].join(' ');
}

/** Returns whether a content type is a shell pattern, such as `image/*`. */
export const isPattern = (type: string): boolean => type.includes('*');

/** Says that no row has the name that was asked for, and how to find a part of a name. */
export function sayNoName(name: string | undefined, rows: number, app: Pick<App, 'notice'>): void {
  if (rows > 0 || name === undefined) return;
  if (/[*?]/.test(name)) return app.notice(`no file was found with a name like ${cutText(name)}`);
  app.notice(
    `no file was found with exactly the name ${cutText(name)}; a part of a name: --name ${shellWord(`*${name}*`)}`,
  );
}

/** Throws Fault `usage` for a wrong date, sender or search, before anything is sent or written. */
export async function checkSelectors(input: Selectors, app: App): Promise<void> {
  attachmentTests(input, undefined, undefined, app.world.now());
  const dates = [input.since, input.until, input.on];
  if (input.matching !== undefined) {
    const { checkQuery } = await import('../search.ts');
    dates.push(...datesOf(checkQuery(input.matching, app, { name: '--matching' }).parts));
  }
  sayDatesAreUtc(dates, app);
}

/**
 * Returns the filters of `GET /v1/attachments` and of its rows. Those for rows without a value, and patterns of types, are tests.
 */
export function fieldFilters({ city, type, source, message }: ExactValues): FieldFilter[] {
  const values = { origin_city: city, content_type: type, source, message_id: message };
  return Object.entries(values).flatMap(([field, value]) =>
    value === undefined ||
    (value === NONE && field !== 'message_id') ||
    (field === 'content_type' && isPattern(value))
      ? []
      : [{ parameter: field, field, value }],
  );
}

/** Returns the catalogue with the filters. `facts`: those of its rows become known there. */
export async function filteredCatalogue(
  filters: readonly FieldFilter[],
  app: App,
  local?: LocalTests<Attachment>,
  facts?: Pick<MessageFacts, 'add'>,
): Promise<FilteredList<Attachment>> {
  const client = await app.client();
  const read = async (query: Query) => {
    const reply = await client.attachments(query);
    await facts?.add(reply.body.data);
    return reply;
  };
  return new FilteredList(read, filters, app, local);
}

/** The options that are tested here, each where no service applies it: a city, type or source only as `none` or as a pattern. */
export type LocalSelectors = Omit<Selectors, 'message' | 'matching'>;

/**
 * Returns the tests of these options. `facts` knows dates and senders. `messages`: only files of these. Throws Fault `usage` for a wrong
 * date or sender.
 */
export function attachmentTests(
  { city, type, source, name, minBytes, from, ...dates }: LocalSelectors,
  facts: MessageFacts | undefined,
  messages: MatchedMessages | undefined,
  now: number,
): RowTest<Attachment>[] {
  const bytes = valueOfColumn(attachmentView, 'bytes');
  const dateOf = facts?.dateOf ?? (() => undefined);
  const senderOf = facts?.senderOf ?? (() => undefined);
  return [
    ...Object.entries({ city, type, source }).flatMap(([column, value]) =>
      value === NONE ? [noValueTest(column)] : [],
    ),
    ...(type === undefined || !isPattern(type)
      ? []
      : [
          {
            ...nameTest(type, 'type', valueOfColumn(attachmentView, 'type')),
            command: listWithout(['type']),
          },
        ]),
    ...(name === undefined ? [] : [nameTest(name, 'filename', shownName)]),
    ...(minBytes === undefined ? [] : [sizeTest(minBytes, 'bytes', bytes)]),
    ...(messages === undefined ? [] : [messageTest(messages)]),
    ...(from === undefined ? [] : [wordsTest(from, 'from', senderOf)]),
    ...dateTests(dates, { since: 'date', until: 'date' }, () => dateOf, now),
  ];
}

function noValueTest(column: string): RowTest<Attachment> {
  const valueOf = valueOfColumn(attachmentView, column);
  return { column, matches: (row) => valueOf(row) === undefined };
}

/** The messages that a search finds. `areAll`: every message was searched. */
export type MatchedMessages = { ids: ReadonlySet<string>; areAll: boolean };

function messageTest({ ids, areAll }: MatchedMessages): RowTest<Attachment> {
  return {
    column: 'message',
    matches: ({ message_id: id }) => (typeof id === 'string' ? ids.has(id) : undefined),
    isUnsure: !areAll,
  };
}

/** Returns the messages with files that a search finds; undefined for no search. Throws as {@link foundMessages}. */
export async function matchedMessages(
  query: string | undefined,
  app: App,
): Promise<MatchedMessages | undefined> {
  if (query === undefined) return undefined;
  const { foundMessages } = await import('../lists/found-messages.ts');
  const { hits, areAll } = await foundMessages(query, app);
  const ids = new Set<string>();
  for await (const { id, attachments } of hits) if (attachments !== 0) ids.add(id);
  return { ids, areAll };
}

const filenameOf = valueOfColumn(attachmentView, 'filename');

/** Returns the name of a file. Our service shows the id in place of a name that is withheld. */
function shownName(row: Attachment): string | number | undefined {
  const name = filenameOf(row);
  return row.redacted === true && name === row.id ? undefined : name;
}
