// `arx conversations ls`: one page of conversations as the service returns it, all that match, or the first ones of an order.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { conversationView } from '../../format/views/index.ts';
import { FilteredList } from '../filtered-list.ts';
import { Window } from '../input.ts';
import { checkCount, instantsOf, localTests, orderIn, printList, Selection } from '../row-listing.ts';
import { dateTests, valueOfColumn, wordsTest } from '../row-tests.ts';

export const Input = Window.extend({ ...Selection.shape, subject: z.string().optional() });

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  checkCount(input);
  const view = conversationView;
  const order = orderIn(input, view, ['started', 'last']);
  // A conversation goes on from its first message to its last one.
  const columns = { since: 'last', until: 'started' };
  const tests = [
    ...dateTests(input, columns, instantsOf(view), app.world.now()),
    ...(input.subject === undefined
      ? []
      : [wordsTest(input.subject, 'subject', valueOfColumn(view, 'subject'))]),
  ];
  const client = await app.client();
  const name = 'conversations';
  const local = localTests(tests, name, app);
  const list = new FilteredList((query) => client.conversations(query), [], app, local);
  await printList({ list, view, order, changes: client.changesOf(name), name }, input, app);
}
