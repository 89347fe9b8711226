// `arx attachments ls`: lists one page of the catalogue, or every row with --all. Rows without a file are shown as withheld or absent.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { fileStateOf } from '../../contract/attachment-file.ts';
import { Fault } from '../../faults.ts';
import { attachmentView } from '../../format/views/index.ts';
import { noticeEmptyArchive } from '../archive-counts.ts';
import { Size, Window } from '../input.ts';
import { changedRows, twoHashesFault } from '../contradictions.ts';
import { noticeMore, totalContradiction, totalOf } from '../page.ts';
import type { ExactRows } from '../exact-rows.ts';
import type { FilteredList } from '../filtered-list.ts';
import {
  firstRows,
  localTests,
  orderIn,
  readAll,
  rowsToShow,
  sayMore,
  Selection,
  withMatches,
} from '../row-listing.ts';
import { dateTests, sizeTest, valueOfColumn, type RowTest } from '../row-tests.ts';
import { AttachmentDates } from './dates.ts';
import { countCatalogueContradictions } from './catalogue.ts';
import { cityAsWritten, rowsOfCity } from './city.ts';
import { fieldFilters, Filter, filteredCatalogue, nameTests } from './filter.ts';
import { limitedNotices } from './notices.ts';
import { UnusableHashes } from './unusable-hashes.ts';
import { unavailableFault } from './withheld.ts';

export const Input = Window.extend({
  ...Filter.shape,
  redacted: z.enum(['yes', 'no']).optional(),
  name: z.string().min(1).optional(),
  minBytes: Size.optional(),
  ...Selection.shape,
});

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const isDated = (input.since ?? input.until) !== undefined || /^-?date$/.test(input.sort ?? '');
  const dates = isDated ? new AttachmentDates(app) : undefined;
  const view = dates?.view ?? attachmentView;
  const order = orderIn(input, view, ['date']);
  let list = await listOf(input, app, dates);
  const client = await app.client();
  const changes = client.changesOf('attachments');
  let contradiction: string | undefined;
  const totals = { rows: 0, withheld: 0, absent: 0 };
  const odd = limitedNotices(app.notice);
  const hashes = new UnusableHashes();
  const count = (row: Attachment): Attachment => {
    totals.rows += 1;
    hashes.add(row);
    const state = fileStateOf(row);
    if (state !== 'available') totals[state] += 1;
    if (row.redacted === true && typeof row.file_url === 'string') {
      odd.add(`${row.id} is redacted and still names a file_url; it is never fetched`);
    }
    return row;
  };
  const isComplete = (listing: { complete(): boolean }): boolean =>
    listing.complete() &&
    (list.fault() ?? dates?.fault()) === undefined &&
    twoHashesFault(changes) === undefined;

  let complete: boolean;
  if (input.all || order !== undefined) {
    let listing: ExactRows<Attachment> | undefined;
    const read = async (filter: Filter) => {
      list = await listOf({ ...input, ...filter }, app, dates);
      listing = readAll(list, order, input, app);
      return withMatches(listing, list);
    };
    const shown = rowsToShow(rowsOfCity(input, app, read), order, input);
    const isWhole = () => shown.isAll() && listing !== undefined && isComplete(listing);
    await app.printer.list(view, {
      status: () => (totals.withheld > 0 ? 'partial' : 'stable'),
      rows: counted(shown.rows, count),
      summary: () => ({
        ...summaryOf(totals, shown.total()),
        has_more: !shown.isAll(),
        ...changedRows(changes),
        complete: isWhole(),
      }),
    });
    complete = isWhole();
    sayMore(totals.rows, shown, app);
    const fault = listing?.fault();
    if (fault !== undefined) app.addFault(fault);
  } else {
    let page = await firstRows(list, input, app);
    const isEmpty = page.data.length === 0 && input.after === undefined && input.before === undefined;
    const city = isEmpty && input.city !== undefined ? await cityAsWritten(input.city, app) : undefined;
    if (city !== undefined) {
      list = await listOf({ ...input, city }, app, dates);
      page = await firstRows(list, input, app);
    }
    const rows = page.data.map(count);
    complete = page.has_more === false && input.after === undefined && input.before === undefined;
    const contradicted = totalContradiction(page, input);
    contradiction = contradicted?.text ?? list.oversized();
    complete &&= (list.fault() ?? dates?.fault()) === undefined && contradicted?.isMissing !== true;
    complete &&= twoHashesFault(changes) === undefined;
    const total = await totalOf(app, page, input, list.isUnfiltered ? 'attachments' : undefined);
    await app.printer.list(view, {
      status: page.status ?? (totals.withheld > 0 ? 'partial' : 'stable'),
      rows,
      summary: () => ({
        ...summaryOf(totals, total),
        has_more: page.has_more ?? null,
        ...changedRows(changes),
        complete,
      }),
    });
    await noticeMore(app, page, input, list.ids);
  }
  await noticeEmptyArchive(totals.rows, app);
  countCatalogueContradictions(app, client, { text: contradiction });
  list.tests.sayHidden(app);
  for (const doubt of [list.fault(), dates?.fault()]) if (doubt !== undefined) app.addFault(doubt);
  hashes.fail(app);
  odd.end('redacted rows name a file_url; none is ever fetched');
  if (app.strict && !complete && !input.all)
    app.addFault(new Fault('partial', 'the page is not the whole list', { hint: 'every row: --all' }));
  const { withheld, absent, rows: total } = totals;
  const unavailable = unavailableFault({ withheld, absent, total }, 'row');
  if (app.strict && unavailable !== undefined) app.addFault(unavailable);
}

function listOf(
  input: z.infer<typeof Input>,
  app: App,
  dates: AttachmentDates | undefined,
): Promise<FilteredList<Attachment>> {
  const filters = fieldFilters(input);
  if (input.redacted !== undefined)
    filters.push({
      parameter: 'redacted',
      field: 'redacted',
      value: input.redacted === 'yes',
      absent: false,
    });
  const dateOf = dates?.of ?? (() => undefined);
  const columns = { since: 'date', until: 'date' };
  const tests = [...testsOf(input), ...dateTests(input, columns, () => dateOf, app.world.now())];
  return filteredCatalogue(filters, app, localTests(tests, 'attachments', app), dates);
}

/** Returns the tests of rows that no service makes. */
function testsOf({ name, minBytes }: z.infer<typeof Input>): RowTest<Attachment>[] {
  const bytes = valueOfColumn(attachmentView, 'bytes');
  return [...nameTests(name), ...(minBytes === undefined ? [] : [sizeTest(minBytes, 'bytes', bytes)])];
}

/** Returns the counts of the shown rows, beside the number of rows that match. */
function summaryOf(
  { rows, ...others }: { rows: number; withheld: number; absent: number },
  total: number | undefined,
) {
  return { rows, total, ...others };
}

async function* counted<Row>(rows: AsyncIterable<Row>, count: (row: Row) => Row): AsyncGenerator<Row> {
  for await (const row of rows) yield count(row);
}
