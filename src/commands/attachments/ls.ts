// `arx attachments ls`: lists one page of the catalogue, or every row with --all. Rows without a file are shown as withheld.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { isPullable } from '../../contract/attachment-file.ts';
import { Fault } from '../../faults.ts';
import { attachmentView } from '../../format/views/index.ts';
import { withoutUndefined, Window, windowQuery } from '../input.ts';
import { exactRows } from '../exact-rows.ts';
import { Filter, filterQuery, matches } from './filter.ts';
import { limitedNotices } from './notices.ts';
import { withheldFault } from './withheld.ts';

export const Input = Window.extend({
  ...Filter.shape,
  all: z.boolean().optional(),
  redacted: z.enum(['yes', 'no']).optional(),
});

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const client = await app.client();
  const redacted = input.redacted === undefined ? undefined : input.redacted === 'yes';
  const filter = { ...filterQuery(input), ...withoutUndefined({ redacted }) };
  const totals = { rows: 0, withheld: 0 };
  const odd = limitedNotices(app.notice);
  const count = (row: Attachment): Attachment => {
    totals.rows += 1;
    if (!isPullable(row)) totals.withheld += 1;
    if (row.redacted === true && typeof row.file_url === 'string') {
      odd.add(`${row.id} is redacted and still names a file_url; it is never fetched`);
    }
    return row;
  };
  const asked = (row: Attachment): boolean =>
    (redacted === undefined || (row.redacted ?? false) === redacted) && matches(input, row);

  let complete: boolean;
  if (input.all === true) {
    const listing = exactRows(
      async (window) => (await client.attachments({ ...filter, ...window })).body,
      (row) => row.id,
      app,
      input,
    );
    await app.printer.list(attachmentView, {
      status: () => (totals.withheld > 0 ? 'partial' : 'stable'),
      rows: counted(listing.rows, asked, count),
      summary: () => ({ ...totals, complete: listing.complete() }),
    });
    complete = listing.complete();
    const fault = listing.fault();
    if (fault !== undefined) app.addFault(fault);
  } else {
    const { body } = await client.attachments({ ...filter, ...windowQuery(input) });
    const rows = body.data.filter(asked).map(count);
    complete = body.has_more === false && input.after === undefined && input.before === undefined;
    await app.printer.list(attachmentView, {
      status: body.status ?? (totals.withheld > 0 ? 'partial' : 'stable'),
      rows,
      summary: () => ({ ...totals, complete }),
    });
  }
  odd.end('redacted rows name a file_url; none is ever fetched');
  if (app.strict && !complete && input.all !== true)
    app.addFault(new Fault('partial', 'the page is not the whole list', { hint: 'every row: --all' }));
  if (app.strict && totals.withheld > 0) {
    app.addFault(withheldFault(totals.withheld, totals.rows, 'row'));
  }
}

async function* counted<Row>(
  rows: AsyncIterable<Row>,
  asked: (row: Row) => boolean,
  count: (row: Row) => Row,
): AsyncGenerator<Row> {
  for await (const row of rows) if (asked(row)) yield count(row);
}
