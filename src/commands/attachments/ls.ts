// `arx attachments ls`: lists one page of the catalogue, or every row with --all. Rows without a file are shown as withheld or absent.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { fileStateOf } from '../../contract/attachment-file.ts';
import { Fault } from '../../faults.ts';
import { mapRows } from '../../format/rows.ts';
import { attachmentView } from '../../format/views/index.ts';
import { noticeEmptyArchive } from '../lists/archive-counts.ts';
import { commandForAll } from '../shared/command-again.ts';
import { Window } from '../shared/input.ts';
import { changedRows, twoHashesFault } from '../lists/contradictions.ts';
import {
  isDrifting,
  noticeDrift,
  noticeMore,
  repeatedRows,
  totalContradiction,
  totalOf,
} from '../lists/page.ts';
import type { ExactRows } from '../lists/exact-rows.ts';
import type { FilteredList } from '../lists/filtered-list.ts';
import {
  checkSelection,
  filterState,
  firstRows,
  localTests,
  orderIn,
  printCount,
  readAll,
  rowsToShow,
  sayMore,
  Selection,
  withMatches,
} from '../lists/row-listing.ts';
import { countCatalogueContradictions } from './catalogue.ts';
import {
  attachmentTests,
  checkSelectors,
  fieldFilters,
  filteredCatalogue,
  matchedMessages,
  type MatchedMessages,
  sayNoName,
  Selectors,
  type ExactValues,
} from './filter.ts';
import { factsFor, type MessageFacts } from './message-facts.ts';
import { limitedNotices } from './notices.ts';
import { failNoMatch } from '../lists/no-match.ts';
import { isWithheld, listStatus, noticeAllWithheld, withheldInSummary } from '../lists/withheld-rows.ts';
import { filterAsWritten, rowsAsWritten } from './spelling.ts';
import { UnusableHashes } from './unusable-hashes.ts';
import { failUnavailable } from '../shared/unavailable.ts';
import { FilesWithoutValue } from './without-value.ts';

