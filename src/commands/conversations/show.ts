// `arx conversations show ID`: one conversation with all of its messages.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Conversation, Message } from '../../contract/conversation.ts';
import type { WindowQuery } from '../../contract/window.ts';
import { Fault } from '../../faults.ts';
import { conversationWithMessagesView } from '../../format/views/index.ts';
import { exactRows } from '../exact-rows.ts';
import { findRecord } from '../find-record.ts';

export const Input = z.object({ id: z.string().min(1) });

export async function run({ id }: z.infer<typeof Input>, app: App): Promise<void> {
  const client = await app.client();
  const source = {
    noun: 'conversation',
    read: client.conversation,
    page: async (window: WindowQuery) => (await client.conversations(window)).body,
  };
  const body = await findRecord<Conversation>(id, source, app);
  const messages: Message[] = [];
  const listing = exactRows(
    async (window) => (await client.messages({ conversation: id, ...window })).body,
    (row) => row.id,
    app,
  );
  for await (const row of listing.rows) messages.push(row);
  const complete = listing.complete() && (body.message_count ?? messages.length) === messages.length;
  await app.printer.record(conversationWithMessagesView, {
    ...body,
    messages: { data: messages, summary: { rows: messages.length, complete } },
  });
  const unproved = new Fault('partial', `${id}: the service does not prove that these are all its messages`);
  if (!complete) app.addFault(listing.fault() ?? unproved);
}
