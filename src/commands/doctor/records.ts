// Finds out which single records a service serves, under the documented routes and ours.
import type { Query } from '../../client/base-url.ts';
import { parseContent } from '../../client/content-body.ts';
import { createSequenceParser } from '../../client/record-list.ts';
import { parseResponseWith, type ApiResponse } from '../../client/response.ts';
import { POSITIONS } from '../../client/shapes/list-kinds.ts';
import { createBodyReader, type ReadBody } from '../../client/shapes/record-body.ts';
import { ATTACHMENT, CONVERSATION } from '../../client/shapes/record-kinds.ts';
import { LORE, RAW } from '../../client/shapes/content-kinds.ts';
import type { Presence, ServiceReport } from '../../contract/reports/service.ts';
import { pathOf, type RouteName } from '../../contract/routes.ts';
import { ARC_RECONSTRUCTION } from '../../contract/sequence.ts';
import { Fault } from '../../faults.ts';
import type { Examiner } from './examiner.ts';
import { MISSING_STATUS } from '../../capabilities/unsupported-status.ts';
import { settle } from './settle.ts';

/** Ids of records that lists show; absent where no row was seen. */
export type KnownIds = { attachment?: string; conversation?: string; message?: string };

const drop = (): void => {};
const readAttachment = createBodyReader(ATTACHMENT, drop);
const readConversation = createBodyReader(CONVERSATION, drop);
const CONTENT = { lore: createBodyReader(LORE, drop), raw: createBodyReader(RAW, drop) };

/** Returns which single records the service has. */
export async function examineRecords(examiner: Examiner, ids: KnownIds): Promise<ServiceReport['records']> {
  const ask = async (
    name: RouteName,
    id: string | undefined,
    query: Query,
    read: (response: ApiResponse, id: string) => boolean,
  ): Promise<Presence> =>
    id === undefined
      ? 'unseen'
      : presenceOf(examiner, pathOf(name, { id, name: id }), query, (response) => read(response, id));
  const named =
    (read: ReadBody<{ id: string }>) =>
    (response: ApiResponse, id: string): boolean =>
      parseResponseWith(response, (body) => read(body, response, id)).body.id === id;
  const content = (view: 'raw' | 'lore') =>
    ask('content', ids.message, { view }, (response, id) => {
      parseContent(response, CONTENT, id, { view });
      return true;
    });
  return {
    attachment: await ask('attachment', ids.attachment, {}, named(readAttachment)),
    conversation: await ask('conversation', ids.conversation, {}, named(readConversation)),
    content_raw: await content('raw'),
    content_lore: await content('lore'),
    sequence: await ask('sequence', ARC_RECONSTRUCTION, {}, (response) => {
      createSequenceParser(POSITIONS, {}).parse(response);
      return true;
    }),
  };
}

/** Returns whether the path answers with a record. `isRecord` may throw a Fault for what is none. */
function presenceOf(
  examiner: Examiner,
  path: string,
  query: Query,
  isRecord: (response: ApiResponse) => boolean,
): Promise<Presence> {
  return settle<Presence>(
    async () => {
      const response = await examiner.get(path, query);
      if (response.status === 401) return 'needs_token';
      if (response.status === 403) return 'forbidden';
      if (MISSING_STATUS.has(response.status)) return 'missing';
      if (response.status >= 300) return 'other';
      try {
        return isRecord(response) ? 'present' : 'other';
      } catch (error) {
        if (error instanceof Fault) return 'other';
        throw error;
      }
    },
    (presence) => presence !== 'other',
  );
}
