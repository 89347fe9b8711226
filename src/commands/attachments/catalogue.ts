// Reads the whole catalogue, or the rows with given ids.
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { Fault } from '../../faults.ts';
import { exactRows, type ExactRows } from '../exact-rows.ts';

/** For more ids than this the whole catalogue is read. */
const MAX_SINGLE_READS = 200;

/** Returns every row of the catalogue, by a walk where the service follows cursors. */
export async function wholeCatalogue(app: App): Promise<ExactRows<Attachment>> {
  const client = await app.client();
  return exactRows(
    async (window) => (await client.attachments(window)).body,
    (row) => row.id,
    app,
  );
}

/** Returns the rows with these ids, by id. Ids that are no longer in the catalogue are left out. */
export async function catalogueRows(
  ids: { size: number; keys(): Iterable<string>; has(id: string): boolean },
  app: App,
): Promise<Map<string, Attachment>> {
  const rows = new Map<string, Attachment>();
  if (ids.size > MAX_SINGLE_READS) {
    const listing = await wholeCatalogue(app);
    for await (const row of listing.rows) if (ids.has(row.id)) rows.set(row.id, row);
  }
  const client = await app.client();
  for (const id of ids.keys()) {
    // A row may be missing from the list only because the list was cut.
    if (rows.has(id)) continue;
    try {
      rows.set(id, (await client.attachment(id)).body);
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'not_found') throw error;
    }
  }
  return rows;
}
