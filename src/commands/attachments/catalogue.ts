// The catalogue as a whole, and what it says now of records that are known by their ids.
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { Fault } from '../../faults.ts';
import { exactRows, type ExactRows } from '../exact-rows.ts';

/** From so many on the whole catalogue is read first. */
const MANY = 200;

/** Every row, walked where the service can be. */
export async function wholeCatalogue(app: App): Promise<ExactRows<Attachment>> {
  const client = await app.client();
  return exactRows(
    async (window) => (await client.attachments(window)).body,
    (row) => row.id,
    app,
  );
}

/** Rows by id; those that the catalogue has no more are left out. */
export async function catalogueRows(
  ids: { size: number; keys(): Iterable<string>; has(id: string): boolean },
  app: App,
): Promise<Map<string, Attachment>> {
  const rows = new Map<string, Attachment>();
  if (ids.size > MANY) {
    const listing = await wholeCatalogue(app);
    for await (const row of listing.rows) if (ids.has(row.id)) rows.set(row.id, row);
  }
  const client = await app.client();
  for (const id of ids.keys()) {
    // A list that was cut says nothing of the rows it does not show.
    if (rows.has(id)) continue;
    try {
      rows.set(id, (await client.attachment(id)).body);
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'not_found') throw error;
    }
  }
  return rows;
}
