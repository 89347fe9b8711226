// `arx attachments senders`: counts the files of each sender, who is named in the list of messages.
import type * as z from 'zod';
import type { App } from '../../app.ts';
import { exactRowsOf } from '../exact-rows.ts';
import { withProgress } from '../with-progress.ts';
import { filteredMessages } from '../messages/message-list.ts';
import { Input, listCounts } from './counts.ts';

export { Input };

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const messages = filteredMessages({}, await app.client(), app);
  const listing = exactRowsOf(messages, app);
  const senders = new Map<string, string>();
  const rows = withProgress(listing.rows, 'reading senders of', 'messages', app);
  for await (const { id, from, attachments } of rows) {
    // Our service says how many files a message has; others may not.
    if (attachments !== 0 && typeof from === 'string') senders.set(id, from);
  }
  const fault = listing.fault();
  if (fault !== undefined) app.addFault(fault);
  await listCounts('sender', ({ message_id: id }) => senders.get(id ?? '') ?? null, input, app);
}
