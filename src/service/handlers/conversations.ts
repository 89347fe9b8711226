// GET /v1/conversations (interface 4.7) and GET /v1/conversations/{id} (our choice).
import { ApiError } from '../rules/api-error.ts';
import { idOf, numberOf } from '../rules/identifier.ts';
import { hasConversation, readConversations, readMessages } from '../store/lists/messages.ts';
import type { Call, Reply } from './call.ts';
import { FIRST_ROW, listReply, readStoredList } from './list.ts';
import { rowText, substitute, withMember } from '../records/page-json.ts';

/** Returns a page of conversations in the order of their numbers. */
export async function conversations(call: Call): Promise<Reply> {
  const { database } = call.archive;
  const reader = call.bearer.tier;
  return readStoredList(call, {
    kind: 'conversation',
    numberOf: (id) => numberOf('conv', id),
    async keyOf(id) {
      const n = numberOf('conv', id);
      if (n === undefined) return 'malformed';
      return (await hasConversation(database, n)) ? [n] : undefined;
    },
    read: (span) => readConversations(database, { reader }, span),
  });
}

/** Messages in the record of a conversation. The rest is at /messages?conversation=. */
const MAX_MESSAGES = 100;

/** Returns a conversation with `messages`, a list of its first {@link MAX_MESSAGES}. The status is 200 also where some are withheld. */
export async function conversation(call: Call): Promise<Reply> {
  const { database } = call.archive;
  const n = numberOf('conv', call.parameters['id']!);
  if (n === undefined) throw new ApiError('not_found', 'no conversation has such an id');
  const filter = { conversation: n, reader: call.bearer.tier };
  const rows = await readConversations(database, filter, FIRST_ROW);
  if (rows.count === 0) throw new ApiError('not_found', `no conversation ${idOf('conv', n)} in this archive`);
  const page = await readMessages(database, filter, { ...FIRST_ROW, limit: MAX_MESSAGES });
  const record = rowText(substitute('conversation', rows));
  const messages = listReply(call, { kind: 'message' }, page).json;
  return { status: 200, json: withMember(record, 'messages', messages) };
}
