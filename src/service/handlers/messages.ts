// GET /messages and GET /v1/messages: the list to cross-check conversations with (interface 4.8). Its shape is our choice.
import { ApiError } from '../rules/api-error.ts';
import { idOf, numberOf } from '../rules/identifier.ts';
import {
  hasConversation,
  messagePosition,
  readMessages,
  readFirstMessages,
} from '../store/lists/messages.ts';
import type { Call, Reply } from './call.ts';
import { readStoredList } from './list.ts';

/**
 * Returns a page of messages in the order of their positions. With `opening=true` it has the first message of each
 * conversation, in the order of conversations; a cursor then stands for the conversation of its message.
 */
export async function messages(call: Call): Promise<Reply> {
  const { database } = call.archive;
  const opening = call.query.flag('opening') ?? false;
  const conversation = await conversationOf(call);
  const filter = { conversation, reader: call.bearer.tier };
  return readStoredList(call, {
    kind: 'message',
    numberOf: (id) => numberOf('msg', id),
    async keyOf(id) {
      const n = numberOf('msg', id);
      if (n === undefined) return 'malformed';
      const row = await messagePosition(database, n);
      return row && (opening ? [row.conversation] : [row.sequence, row.n]);
    },
    read: (span) => (opening ? readFirstMessages : readMessages)(database, filter, span),
  });
}

async function conversationOf({ archive, query, faults }: Call): Promise<number | undefined> {
  const id = query.text('conversation');
  if (id === undefined) return undefined;
  const n = numberOf('conv', id);
  if (n === undefined)
    throw new ApiError('request_invalid', 'conversation: must have the form conv_<number>');
  // An empty list would mean that the conversation exists and has no messages.
  if (faults?.isHidden(id) === true || !(await hasConversation(archive.database, n))) {
    throw new ApiError('not_found', `no conversation ${idOf('conv', n)} in this archive`);
  }
  return n;
}
