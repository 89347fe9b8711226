// `arx conversations show ID`: one conversation with all of its messages.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { Fault } from '../../faults.ts';
import { timeline } from '../../format/plot/timeline.ts';
import { conversationWithMessagesView } from '../../format/views/index.ts';
import { changesAmong, countContradictions } from '../lists/contradictions.ts';
import { isWithheld, sayWithheld } from '../lists/withheld-rows.ts';
import { checkPlot } from '../shared/plot-option.ts';
import { findConversation, readMessages } from './conversation-messages.ts';

export const Input = z.object({ id: z.string().min(1), plot: z.boolean().default(false) });

export async function run({ id, plot }: z.infer<typeof Input>, app: App): Promise<void> {
  if (plot) checkPlot(app);
  const client = await app.client();
  const conversation = await findConversation(id, client, app);
  const { messages, fault } = await readMessages(conversation, client, app);
  const complete = fault === undefined && (conversation.message_count ?? messages.length) === messages.length;
  const withheld = messages.filter(isWithheld).length;
  if (plot) await app.printer.plot((canvas) => timeline(conversation.subject ?? id, messages, canvas));
  else
    await app.printer.record(conversationWithMessagesView, {
      ...conversation,
      messages: { data: messages, summary: { rows: messages.length, withheld, complete } },
    });
  const shown = messages.map((message) => message.id);
  countContradictions(
    app,
    client.contradictionOf('conversations'),
    changesAmong(client.changesOf('conversations'), [id]),
  );
  countContradictions(
    app,
    client.contradictionOf('messages'),
    changesAmong(client.changesOf('messages'), shown),
  );
  const unproved = new Fault('partial', `${id}: the service does not prove that these are all its messages`);
  if (!complete) app.addFault(fault ?? unproved);
  sayWithheld({ rows: messages.length, withheld }, app);
}
