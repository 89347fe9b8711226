// Reads a conversation and all of its messages.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { UNSUPPORTED_STATUS } from '../../capabilities/unsupported-status.ts';
import type { Client } from '../../client/index.ts';
import { Message, type Conversation } from '../../contract/conversation.ts';
import type { WindowQuery } from '../../contract/window.ts';
import { Fault } from '../../faults.ts';
import { exactRowsOf, type ReadPage } from '../lists/exact-rows.ts';
import { findRecord } from '../lists/find-record.ts';
import { filteredMessages } from '../messages/message-list.ts';

/** Messages in the record of a conversation: a list, or a page of one. */
const OwnMessages = z.union([
  z.array(Message),
  z.object({ data: z.array(Message) }).transform(({ data }) => data),
]);

/** Returns the conversation with this id. Throws as {@link findRecord}. */
export async function findConversation(id: string, client: Client, app: App): Promise<Conversation> {
  const source = {
    noun: 'conversation' as const,
    read: client.conversation,
    page: async (window: WindowQuery) => (await client.conversations(window)).body,
  };
  return findRecord<Conversation>(id, source, app);
}

/**
 * Returns the messages, and why they may not be all. Where they cannot be listed they are those in the record. `onRows` gets those
 * that pages have shown so far, in no order; it is not known yet whether they are all.
 */
export async function readMessages(
  conversation: Conversation,
  client: Client,
  app: App,
  onRows?: (rows: readonly Message[]) => void,
): Promise<{ messages: Message[]; fault?: Fault | undefined }> {
  const list = filteredMessages({ conversation: conversation.id }, client, app);
  const seen = new Map<string, Message>();
  const page: ReadPage<Message> = async (query) => {
    const read = await list.page(query);
    for (const row of read.data) if (list.matches(row)) seen.set(row.id, row);
    onRows?.([...seen.values()]);
    return read;
  };
  const listing = exactRowsOf(onRows === undefined ? list : { page }, app);
  try {
    const messages: Message[] = [];
    for await (const row of listing.rows) if (list.matches(row)) messages.push(row);
    return { messages, fault: listing.fault() ?? list.fault() };
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    const messages = OwnMessages.safeParse(conversation['messages']).data ?? [];
    const message = `${conversation.id}: its messages cannot be listed: ${error.message}`;
    const { hint: _, ...detail } = error.detail;
    // A refusal is about /messages, which the interface leaves open. A service that is busy or gone may answer later.
    const isRefused = error.kind === 'not_found' || UNSUPPORTED_STATUS.has(detail.status ?? 0);
    return { messages, fault: new Fault(isRefused ? 'partial' : error.kind, message, detail) };
  }
}
