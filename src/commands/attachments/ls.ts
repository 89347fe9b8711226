// `arx attachments ls`: lists one page of the catalogue, or every row with --all. Rows without a file are shown as withheld or absent.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { fileStateOf } from '../../contract/attachment-file.ts';
import { Fault } from '../../faults.ts';
import { attachmentView } from '../../format/views/index.ts';
import { noticeEmptyArchive } from '../empty-archive.ts';
import { Window } from '../input.ts';
import { changedRows, countContradictions, twoHashesFault } from '../contradictions.ts';
import { noticeMore, totalContradiction } from '../page.ts';
import { exactRowsOf, type ExactRows } from '../exact-rows.ts';
import type { FilteredList } from '../filtered-list.ts';
import { cityAsWritten, rowsOfCity } from './city.ts';
import { fieldFilters, Filter, filteredCatalogue } from './filter.ts';
import { limitedNotices } from './notices.ts';
import { unavailableFault } from './withheld.ts';

export const Input = Window.extend({
  ...Filter.shape,
  all: z.boolean().optional(),
  redacted: z.enum(['yes', 'no']).optional(),
});

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  let list = await listOf(input, app);
  const changes = (await app.client()).changesOf('attachments');
  let contradiction: string | undefined;
  const totals = { rows: 0, withheld: 0, absent: 0 };
  const odd = limitedNotices(app.notice);
  const count = (row: Attachment): Attachment => {
    totals.rows += 1;
    const state = fileStateOf(row);
    if (state !== 'available') totals[state] += 1;
    if (row.redacted === true && typeof row.file_url === 'string') {
      odd.add(`${row.id} is redacted and still names a file_url; it is never fetched`);
    }
    return row;
  };
  const isComplete = (listing: { complete(): boolean }): boolean =>
    listing.complete() && list.fault() === undefined && twoHashesFault(changes) === undefined;

  let complete: boolean;
  if (input.all === true) {
    let listing: ExactRows<Attachment> | undefined;
    const isWhole = () => listing !== undefined && isComplete(listing);
    const read = async (filter: Filter) => {
      list = await listOf({ ...input, ...filter }, app);
      listing = exactRowsOf(list, app, input);
      return counted(listing.rows, (row) => list.matches(row), count);
    };
    await app.printer.list(attachmentView, {
      status: () => (totals.withheld > 0 ? 'partial' : 'stable'),
      rows: rowsOfCity(input, app, read),
      summary: () => ({ ...totals, ...changedRows(changes), complete: isWhole() }),
    });
    complete = isWhole();
    const fault = listing?.fault();
    if (fault !== undefined) app.addFault(fault);
  } else {
    let page = await list.firstMatches(input);
    const isEmpty = page.data.length === 0 && input.after === undefined && input.before === undefined;
    const city = isEmpty && input.city !== undefined ? await cityAsWritten(input.city, app) : undefined;
    if (city !== undefined) {
      list = await listOf({ ...input, city }, app);
      page = await list.firstMatches(input);
    }
    const rows = page.data.map(count);
    complete = page.has_more === false && input.after === undefined && input.before === undefined;
    const total = totalContradiction(page, input);
    contradiction = total?.text;
    complete &&= list.fault() === undefined && total?.isMissing !== true;
    complete &&= twoHashesFault(changes) === undefined;
    await app.printer.list(attachmentView, {
      status: page.status ?? (totals.withheld > 0 ? 'partial' : 'stable'),
      rows,
      summary: () => ({ ...totals, has_more: page.has_more ?? null, ...changedRows(changes), complete }),
    });
    await noticeMore(app, page, input, list.ids);
  }
  await noticeEmptyArchive(totals.rows, app);
  countContradictions(app, contradiction, changes);
  const doubt = list.fault();
  if (doubt !== undefined) app.addFault(doubt);
  odd.end('redacted rows name a file_url; none is ever fetched');
  if (app.strict && !complete && input.all !== true)
    app.addFault(new Fault('partial', 'the page is not the whole list', { hint: 'every row: --all' }));
  const { withheld, absent, rows: total } = totals;
  const unavailable = unavailableFault({ withheld, absent, total }, 'row');
  if (app.strict && unavailable !== undefined) app.addFault(unavailable);
}

function listOf(input: z.infer<typeof Input>, app: App): Promise<FilteredList<Attachment>> {
  const filters = fieldFilters(input);
  if (input.redacted !== undefined)
    filters.push({
      parameter: 'redacted',
      field: 'redacted',
      value: input.redacted === 'yes',
      absent: false,
    });
  return filteredCatalogue(filters, app);
}

async function* counted<Row>(
  rows: AsyncIterable<Row>,
  asked: (row: Row) => boolean,
  count: (row: Row) => Row,
): AsyncGenerator<Row> {
  for await (const row of rows) if (asked(row)) yield count(row);
}
