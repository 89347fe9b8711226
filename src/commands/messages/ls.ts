// `arx messages ls`: one page of messages, all that match, the first ones of an order, or with --walk the exact list.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Client } from '../../client/index.ts';
import type { Message } from '../../contract/conversation.ts';
import { Fault } from '../../faults.ts';
import { messageView } from '../../format/views/index.ts';
import type { Source } from '../../walk/source.ts';
import { noticeEmptyArchive } from '../lists/archive-counts.ts';
import { changesBesidePosition, StatedTotals } from '../lists/contradictions.ts';
import type { FilteredList } from '../lists/filtered-list.ts';
import { withoutUndefined, windowQuery } from '../shared/input.ts';
import { pagingWords } from '../lists/page.ts';
import { readableList } from '../lists/readable-list.ts';
import {
  checkSelection,
  instantsOf,
  localTests,
  orderIn,
  printList,
  Selection,
} from '../lists/row-listing.ts';
import { dateTests, valueOfColumn, wordsTest, type RowTest } from '../lists/row-tests.ts';
import { sayDatesAreUtc } from '../lists/utc-dates.ts';
import { WalkInput } from '../walk/walk-input.ts';
import { pageRowsOf, walkList } from '../walk/walk-list.ts';
import { filteredMessages } from './message-list.ts';

export const Input = WalkInput.extend({
  conversation: z.string().min(1).optional(),
  opening: z.boolean().optional(),
  walk: z.boolean().default(false),
  ...Selection.shape,
  from: z.string().optional(),
  subject: z.string().optional(),
});
type Input = z.infer<typeof Input>;

/** Options that only a walk has. */
const WALK_OPTIONS = {
  concurrency: '--concurrency',
  confidence: '--confidence',
  maxRequests: '--max-requests',
  freeze: '--freeze',
  resume: '--resume',
  report: '--report',
  failOnDrift: '--fail-on-drift',
} as const;

export async function run(input: Input, app: App): Promise<void> {
  for (const [key, option] of input.walk ? [] : Object.entries(WALK_OPTIONS)) {
    const given = input[key as keyof typeof WALK_OPTIONS];
    if (given !== undefined && given !== false) throw new Fault('usage', `${option} goes with --walk`);
  }
  checkSelection(input, app);
  const { all, sort, walk } = input;
  const refused = !walk ? undefined : all ? '--all' : sort === undefined ? undefined : '--sort';
  if (refused !== undefined) throw new Fault('usage', `--walk does not go with ${refused}`);
  const view = messageView;
  const order = orderIn(input, view, ['date']);
  const tests = testsOf(input, app);
  sayDatesAreUtc([input.since, input.until, input.on], app);
  const client = await app.client();
  const name = 'messages';
  const list = filteredMessages(input, client, app, localTests(tests, name, app));
  if (!walk) return printList({ list, view, order, client, name }, input, app);
  await walkMessages(list, input, client, app);
  list.tests.sayHidden(app);
}

/** Returns the tests of messages that no service makes. */
function testsOf({ from, subject, ...input }: Input, app: App): RowTest<Message>[] {
  const columns = { since: 'date', until: 'date' };
  const words = Object.entries({ from, subject }).flatMap(([field, text]) =>
    text === undefined
      ? []
      : [wordsTest(text, field as 'from' | 'subject', valueOfColumn(messageView, field))],
  );
  return [...dateTests(input, columns, instantsOf(messageView), app.world.now()), ...words];
}

async function walkMessages(
  messages: FilteredList<Message>,
  input: Input,
  client: Client,
  app: App,
): Promise<void> {
  const totals = new StatedTotals();
  const source = messageSource(messages, totals);
  // The interface says nothing about cursors of /messages (interface 4.8).
  const { source: readable, pageRows } = await readableList(
    source,
    { ...input, limit: pageRowsOf(input) },
    app,
  );
  if (readable.directions.size === 0)
    throw new Fault(
      'partial',
      `the service follows no cursors in /messages${pagingWords(client.guessOf('messages'))} and does not say where they end, so they cannot be walked`,
      {
        hint: ({ arx }) => `${arx} messages ls shows one page`,
      },
    );
  const list = {
    source: readable,
    pageRows,
    noun: 'message',
    view: messageView,
    shown: ({ row }: { row: Message }) => row,
    changes: () => changesBesidePosition(client.changesOf('messages')),
    contradiction: () => client.contradictionOf('messages'),
    totals,
    filter: {
      matches: ({ row }: { row: Message }) => messages.matches(row),
      fault: () => messages.fault(),
      isUndecided: () => messages.tests.isUndecided,
    },
    subject: { base_url: (await app.session()).origin, list: await walkedList(messages, input) },
  };
  await noticeEmptyArchive(await walkList(list, { ...input, crossCheck: 'off' }, app), app);
}

/** Returns what the log says that it is of. A filter that is applied here is not part of it: the log has all rows. */
async function walkedList(messages: FilteredList<Message>, input: Input): Promise<string> {
  const filters = input.freeze === undefined ? [] : await messages.appliedByService();
  return [
    'messages',
    ...filters.map(({ parameter, value }) => `${parameter}=${value}`),
    ...(input.opening === undefined ? [] : [`opening=${input.opening}`]),
  ].join(' ');
}

/**
 * Returns the messages as the source of a walk, without their positions: a moved message may share its position with
 * another, so positions do not prove that two messages are neighbours.
 */
function messageSource(
  list: FilteredList<Message>,
  totals: StatedTotals,
): Source<{ id: string; row: Message }> {
  return {
    async page({ after, before, limit }) {
      const window = windowQuery({ ...withoutUndefined({ after, before }), limit });
      const page = await list.page(window);
      totals.add(page, limit);
      const { data, has_more, drift_ratio } = page;
      return {
        rows: data.map((row) => ({ id: row.id, row })),
        ...withoutUndefined({ has_more, drift_ratio }),
      };
    },
  };
}