export const Input = Window.extend({
  ...Selectors.shape,
  redacted: z.enum(['yes', 'no']).optional(),
  ...Selection.shape,
});

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  checkSelection(input, app);
  const facts = factsFor(input, app, (fact) => app.printer.selects(fact));
  const isStateShown = app.printer.selects('state');
  const view = facts?.view ?? attachmentView;
  const order = orderIn(input, view, ['date']);
  await checkSelectors(input, app);
  const messages = await matchedMessages(input.matching, app);
  const listOf = (filter: ExactValues) => filteredList({ ...input, ...filter }, messages, facts, app);
  let list = await listOf(input);
  const client = await app.client();
  const changes = client.changesOf('attachments');
  let contradiction: string | undefined;
  const totals = { rows: 0, withheld: 0, absent: 0 };
  let redacted = 0;
  const odd = limitedNotices(app.notice);
  const hashes = new UnusableHashes();
  const count = (row: Attachment): void => {
    totals.rows += 1;
    hashes.add(row);
    if (isWithheld(row)) redacted += 1;
    const state = fileStateOf(row);
    if (state !== 'available') totals[state] += 1;
    if (row.redacted === true && typeof row.file_url === 'string') {
      odd.add(`${row.id} is redacted and still names a file_url; it is never fetched`);
    }
  };
  const shownRow = (row: Attachment): Attachment => {
    const shown = facts?.withFacts(row) ?? row;
    return isStateShown ? { ...shown, state: fileStateOf(row) } : shown;
  };
  const isComplete = (listing: { complete(): boolean }): boolean =>
    listing.complete() &&
    (list.fault() ?? facts?.fault()) === undefined &&
    twoHashesFault(changes) === undefined;
  const withoutValue = new FilesWithoutValue();
  let isUndecided = false;
  /** Finds out, after the last row, whether rows were left out that may match. */
  const decide = async (): Promise<boolean> => {
    const mayMatch = await withoutValue.mayMatch({ input, messages, facts }, list.isOurs, app);
    return (isUndecided = mayMatch || list.tests.isUndecided);
  };
  /** `doubt`: why rows may be missing. */
  const sayUndecided = async (rows: number, doubt: Fault | undefined): Promise<void> => {
    await decide();
    list.tests.sayHidden(app);
    await withoutValue.say(app);
    const { isKnown, ...state } = filterState(list, doubt);
    failNoMatch(rows, { ...state, isKnown: isKnown && !isUndecided }, input, app);
  };

  if (input.count) {
    let listing: ExactRows<Attachment> | undefined;
    const read = async (filter: ExactValues) => {
      list = await listOf(filter);
      listing = readAll(list, undefined, input, app);
      return withMatches(listing, list);
    };
    const fault = () => listing?.fault() ?? list.fault() ?? facts?.fault();
    const total = await printCount(rowsAsWritten(input, app, read), { fault, isUndecided: decide }, app);
    sayNoName(input.name, total, app);
    countCatalogueContradictions(app, client);
    await sayUndecided(total, fault());
    return;
  }
  let complete: boolean;
  if (input.all || order !== undefined) {
    let listing: ExactRows<Attachment> | undefined;
    const read = async (filter: ExactValues) => {
      list = await listOf(filter);
      listing = readAll(list, order, input, app);
      return withMatches(listing, list);
    };
    const shown = rowsToShow(rowsAsWritten(input, app, read), order, input);
    const isWhole = () => shown.isAll() && listing !== undefined && isComplete(listing);
    /** The summary says whether they are all, so that is found out before the list ends. */
    async function* pages(): AsyncGenerator<readonly Attachment[]> {
      yield* shown.pages;
      await decide();
    }
    await app.printer.list(view, {
      status: () => listStatus({ isCutShort: shown.total() === undefined, withheld: totals.withheld }),
      rows: mapRows({ pages: pages() }, shownRow),
      onPrinted: count,
      isAll: input.all,
      summary: () => ({
        ...summaryOf(totals, shown.total(), isUndecided),
        has_more: !shown.isAll(),
        ...changedRows(changes),
        complete: isWhole() && !isUndecided,
      }),
    });
    complete = isWhole();
    sayMore(totals.rows, shown, app);
    const fault = listing?.fault();
    if (fault !== undefined) app.addFault(fault);
  } else {
    let page = await firstRows(list, input, app);
    const isEmpty = page.data.length === 0 && input.after === undefined && input.before === undefined;
    const written = isEmpty ? await filterAsWritten(input, app) : undefined;
    if (written !== undefined) {
      list = await listOf({ ...input, ...written });
      page = await firstRows(list, input, app);
    }
    complete = page.has_more === false && input.after === undefined && input.before === undefined;
    const repeated = repeatedRows(page.data);
    const contradicted = totalContradiction(page, input);
    contradiction = contradicted?.text ?? list.oversized();
    complete &&= (list.fault() ?? facts?.fault()) === undefined && contradicted?.isMissing !== true;
    complete &&= !isDrifting(page);
    complete &&= twoHashesFault(changes) === undefined && repeated === undefined;
    const total = await totalOf(app, page, input, list.isUnfiltered ? 'attachments' : undefined);
    await decide();
    await app.printer.list(view, {
      status:
        page.status ?? (page.data.some((row) => fileStateOf(row) === 'withheld') ? 'partial' : 'stable'),
      rows: page.data.map(shownRow),
      onPrinted: count,
      summary: () => ({
        ...summaryOf(totals, total, isUndecided),
        has_more: page.has_more ?? null,
        drift_ratio: page.drift_ratio ?? null,
        ...changedRows(changes),
        complete: complete && !isUndecided,
      }),
    });
    noticeDrift(app, page, input);
    if (repeated !== undefined) app.notice(repeated);
    await noticeMore(app, page, input, list.ids);
  }
  // With --redacted that is what was asked for.
  if (input.redacted === undefined) noticeAllWithheld({ rows: totals.rows, withheld: redacted }, app);
  await noticeEmptyArchive(totals.rows, app);
  sayNoName(input.name, totals.rows, app);
  countCatalogueContradictions(app, client, { text: contradiction });
  const doubts = [list.fault(), facts?.fault()].filter((doubt) => doubt !== undefined);
  await sayUndecided(totals.rows, doubts[0]);
  for (const doubt of doubts) app.addFault(doubt);
  hashes.fail(app);
  odd.end('redacted rows name a file_url; none is ever fetched');
  if (app.strict && !complete && !input.all)
    app.addFault(new Fault('partial', 'the page is not the whole list', { hint: commandForAll(app) }));
  const { withheld, absent, rows: total } = totals;
  failUnavailable(app, { withheld, absent, total }, 'row');
}

function filteredList(
  input: z.infer<typeof Input>,
  messages: MatchedMessages | undefined,
  facts: MessageFacts | undefined,
  app: App,
): Promise<FilteredList<Attachment>> {
  const filters = fieldFilters(input);
  if (input.redacted !== undefined)
    filters.push({
      parameter: 'redacted',
      field: 'redacted',
      value: input.redacted === 'yes',
      absent: false,
    });
  const tests = attachmentTests(input, facts, messages, app.world.now());
  return filteredCatalogue(filters, app, localTests(tests, 'attachments', app), facts);
}

/** Returns the counts of the shown rows, beside the number of rows that match. `isUndecided`: more rows may match. */
function summaryOf(
  { rows, withheld, absent }: { rows: number; withheld: number; absent: number },
  total: number | undefined,
  isUndecided: boolean,
) {
  return { rows, total, withheld: withheldInSummary(withheld, isUndecided), absent };
}
