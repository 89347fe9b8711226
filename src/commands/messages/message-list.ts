// The list of messages with its filters: a conversation, and the first messages of conversations.
import type { App } from '../../app.ts';
import type { Client, Query, Reply } from '../../client/index.ts';
import { isFromOurService } from '../../client/our-service.ts';
import { STATED_TOTAL } from '../../client/shapes/page-facts.ts';
import type { ListPage } from '../../client/list-parser.ts';
import type { Message } from '../../contract/conversation.ts';
import { Fault, type Hint } from '../../faults.ts';
import { FilteredList, type LocalTests } from '../lists/filtered-list.ts';

/** Which messages are listed: absent, all. */
export type MessageFilter = { conversation?: string | undefined; opening?: boolean | undefined };

type ReadMessages = (query: Query) => Promise<Reply<ListPage<Message>>>;

/** Returns the messages of a conversation, the first messages of all conversations, or all messages. */
export function filteredMessages(
  { conversation, opening = false }: MessageFilter,
  client: Client,
  app: App,
  local?: LocalTests<Message>,
): FilteredList<Message> {
  const read: ReadMessages = (query) => client.messages(query);
  const filters =
    conversation === undefined
      ? []
      : [{ parameter: 'conversation', field: 'conversation_id', value: conversation }];
  return new FilteredList(opening ? readFirstMessages(read) : read, filters, app, local);
}

/**
 * Adds `opening=true` to requests. No row shows that it is a first message, so the pages of another service than ours are
 * checked: the first page must differ from that without the parameter, and no page may have two messages of a conversation.
 * Throws Fault `protocol` where the service ignores the parameter, and `partial` where that cannot be told.
 */
function readFirstMessages(read: ReadMessages): ReadMessages {
  let isCompared = false;
  const hint: Hint = ({ arx }) => `${arx} messages ls lists all messages`;
  return async (query) => {
    const opened = await read({ ...query, opening: true });
    // The service may count all messages.
    const reply = { ...opened, body: { ...opened.body, [STATED_TOTAL]: undefined } as ListPage<Message> };
    const { data } = reply.body;
    if (isFromOurService(reply.headers) || data.length === 0) return reply;
    if (hasTwoOfOne(data))
      throw new Fault('protocol', 'the service ignores opening: it lists all messages', { hint });
    if (isCompared) return reply;
    const plain = (await read(query)).body.data;
    isCompared = true;
    const isSame = data.length === plain.length && data.every(({ id }, at) => id === plain[at]?.id);
    if (!isSame) return reply;
    const message =
      'cannot tell whether these are first messages: without opening the service lists the same';
    throw new Fault('partial', message, { hint });
  };
}

/** Returns whether two different messages are of one conversation. The same message twice is a faulty page. */
function hasTwoOfOne(messages: readonly Message[]): boolean {
  const known = messages.filter(({ conversation_id }) => typeof conversation_id === 'string');
  const ids = new Set(known.map(({ id }) => id));
  return new Set(known.map(({ conversation_id }) => conversation_id)).size < ids.size;
}
