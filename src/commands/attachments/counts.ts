// Counts of attachments by a value: how many files each city, type, source or sender has, and how many of them can be had.
import type * as z from 'zod';
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { fileStateOf } from '../../contract/attachment-file.ts';
import type { AttachmentCount } from '../../contract/reports/attachment-count.ts';
import { attachmentCountView } from '../../format/views/index.ts';
import { changedRows } from '../lists/contradictions.ts';
import { countCatalogueContradictions } from './catalogue.ts';
import { filterAsWritten } from './spelling.ts';
import { noticeEmptyArchive } from '../lists/archive-counts.ts';
import { exactRowsOf } from '../lists/exact-rows.ts';
import { failNoMatch } from '../lists/no-match.ts';
import { withProgress } from '../lists/with-progress.ts';
import { filterState, localTests } from '../lists/row-listing.ts';
import {
  attachmentTests,
  checkSelectors,
  fieldFilters,
  filteredCatalogue,
  matchedMessages,
  sayNoName,
  Selectors,
} from './filter.ts';
import { factsFor } from './message-facts.ts';
import { withheldInSummary } from '../lists/withheld-rows.ts';
import { failUnavailable } from '../shared/unavailable.ts';
import { FilesWithoutValue, type ValueSelection } from './without-value.ts';

export const Input = Selectors;

/** Returns the value that a row is counted under; null where the row does not show one. */
export type ValueOf = (row: Attachment) => string | null;

/** How the names of values are found under which their rows are counted together. */
type NamesOf = (values: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** What is counted: see {@link listCounts}. */
type Counting = { column: string; valueOf: ValueOf; named: NamesOf | undefined };

/**
 * Lists how many attachments each value has, the most frequent first. `column`: what the values are, for the table. `named`
 * returns the names under which the rows of some values are counted together; a value without one is not shown.
 */
export async function listCounts(
  column: string,
  valueOf: ValueOf,
  input: z.infer<typeof Input>,
  app: App,
  named?: NamesOf,
): Promise<void> {
  await checkSelectors(input, app);
  const facts = factsFor(input, app);
  const messages = await matchedMessages(input.matching, app);
  await listCountsOf({ input, facts, messages }, { column, valueOf, named }, app);
}

/** Lists the counts of what is selected; where a city has no rows, those of the city as the archive writes it. */
async function listCountsOf(
  { input, facts, messages }: Omit<ValueSelection, 'input'> & { input: Selectors },
  counting: Counting,
  app: App,
): Promise<void> {
  const { column, valueOf, named } = counting;
  const tests = attachmentTests(input, facts, messages, app.world.now());
  const local = localTests(tests, 'attachments', app);
  const list = await filteredCatalogue(fieldFilters(input), app, local, facts);
  const client = await app.client();
  const changes = client.changesOf('attachments');
  const listing = exactRowsOf(list, app);
  const found = new Map<string | null, AttachmentCount>();
  const totals = { files: 0, withheld: 0, absent: 0 };
  for await (const row of withProgress(listing.rows, 'counting', 'rows', app)) {
    if (!list.matches(row)) continue;
    const value = valueOf(row);
    const count = countOf(found, value);
    const state = fileStateOf(row);
    count.files += 1;
    count[state] += 1;
    count.bytes += row.bytes ?? 0;
    totals.files += 1;
    if (state !== 'available') totals[state] += 1;
  }
  const written = found.size > 0 ? undefined : await filterAsWritten(input, app);
  if (written !== undefined)
    return listCountsOf({ input: { ...input, ...written }, facts, messages }, counting, app);
  const counts = named === undefined ? found : await namedCounts(found, named);
  const fault = listing.fault() ?? list.fault() ?? facts?.fault();
  const withoutValue = new FilesWithoutValue();
  const mayMatch = await withoutValue.mayMatch({ input, messages, facts }, list.isOurs, app);
  const isUndecided = mayMatch || list.tests.isUndecided;
  let most = 0;
  for (const { files } of counts.values()) most = Math.max(most, files);
  const bars = app.world.stdout.isTTY && counts.size > 1 ? { most, canvas: app.screen } : undefined;
  await app.printer.list(attachmentCountView(column, bars), {
    status: () => (totals.withheld > 0 ? 'partial' : 'stable'),
    rows: [...counts.values()].toSorted(byFrequency),
    summary: () => ({
      values: counts.size,
      ...totals,
      withheld: withheldInSummary(totals.withheld, isUndecided),
      ...changedRows(changes),
      complete: fault === undefined && !isUndecided,
    }),
  });
  await noticeEmptyArchive(totals.files, app);
  sayNoName(input.name, totals.files, app);
  list.tests.sayHidden(app);
  await withoutValue.say(app);
  const { isKnown, ...state } = filterState(list, fault);
  failNoMatch(totals.files, { ...state, isKnown: isKnown && !isUndecided }, {}, app);
  if (fault !== undefined) app.addFault(fault);
  countCatalogueContradictions(app, client);
  const { withheld, absent, files: total } = totals;
  failUnavailable(app, { withheld, absent, total }, 'row');
}

/** Returns the count of a value, which is added to `counts` if it has none. */
function countOf(counts: Map<string | null, AttachmentCount>, value: string | null): AttachmentCount {
  const count = counts.get(value) ?? { value, files: 0, available: 0, withheld: 0, absent: 0, bytes: 0 };
  counts.set(value, count);
  return count;
}

/** Returns the counts by the names of their values. */
async function namedCounts(
  counts: ReadonlyMap<string | null, AttachmentCount>,
  named: NamesOf,
): Promise<Map<string | null, AttachmentCount>> {
  const names = await named([...counts.keys()].filter((value) => value !== null));
  const sums = new Map<string | null, AttachmentCount>();
  for (const { value, ...count } of counts.values()) {
    const sum = countOf(sums, value === null ? null : (names.get(value) ?? null));
    for (const [name, number] of Object.entries(count)) sum[name as keyof typeof count] += number;
  }
  return sums;
}

/** The most frequent first, then by value; rows without a value last. */
function byFrequency(a: AttachmentCount, b: AttachmentCount): number {
  if ((a.value === null) !== (b.value === null)) return a.value === null ? 1 : -1;
  return b.files - a.files || ((a.value ?? '') < (b.value ?? '') ? -1 : 1);
}
