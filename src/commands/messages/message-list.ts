// The list of messages with its filters: a conversation, and the first messages of conversations.
import type { App } from '../../app.ts';
import type { Client, Query, Reply } from '../../client/index.ts';
import { isFromOurService } from '../../client/our-service.ts';
import type { ListPage } from '../../client/list-parser.ts';
import type { Message } from '../../contract/conversation.ts';
import { Fault } from '../../faults.ts';
import { FilteredList } from '../filtered-list.ts';

/** Which messages are listed: absent, all. */
export type MessageFilter = { conversation?: string | undefined; opening?: boolean | undefined };

type ReadMessages = (query: Query) => Promise<Reply<ListPage<Message>>>;

/** Returns the messages of a conversation, the first messages of all conversations, or all messages. */
export function filteredMessages(
  { conversation, opening = false }: MessageFilter,
  client: Client,
  app: App,
): FilteredList<Message> {
  const read: ReadMessages = (query) => client.messages(query);
  const filters =
    conversation === undefined
      ? []
      : [{ parameter: 'conversation', field: 'conversation_id', value: conversation }];
  return new FilteredList(opening ? readFirstMessages(read) : read, filters, app);
}

/**
 * Adds `opening=true` to requests. No row shows that it is a first message, so the first page of another service than ours is
 * compared with one without the parameter. Throws Fault `protocol` where the service ignores it, and `partial` where both
 * pages are the same, though no conversation is in them twice.
 */
function readFirstMessages(read: ReadMessages): ReadMessages {
  let isChecked = false;
  return async (query) => {
    const reply = await read({ ...query, opening: true });
    const { data } = reply.body;
    if (isChecked || data.length === 0 || isFromOurService(reply.headers)) return reply;
    const ids = data.map(({ id }) => id);
    const plain = (await read(query)).body.data.map(({ id }) => id);
    isChecked = true;
    if (ids.length !== plain.length || ids.some((id, at) => id !== plain[at])) return reply;
    const conversations = data.flatMap(({ conversation_id }) => conversation_id ?? []);
    const hint = 'arx messages ls lists all messages';
    if (new Set(conversations).size < conversations.length)
      throw new Fault('protocol', 'the service ignores opening: it lists all messages', { hint });
    throw new Fault(
      'partial',
      'cannot tell whether these are first messages: without opening the service lists the same',
      { hint },
    );
  };
}
