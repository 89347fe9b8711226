// GET /v1/attachments (interface 4.2) and GET /v1/attachments/{id} (our choice): the catalogue of attachments.
import { ApiError } from '../rules/api-error.ts';
import { idOf, numberOf } from '../rules/identifier.ts';
import { hasAttachment, readAttachments, type AttachmentFilter } from '../store/lists/attachments.ts';
import { messagePosition } from '../store/lists/messages.ts';
import { filePaths } from '../store/meta-table/file-key.ts';
import type { Call, Reply } from './call.ts';
import { FIRST_ROW, readStoredList } from './list.ts';
import { rowText, substitute, type FileUrls } from '../records/page-json.ts';

/** Returns a page of the catalogue as the reader's tier may see it. */
export async function attachments(call: Call): Promise<Reply> {
  const { database } = call.archive;
  const { tier } = call.bearer;
  const filter = await filterOf(call);
  return readStoredList(call, {
    kind: 'attachment',
    numberOf: (id) => numberOf('att', id),
    fileUrls: await fileUrlsOf(call),
    async keyOf(id) {
      const n = numberOf('att', id);
      if (n === undefined) return 'malformed';
      return (await hasAttachment(database, n)) ? [n] : undefined;
    },
    read: (span) => readAttachments(database, filter, tier, span),
  });
}

/** Returns one attachment. The status is 200 also for a redacted one: only lists are 206 (interface 4.2). */
export async function attachment(call: Call): Promise<Reply> {
  const n = numberOf('att', call.parameters['id']!);
  if (n === undefined) throw new ApiError('not_found', 'no attachment has such an id');
  const rows = await readAttachments(call.archive.database, { n }, call.bearer.tier, FIRST_ROW);
  if (rows.count === 0) throw new ApiError('not_found', `no attachment ${idOf('att', n)} in this archive`);
  return { status: 200, json: rowText(substitute('attachment', rows, await fileUrlsOf(call))) };
}

/** Returns the file addresses for this reader. */
async function fileUrlsOf({ archive, options, bearer: { tier } }: Call): Promise<FileUrls> {
  const paths = await filePaths(archive);
  const url = JSON.stringify(options.assetUrl).slice(0, -1);
  const now = archive.now();
  return (n, sha256) => `${url}${paths(n, sha256, tier, now)}"`;
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

async function messageOf({ archive, query, faults }: Call): Promise<number | undefined> {
  const id = query.text('message_id');
  if (id === undefined) return undefined;
  const n = numberOf('msg', id);
  if (n === undefined) throw new ApiError('request_invalid', 'message_id: must have the form msg_<number>');
  if (faults?.isHidden(id) === true || (await messagePosition(archive.database, n)) === undefined) {
    throw new ApiError('not_found', `no message ${idOf('msg', n)} in this archive`);
  }
  return n;
}
