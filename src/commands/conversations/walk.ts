// `arx conversations walk`: the exact list of conversations. A row whose place is not decided is never printed.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { detectCrossCheck, type CrossCheckSupport } from '../../capabilities/cross-check-support.ts';
import type { Client } from '../../client/index.ts';
import type { Conversation } from '../../contract/conversation.ts';
import { conversationView } from '../../format/views/index.ts';
import { Fault } from '../../faults.ts';
import { noticeEmptyArchive } from '../lists/archive-counts.ts';
import { changesBesidePosition, StatedTotals } from '../lists/contradictions.ts';
import { pagingWords } from '../lists/page.ts';
import { readableList, type ReadableList } from '../lists/readable-list.ts';
import { WalkInput } from '../walk/walk-input.ts';
import { pageRowsOf, walkList } from '../walk/walk-list.ts';
import { conversationSource, messageReader } from './walk-source.ts';

export const Input = WalkInput.extend({
  crossCheck: z.enum(['off', 'boundary', 'full']).default('boundary'),
});
type Input = z.infer<typeof Input>;

export async function run(input: Input, app: App): Promise<void> {
  const client = await app.client();
  const totals = new StatedTotals();
  const { source, pageRows, noCrossCheck } = await walkableList(input, client, totals, app);
  const rows = await walkList(
    {
      source,
      pageRows,
      noun: 'conversation',
      view: conversationView,
      shown: (row) => row,
      changes: () => changesBesidePosition(client.changesOf('conversations')),
      contradiction: () => client.contradictionOf('conversations'),
      totals,
      subject: { base_url: (await app.session()).origin },
      ...(noCrossCheck === undefined ? {} : { noCrossCheck }),
    },
    input,
    app,
  );
  await noticeEmptyArchive(rows, app);
}

/** Returns the list as the service lets it be read, and why it cannot be cross-checked, if so. */
async function walkableList(
  input: Input,
  client: Client,
  totals: StatedTotals,
  app: App,
): Promise<ReadableList<Conversation> & { noCrossCheck?: string }> {
  const { signal } = app.world;
  const limit = pageRowsOf(input);
  const bare = conversationSource(client, { totals });
  const { source, pageRows } = await readableList(bare, { ...input, limit }, app);
  const { crossCheck: _, ...list } = source;
  if (!list.directions.has('forward')) {
    throw new Fault(
      'partial',
      `the service follows no cursors in its conversations${pagingWords(client.guessOf('conversations'))} and does not say where they end, so they cannot be walked`,
      {
        hint: ({ arx }) => `${arx} conversations ls shows one page`,
      },
    );
  }
  if (input.crossCheck === 'off') return { source: list, pageRows };
  const support: CrossCheckSupport = await detectCrossCheck({
    messages: messageReader(client),
    conversations: async (rows) => (await list.page({ limit: rows }, signal)).rows,
    limit: pageRows,
    signal,
  });
  if (!support.usable) return { source: list, pageRows, noCrossCheck: support.reason };
  app.log(`cross-check with /messages?opening=true: ${support.reason}`);
  const { crossCheck } = conversationSource(client, { ...support, totals });
  return { source: { ...list, ...(crossCheck === undefined ? {} : { crossCheck }) }, pageRows };
}
