// The catalogue rows that a pull selects, read ahead of their use.
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { isPullable } from '../../contract/attachment-file.ts';
import { Fault, hintText, type Hint } from '../../faults.ts';
import { formatBytes } from '../../format/numbers.ts';
import { readAhead } from '../../concurrency/read-ahead.ts';
import { exactRows, type ExactRows } from '../lists/exact-rows.ts';
import { shows } from '../lists/field-filter.ts';
import type { FilteredList } from '../lists/filtered-list.ts';
import { localTests } from '../lists/row-listing.ts';
import { withKindOfId } from '../lists/single-record.ts';
import { countCatalogueContradictions, findAttachments } from './catalogue.ts';
import { rowsAsWritten } from './spelling.ts';
import {
  attachmentTests,
  fieldFilters,
  filteredCatalogue,
  matchedMessages,
  SELECTOR_NAMES,
  selectionOptions,
  type ExactValues,
  type MatchedMessages,
  type Selectors,
} from './filter.ts';
import { factsFor } from './message-facts.ts';
import { FilesWithoutValue } from './without-value.ts';

/** The rows of the catalogue that a pull selects, and what is known of them so far. */
export type Selection = {
  /** Whether every row of the catalogue is selected. */
  isAll: boolean;
  /** The options that select the rows, as the manifest records them; undefined for named ids. */
  options: string | undefined;
  /**
   * Yields the rows; may be called once. `onSeen` gets each row of each page as it comes, long before the row has a
   * place in the list.
   */
  rows(onSeen?: (row: Attachment) => void): AsyncGenerator<Attachment>;
  /**
   * Yields, after the last row, which of these files of earlier pulls the selection concerns, too: those whose row is withheld or absent
   * and does not show that it is not selected, and those that the archive no longer lists. Of named ids there is none.
   */
  missed(ids: ReadonlySet<string>): AsyncGenerator<MissedFile>;
  /** Returns, after the last row, why these may not be all rows; undefined where it is proved that they are. */
  fault(): Fault | undefined;
  /** Returns, after the last row, whether rows were left out of which it could not be told whether they match. */
  isUndecided(): boolean;
  /** Says, after the last row, in what the answers contradict themselves. */
  countContradictions(): void;
  /** What to say if there are no rows. `isNamed`: ids were given. `isSaid`: why there are none was said while they were read. */
  empty: { message(): string; hint?: Hint; isNamed: boolean; isSaid(): boolean };
  /** Counts of the files that can be downloaded, so far; `isAll` when the last row is counted. */
  known: { files: number; bytes: number; unsized: number; isAll: boolean };
};

/** A file of an earlier pull that is not among the selected rows. Without `row` the archive no longer lists it. */
export type MissedFile = { id: string; row?: Attachment };

/** Rows of a long list that are held in memory; the progress line knows the total that early. */
const MAX_ROWS_AHEAD = 10_000;

/** Which rows are selected: those with the ids, or those that match all the options. */
export type Selected = Selectors & { ids: readonly string[] };

/** For more messages than this the whole list is read once, and not that of each message. */
const MAX_LISTS_BY_MESSAGE = 10;

