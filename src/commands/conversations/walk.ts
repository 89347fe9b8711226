// `arx conversations walk`: the exact list, through frozen windows; what is not settled is never shown.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { conversationView } from '../../format/views/index.ts';
import { walkList, WalkInput } from '../walk-list.ts';
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
