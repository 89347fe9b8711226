// `arx conversations walk`: the exact list of conversations. A row whose place is not decided is never printed.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { adaptSource } from '../../capabilities/adapted-source.ts';
import { detectCrossCheck, type CrossCheckSupport } from '../../capabilities/cross-check-support.ts';
import { detectCapabilities } from '../../capabilities/detect-capabilities.ts';
import { capabilityLines } from '../../capabilities/list-capabilities.ts';
import type { Conversation } from '../../contract/conversation.ts';
import { conversationView } from '../../format/views/index.ts';
import { Fault } from '../../faults.ts';
import type { Source } from '../../walk/source.ts';
import { WalkInput } from '../walk-input.ts';
import { pageRowsOf, walkList } from '../walk-list.ts';
import { conversationSource, messageReader } from './walk-source.ts';

export const Input = WalkInput.extend({
  crossCheck: z.enum(['off', 'boundary', 'full']).default('boundary'),
});
type Input = z.infer<typeof Input>;

export async function run(input: Input, app: App): Promise<void> {
  const { source, noCrossCheck } = await readableSource(input, app);
  await walkList(
    {
      source,
      noun: 'conversation',
      view: conversationView,
      shown: (row) => row,
      subject: { base_url: (await app.session()).origin },
      ...(noCrossCheck === undefined ? {} : { noCrossCheck }),
    },
    input,
    app,
  );
}

/** Returns the list as the service lets it be read, and why it cannot be cross-checked, if so. */
async function readableSource(
  input: Input,
  app: App,
): Promise<{ source: Source<Conversation>; noCrossCheck?: string }> {
  const client = await app.client();
  const { signal } = app.world;
  const limit = pageRowsOf(input);
  const bare = conversationSource(client);
  const found = await detectCapabilities(bare, { limit, signal });
  for (const line of capabilityLines(found)) app.log(line);
  const { crossCheck: _, ...list } = adaptSource(bare, found);
  if (list.directions?.has('forward') !== true) {
    throw new Fault(
      'protocol',
      'the service follows no cursors in its conversations, so they cannot be walked',
      {
        hint: 'arx conversations ls shows one page',
      },
    );
  }
  if (input.crossCheck === 'off') return { source: list };
  const support: CrossCheckSupport = await detectCrossCheck({
    messages: messageReader(client),
    conversations: async (rows) => (await list.page({ limit: rows }, signal)).rows,
    limit,
    signal,
  });
  if (!support.usable) return { source: list, noCrossCheck: support.reason };
  app.log(`cross-check with /messages?opening=true: ${support.reason}`);
  const { crossCheck } = conversationSource(client, support);
  return { source: { ...list, ...(crossCheck === undefined ? {} : { crossCheck }) } };
}
