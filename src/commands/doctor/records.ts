// Finds out which single records a service serves, under the documented routes and ours.
import { parseJson } from '../../client/strict-json.ts';
import type { Query } from '../../client/base-url.ts';
import { Attachment } from '../../contract/attachment.ts';
import { Content } from '../../contract/content.ts';
import { Conversation } from '../../contract/conversation.ts';
import type { Presence, ServiceReport } from '../../contract/reports/service.ts';
import { pathOf } from '../../contract/routes.ts';
import { ARC_RECONSTRUCTION } from '../../contract/sequence.ts';
import type { Examiner } from './examiner.ts';
import { MISSING_STATUS } from './list-pages.ts';
import { settle } from './settle.ts';

/** Ids of records that lists show; absent where no row was seen. */
export type KnownIds = { attachment?: string; conversation?: string; message?: string };

/** Returns which single records the service has. */
export async function examineRecords(examiner: Examiner, ids: KnownIds): Promise<ServiceReport['records']> {
  const [lore] = Content.options;
  const named = (schema: typeof Attachment | typeof Conversation, id: string) => (body: unknown) =>
    schema.safeParse(body).data?.id === id;
  const ask = (path: string, query: Query, isRecord: (body: unknown) => boolean) =>
    presenceOf(examiner, path, query, isRecord);
  const { attachment, conversation, message } = ids;
  const content = async (view: string, isRecord: (body: unknown) => boolean) =>
    message === undefined ? 'unseen' : ask(pathOf('content', { id: message }), { view }, isRecord);
  return {
    attachment:
      attachment === undefined
        ? 'unseen'
        : await ask(pathOf('attachment', { id: attachment }), {}, named(Attachment, attachment)),
    conversation:
      conversation === undefined
        ? 'unseen'
        : await ask(pathOf('conversation', { id: conversation }), {}, named(Conversation, conversation)),
    // The interface shows no shape of the raw view and of a sequence.
    content_raw: await content('raw', (body) => isObject(body) && isObject(body['data'])),
    content_lore: await content('lore', (body) => lore.safeParse(body).success),
    sequence: await ask(pathOf('sequence', { name: ARC_RECONSTRUCTION }), {}, isObject),
  };
}

/** Returns whether the path answers with a record. */
export function presenceOf(
  examiner: Examiner,
  path: string,
  query: Query,
  isRecord: (body: unknown) => boolean,
): Promise<Presence> {
  return settle<Presence>(
    async () => {
      const response = await examiner.get(path, query);
      if (response.status === 401) return 'needs_token';
      if (response.status === 403) return 'forbidden';
      if (MISSING_STATUS.has(response.status)) return 'missing';
      if (response.status >= 300) return 'other';
      try {
        return isRecord(parseJson(response.bytes).value) ? 'present' : 'other';
      } catch {
        return 'other';
      }
    },
    (presence) => presence !== 'other',
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
