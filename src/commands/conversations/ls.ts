// `arx conversations ls`: one page of conversations as the service returns it.
import type * as z from 'zod';
import type { App } from '../../app.ts';
import { conversationView } from '../../format/views/index.ts';
import { FilteredList } from '../filtered-list.ts';
import { Window } from '../input.ts';
import { printPage } from '../page.ts';

export const Input = Window;

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const client = await app.client();
  const list = new FilteredList((query) => client.conversations(query), [], app);
  const page = await list.firstMatches(input);
  await printPage(app, conversationView, page, input, {
    changes: client.changesOf('conversations'),
    read: list.ids,
  });
}
