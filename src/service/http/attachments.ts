// GET /v1/attachments and /v1/attachments/{id}: the catalogue (interface 4.2; the single row is ours).
import type { Attachment } from '../../contract/attachment.ts';
import { Refusal } from '../refusal.ts';
import { idOf, numberOf } from '../rules/identifier.ts';
import { findAttachment, readAttachments, type AttachmentFilter } from '../store/attachments.ts';
import { findMessage } from '../store/messages.ts';
import { fileKey } from '../store/meta.ts';
import { ok, type Call, type Reply } from './exchange.ts';
import { listReply, readList } from './list.ts';
import { attachmentRecord, type Doors } from './records.ts';

export async function attachments(call: Call): Promise<Reply> {
  const { database } = call.archive;
  const { tier } = call.bearer;
  const filter = await filterOf(call);
  const doors = await doorsOf(call);
  const list = await readList<Attachment>(call, {
    async keyOf(id) {
      const n = numberOf('att', id);
      if (n === undefined) return 'malformed';
      return (await findAttachment(database, n)) && [n];
    },
    async read(span) {
      const { rows, has_more } = await readAttachments(database, filter, tier, span);
      return { rows: rows.map((row) => attachmentRecord(row, doors)), has_more };
    },
  });
  return listReply(list);
}

/** 200 even where it is redacted: 206 is said of lists only (interface 4.2 rule 2), and the record says it itself. */
export async function attachment(call: Call): Promise<Reply> {
  const n = numberOf('att', call.parameters['id']!);
  if (n === undefined) throw new Refusal('not_found', 'no attachment has such an id');
  const row = await findAttachment(call.archive.database, n);
  if (row === undefined) throw new Refusal('not_found', `the archive has no attachment ${idOf('att', n)}`);
  return ok(attachmentRecord(row, await doorsOf(call)));
}

/** Where this reader's file addresses lead. */
export async function doorsOf({ archive, options, bearer }: Call): Promise<Doors> {
  return { assetUrl: options.assetUrl, key: await fileKey(archive), reader: bearer.tier };
}

async function filterOf(call: Call): Promise<AttachmentFilter> {
  const { query } = call;
  return {
    origin_city: query.text('origin_city'),
    content_type: query.text('content_type'),
    source: query.text('source'),
    redacted: query.flag('redacted'),
    message: await messageOf(call),
  };
}

async function messageOf({ archive, query, hides }: Call): Promise<number | undefined> {
  const id = query.text('message_id');
  if (id === undefined) return undefined;
  const n = numberOf('msg', id);
  if (n === undefined) throw new Refusal('request_invalid', 'message_id: must have the form msg_<number>');
  if (hides?.(id) === true || (await findMessage(archive.database, n)) === undefined) {
    throw new Refusal('not_found', `the archive has no message ${idOf('msg', n)}`);
  }
  return n;
}
