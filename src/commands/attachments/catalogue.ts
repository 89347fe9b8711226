// Reads the whole catalogue, the rows with given ids, and who sent them.
import type { App } from '../../app.ts';
import type { Client } from '../../client/index.ts';
import type { Attachment } from '../../contract/attachment.ts';
import type { Message } from '../../contract/conversation.ts';
import { Fault } from '../../faults.ts';
import { changesAmong, countContradictions } from '../lists/contradictions.ts';
import { exactRowsOf, type ExactRows } from '../lists/exact-rows.ts';
import { absence, findRecords, type FoundRecord, type RecordSource } from '../lists/find-record.ts';

/** Fields of a row of `-o ndjson` that name an attachment, the first that is there counts. */
export const ID_FIELDS = ['attachment_id', 'id'] as const;

/** For more ids than this the whole catalogue is read. */
const MAX_SINGLE_READS = 200;

/** Returns every row of the catalogue, by a walk where the service follows cursors. */
export async function wholeCatalogue(app: App): Promise<ExactRows<Attachment>> {
  return exactRowsOf(await attachmentSource(app), app);
}

/** Returns where the rows of the catalogue are found by id. */
export async function attachmentSource(app: App): Promise<RecordSource<Attachment>> {
  const client = await app.client();
  return {
    noun: 'attachment',
    read: (id) => client.attachment(id),
    page: async (window) => (await client.attachments(window)).body,
  };
}

/**
 * Yields for each id its row, or the Fault why there is none, in any order. Of many ids the whole catalogue is read first. Throws
 * the Faults of requests that concern the whole run.
 */
export async function* findAttachments(
  ids: { size: number; keys(): Iterable<string> },
  app: App,
): AsyncGenerator<FoundRecord<Attachment>> {
  const left = new Set(ids.keys());
  if (ids.size > MAX_SINGLE_READS) {
    const listing = await wholeCatalogue(app);
    for await (const row of listing.rows) if (left.delete(row.id)) yield { id: row.id, row };
    if (listing.complete()) {
      for (const id of left) yield { id, fault: absence('attachment', id, undefined) };
      return;
    }
  }
  // A row may be missing from the list only because the list was cut.
  yield* findRecords(left, await attachmentSource(app), app);
}

/**
 * Returns the rows with these ids, by id. Ids that are no longer in the catalogue are left out. Throws the Fault of
 * {@link findAttachments} for an id of which this cannot be told.
 */
export async function catalogueRows(
  ids: { size: number; keys(): Iterable<string> },
  app: App,
): Promise<Map<string, Attachment>> {
  const rows = new Map<string, Attachment>();
  for await (const found of findAttachments(ids, app)) {
    if ('row' in found) rows.set(found.id, found.row);
    else if (found.fault.kind !== 'not_found') throw found.fault;
  }
  return rows;
}

/**
 * Says in what the answers about the catalogue contradict themselves. `ids`: only changes of these rows count. `text`: how the
 * answer that is shown does it, where that is known.
 */
export function countCatalogueContradictions(
  app: App,
  client: Client,
  { ids, text }: { ids?: Iterable<string> | undefined; text?: string | undefined } = {},
): void {
  const changes = client.changesOf('attachments');
  countContradictions(
    app,
    text ?? client.contradictionOf('attachments'),
    ids === undefined ? changes : changesAmong(changes, ids),
  );
}

/** Returns where messages are found by id. No service has a route for one message. */
export async function messageSource(app: App): Promise<RecordSource<Message>> {
  const client = await app.client();
  return { noun: 'message', page: async (window) => (await client.messages(window)).body };
}

/**
 * Returns the senders of these messages, by id, and why some cannot be found out: the list of messages may be missing or
 * faulty. A sender that is withheld is left out.
 */
export async function sendersOf(
  messages: Iterable<string>,
  app: App,
  onPage?: (count: number) => void,
): Promise<{ senders: Map<string, string>; fault: Fault | undefined }> {
  const senders = new Map<string, string>();
  let fault: Fault | undefined;
  try {
    for await (const found of findRecords(new Set(messages), await messageSource(app), app, onPage)) {
      if ('fault' in found) {
        if (found.fault.kind !== 'not_found') fault ??= found.fault;
        continue;
      }
      const { from } = found.row;
      if (typeof from === 'string' && from !== '') senders.set(found.id, from);
    }
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    fault = error;
  }
  return { senders, fault };
}