/** Returns the rows with these ids, or those of the list that match. */
export async function select(input: Selected, app: App): Promise<Selection> {
  const client = await app.client();
  const known = { files: 0, bytes: 0, unsized: 0, isAll: false };
  const facts = factsFor(input, app);
  let messages: MatchedMessages | undefined;
  let isSaid = false;
  let isLeftOut = false;
  let tellSeen: ((row: Attachment) => void) | undefined;
  let readings: { list: FilteredList<Attachment>; listing: ExactRows<Attachment> }[] = [];
  // Of few messages each list is read, so no test of the list is about those that were not searched.
  const isUndecided = (): boolean =>
    isLeftOut || messages?.areAll === false || readings.some(({ list }) => list.tests.isUndecided);
  async function* readList(filter: ExactValues, messages?: MatchedMessages): AsyncGenerator<Attachment> {
    const tests = attachmentTests({ ...input, ...filter }, facts, messages, app.world.now());
    const local = localTests(tests, 'attachments', app);
    const list = await filteredCatalogue(fieldFilters(filter), app, local, facts);
    const listing = exactRows(
      async (window) => {
        const page = await list.page(window);
        if (tellSeen !== undefined) for (const row of page.data) if (list.surelyMatches(row)) tellSeen(row);
        return page;
      },
      (row) => row.id,
      app,
    );
    readings.push({ list, listing });
    for await (const row of listing.rows) if (list.matches(row)) yield row;
    list.tests.sayHidden(app);
  }
  async function* readMatching(query: string, filter: ExactValues): AsyncGenerator<Attachment> {
    messages = await matchedMessages(query, app);
    const ids = messages?.ids ?? new Set<string>();
    if (ids.size > MAX_LISTS_BY_MESSAGE || filter.message !== undefined) yield* readList(filter, messages);
    else for (const message of ids) yield* readList({ ...filter, message });
  }
  async function readRows(filter: ExactValues): Promise<AsyncIterable<Attachment>> {
    readings = [];
    return input.matching === undefined ? readList(filter) : readMatching(input.matching, filter);
  }
  async function* selected(): AsyncGenerator<Attachment> {
    yield* rowsAsWritten(input, app, readRows, () => (isSaid = true));
    const withoutValue = new FilesWithoutValue();
    isLeftOut = await withoutValue.mayMatch(
      { input, messages, facts },
      readings[0]?.list.isOurs === true,
      app,
    );
    await withoutValue.say(app);
  }
  async function* rowsById(): AsyncGenerator<Attachment> {
    // An id that is given twice is one row.
    for await (const found of findAttachments(new Set(input.ids), app)) {
      if ('row' in found) yield found.row;
      else app.addFault(withKindOfId(found.fault, 'attachment', found.id));
    }
  }
  async function* counted(rows: AsyncIterable<Attachment>): AsyncGenerator<Attachment> {
    for await (const row of rows) {
      if (isPullable(row)) {
        known.files += 1;
        known.bytes += row.bytes ?? 0;
        if (row.bytes === undefined) known.unsized += 1;
      }
      yield row;
    }
    known.isAll = true;
  }
  const isNamed = input.ids.length > 0;
  const isAll = !isNamed && SELECTOR_NAMES.every((name) => input[name] === undefined);
  const faultOfList = (): Fault | undefined =>
    isNamed
      ? undefined
      : readings
          .map(({ listing, list }) => listing.fault() ?? list.fault() ?? facts?.fault())
          .find((fault) => fault !== undefined);
  /** A search is not asked again: it may not find the message of a file that is withheld. */
  const mayMatch = async (row: Attachment): Promise<boolean> => {
    await facts?.add([row]);
    return (
      fieldFilters(input).every((filter) => shows(row, filter) !== false) &&
      attachmentTests(input, facts, undefined, app.world.now()).every((test) => test.matches(row) !== false)
    );
  };
  async function* missed(ids: ReadonlySet<string>): AsyncGenerator<MissedFile> {
    if (isNamed) return;
    if (isAll) {
      // The whole list was read, and of one that may be cut nothing can be told.
      if (faultOfList() === undefined) for (const id of ids) yield { id };
      return;
    }
    for await (const found of findAttachments(ids, app)) {
      if ('row' in found) {
        if (!isPullable(found.row) && (await mayMatch(found.row))) yield found;
      } else if (found.fault.kind === 'not_found') yield { id: found.id };
      else app.addFault(found.fault);
    }
  }
  return {
    isAll,
    options: isNamed ? undefined : selectionOptions(input),
    missed,
    rows: (onSeen) => {
      tellSeen = onSeen;
      return readAhead(counted(isNamed ? rowsById() : selected()), MAX_ROWS_AHEAD);
    },
    countContradictions: () =>
      countCatalogueContradictions(app, client, { ids: isNamed ? input.ids : undefined }),
    fault: faultOfList,
    isUndecided,
    known,
    empty: {
      message: () => emptyMessageOf(input, isUndecided()),
      // The list of an empty catalogue is empty, too.
      ...(isAll ? {} : { hint: ({ arx }) => `${arx} ${commandForEmpty(input)} lists them` }),
      isNamed,
      isSaid: () => isSaid,
    },
  };
}

/**
 * Fails the run if the rows may not be all, if answers contradict each other, or if no row of named ones was found. `rows` is their number. That
 * nothing matches is said in a notice, and fails the run under `--strict`.
 */
export function failIncomplete(app: App, selection: Selection, rows: number): void {
  selection.countContradictions();
  const fault = selection.fault();
  if (fault !== undefined) app.addFault(fault);
  else if (rows === 0) {
    const { message, hint, isNamed, isSaid } = selection.empty;
    const detail = hint === undefined ? {} : { hint };
    if (isNamed) app.addFault(new Fault('partial', message(), detail));
    // It was said that rows may match which do not show it, or that no message could be searched.
    else if (app.hasFailed('partial')) return;
    else if (!app.strict) {
      if (!isSaid())
        app.notice((names) => [message(), ...(hint === undefined ? [] : [hintText(hint, names)])].join('; '));
    }
    // A search that found nothing said so, and so did a check of the value.
    else if (!app.hasFailed('not_found')) app.addFault(new Fault('not_found', message(), detail));
  }
}

/** Returns the words of the command that shows which values there are. */
function commandForEmpty({ ids, city, type, source, from, matching }: Selected): string {
  if (ids.length > 0) return 'attachments ls --all';
  if (city !== undefined) return 'attachments cities';
  if (type !== undefined) return 'attachments types';
  if (source !== undefined) return 'attachments sources';
  if (from !== undefined) return 'attachments senders';
  return matching === undefined ? 'attachments ls --all' : 'search has:attachment';
}

/** Returns the words for a selection without rows. `isUndecided`: there are rows that may match. */
function emptyMessageOf(given: Selected, isUndecided: boolean): string {
  if (given.ids.length > 0) return 'none of these attachments was found in the catalogue';
  const texts: Record<Exclude<keyof Selectors, 'matching'>, string> = {
    city: `city "${given.city}"`,
    type: `type "${given.type}"`,
    source: `source "${given.source}"`,
    message: `message "${given.message}"`,
    from: `from "${given.from}"`,
    name: `name "${given.name}"`,
    since: `a date since ${given.since}`,
    until: `a date until ${given.until}`,
    on: `a date on ${given.on}`,
    minBytes: `at least ${formatBytes(given.minBytes ?? 0)}`,
  };
  const names = Object.keys(texts) as (keyof typeof texts)[];
  const filters = names.filter((name) => given[name] !== undefined).map((name) => texts[name]);
  const { matching } = given;
  const found = matching === undefined ? '' : ` of the messages that "${matching}" finds`;
  if (filters.length > 0)
    return `no attachment${found} ${isUndecided ? 'is known to have' : 'has'} ${filters.join(' and ')}`;
  return found === '' ? 'the catalogue has no attachments' : `there are no attachments${found}`;
}
