// GET /messages and /v1/messages: the cross-check surface for conversation windows (interface 4.8, shape ours).
import type { Message } from '../../contract/conversation.ts';
import { Refusal } from '../refusal.ts';
import { idOf, numberOf } from '../rules/identifier.ts';
import { findConversation, findMessage, readMessages, readOpenings } from '../store/messages.ts';
import type { Call, Reply } from './exchange.ts';
import { listReply, readList } from './list.ts';
import { messageRecord } from './records.ts';

/**
 * Messages in the order of their positions, or with `opening=true` the first message of each conversation in the order
 * of conversations. There a cursor stands for the conversation of its message.
 */
export async function messages(call: Call): Promise<Reply> {
  const { database } = call.archive;
  const opening = call.query.flag('opening') ?? false;
  const conversation = await conversationOf(call);
  const list = await readList<Message>(call, {
    async keyOf(id) {
      const n = numberOf('msg', id);
      if (n === undefined) return 'malformed';
      const row = await findMessage(database, n);
      return row && (opening ? [row.conversation] : [row.sequence, row.n]);
    },
    async read(span) {
      const { rows, has_more } = opening
        ? await readOpenings(database, conversation, span)
        : await readMessages(database, conversation, span);
      return { rows: rows.map((row) => messageRecord(row, call.bearer.tier)), has_more };
    },
  });
  return listReply(list);
}

async function conversationOf({ archive, query, hides }: Call): Promise<number | undefined> {
  const id = query.text('conversation');
  if (id === undefined) return undefined;
  const n = numberOf('conv', id);
  if (n === undefined) throw new Refusal('request_invalid', 'conversation: must have the form conv_<number>');
  // An empty list would say that the conversation is there and has no messages.
  if (hides?.(id) === true || (await findConversation(archive.database, n)) === undefined) {
    throw new Refusal('not_found', `the archive has no conversation ${idOf('conv', n)}`);
  }
  return n;
}
