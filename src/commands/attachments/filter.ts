// The options of `ls` and `pull` that select rows of the catalogue.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Query } from '../../client/index.ts';
import type { Attachment } from '../../contract/attachment.ts';
import type { FieldFilter } from '../field-filter.ts';
import type { AttachmentDates } from './dates.ts';
import { FilteredList, type LocalTests } from '../filtered-list.ts';
import { attachmentView } from '../../format/views/index.ts';
import { nameTest, valueOfColumn, type RowTest } from '../row-tests.ts';

/** The values a row must have, each compared as a whole. An absent one selects every row. */
export const Filter = z.object({
  city: z.string().min(1).optional(),
  type: z.string().min(1).optional(),
  source: z.string().min(1).optional(),
  message: z.string().min(1).optional(),
});
export type Filter = z.infer<typeof Filter>;

/** Returns the filters of `GET /v1/attachments` and of its rows. */
export function fieldFilters({ city, type, source, message }: Filter): FieldFilter[] {
  const values = { origin_city: city, content_type: type, source, message_id: message };
  return Object.entries(values).flatMap(([field, value]) =>
    value === undefined ? [] : [{ parameter: field, field, value }],
  );
}

/** Returns the catalogue with the filters. `dates`: the dates of its rows become known there. */
export async function filteredCatalogue(
  filters: readonly FieldFilter[],
  app: App,
  local?: LocalTests<Attachment>,
  dates?: Pick<AttachmentDates, 'add'>,
): Promise<FilteredList<Attachment>> {
  const client = await app.client();
  const read = async (query: Query) => {
    const reply = await client.attachments(query);
    await dates?.add(reply.body.data);
    return reply;
  };
  return new FilteredList(read, filters, app, local);
}

/** Returns the test of `--name`, which no service makes; none where it is not given. */
export function nameTests(pattern: string | undefined): RowTest<Attachment>[] {
  return pattern === undefined ? [] : [nameTest(pattern, 'filename', shownName)];
}

const filenameOf = valueOfColumn(attachmentView, 'filename');

/** Returns the name of a file. Our service shows the id in place of a name that is withheld. */
function shownName(row: Attachment): string | number | undefined {
  const name = filenameOf(row);
  return row.redacted === true && name === row.id ? undefined : name;
}
