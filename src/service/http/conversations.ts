// GET /v1/conversations and /v1/conversations/{id} (interface 4.7; the single conversation is ours).
import type { Conversation } from '../../contract/conversation.ts';
import { Refusal } from '../refusal.ts';
import { idOf, numberOf } from '../rules/identifier.ts';
import { findConversation, readConversations, readMessages } from '../store/messages.ts';
import { ok, type Call, type Reply } from './exchange.ts';
import { listReply, meanOf, readList } from './list.ts';
import { conversationRecord, messageRecord } from './records.ts';

export async function conversations(call: Call): Promise<Reply> {
  const { database } = call.archive;
  const list = await readList<Conversation>(call, {
    async keyOf(id) {
      const n = numberOf('conv', id);
      if (n === undefined) return 'malformed';
      return (await findConversation(database, n)) && [n];
    },
    async read(span) {
      const { rows, has_more } = await readConversations(database, span);
      return { rows: rows.map((row) => conversationRecord(row, call.bearer.tier)), has_more };
    },
  });
  return listReply(list);
}

/** Messages that come with their conversation; the rest is at /messages?conversation=. */
const FIRST_MESSAGES = 100;

/** The conversation with `messages`, a list of its first 100 messages; 200 even where some are withheld. */
export async function conversation(call: Call): Promise<Reply> {
  const { database } = call.archive;
  const n = numberOf('conv', call.parameters['id']!);
  if (n === undefined) throw new Refusal('not_found', 'no conversation has such an id');
  const row = await findConversation(database, n);
  if (row === undefined) throw new Refusal('not_found', `the archive has no conversation ${idOf('conv', n)}`);
  const page = await readMessages(database, n, {
    after: null,
    before: null,
    limit: FIRST_MESSAGES,
    direction: 'forward',
  });
  const data = page.rows.map((message) => messageRecord(message, call.bearer.tier));
  return ok({
    ...conversationRecord(row, call.bearer.tier),
    messages: {
      object: 'list',
      status: data.some(({ status }) => status === 'withheld') ? 'partial' : 'stable',
      data,
      has_more: page.has_more,
      drift_ratio: call.driftRatio(),
      integrity: meanOf(data) ?? call.summary.integrity,
    },
  });
}
