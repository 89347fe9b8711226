// `arx conversations walk`: the exact list of conversations. A row whose place is not decided is never printed.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { conversationView } from '../../format/views/index.ts';
import { WalkInput } from '../walk-input.ts';
import { walkList } from '../walk-list.ts';
import { conversationSource } from './walk-source.ts';

export const Input = WalkInput.extend({
  crossCheck: z.enum(['off', 'boundary', 'full']).default('boundary'),
});

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  await walkList(
    {
      source: conversationSource(await app.client()),
      noun: 'conversation',
      view: conversationView,
      shown: (row) => row,
      subject: { base_url: (await app.session()).origin },
    },
    input,
    app,
  );
}
