// `arx conversations ls`: one page of conversations as the service returns it, all that match, or the first ones of an order.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Query } from '../../client/index.ts';
import type { Conversation } from '../../contract/conversation.ts';
import { Fault } from '../../faults.ts';
import { conversationView } from '../../format/views/index.ts';
import type { View } from '../../format/views/view.ts';
import { FilteredList } from '../lists/filtered-list.ts';
import { foundMessages } from '../lists/found-messages.ts';
import { Window } from '../shared/input.ts';
import { checkQuery } from '../search.ts';
import {
  checkSelection,
  instantsOf,
  localTests,
  orderIn,
  printList,
  Selection,
} from '../lists/row-listing.ts';
import { dateTests, valueOfColumn, wordsTest } from '../lists/row-tests.ts';
import { datesOf, sayDatesAreUtc } from '../lists/utc-dates.ts';

export const Input = Window.extend({
  ...Selection.shape,
  subject: z.string().optional(),
  matching: z.string().min(1).optional(),
});

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  checkSelection(input, app);
  if (input.matching === undefined && /^-?hits$/.test(input.sort ?? ''))
    throw new Fault('usage', '--sort hits goes with --matching QUERY');
  const view = input.matching === undefined ? conversationView : matchedView;
  const order = orderIn(input, view, ['started', 'last']);
  // A conversation goes on from its first message to its last one.
  const columns = { since: 'last', until: 'started' };
  const tests = [
    ...dateTests(input, columns, instantsOf(view), app.world.now()),
    ...(input.subject === undefined
      ? []
      : [wordsTest(input.subject, 'subject', valueOfColumn(view, 'subject'))]),
  ];
  const searched =
    input.matching === undefined ? [] : checkQuery(input.matching, app, { name: '--matching' }).parts;
  sayDatesAreUtc([input.since, input.until, input.on, ...datesOf(searched)], app);
  const found = input.matching === undefined ? undefined : await hitsOf(input.matching, app);
  const hits = found?.hits;
  if (found !== undefined)
    tests.push({ column: 'hits', matches: ({ id }) => found.hits.has(id), isUnsure: !found.areAll });
  const client = await app.client();
  const name = 'conversations';
  const local = localTests(tests, name, app);
  const read = async (query: Query) => {
    const reply = await client.conversations(query);
    if (hits === undefined) return reply;
    const data = reply.body.data.map((row) => ({ ...row, hits: hits.get(row.id) ?? 0 }));
    return { ...reply, body: { ...reply.body, data } };
  };
  const list = new FilteredList(read, [], app, local);
  await printList({ list, view, order, client, name }, input, app);
}

const HITS: View<Conversation>['columns'][number] = {
  name: 'hits',
  of: (row) => (typeof row['hits'] === 'number' ? row['hits'] : undefined),
  align: 'right',
};

/** A conversation with the number of its messages that the search found. */
const matchedView: View<Conversation> = {
  columns: conversationView.columns.flatMap((column) =>
    column.name === 'messages' ? [HITS, column] : [column],
  ),
};

/** Returns how many messages of each conversation a search finds, and whether it read all. Throws as {@link foundMessages}. */
async function hitsOf(
  query: string,
  app: App,
): Promise<{ hits: ReadonlyMap<string, number>; areAll: boolean }> {
  const hits = new Map<string, number>();
  const found = await foundMessages(query, app);
  for await (const { conversation_id: id } of found.hits)
    if (typeof id === 'string') hits.set(id, (hits.get(id) ?? 0) + 1);
  return { hits, areAll: found.areAll };
}
