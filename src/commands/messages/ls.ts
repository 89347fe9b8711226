// `arx messages ls`: one page of the cross-check surface.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { messageView } from '../../format/views.ts';
import { present, Window, windowQuery } from '../input.ts';
import { printPage } from '../page.ts';

export const Input = Window.extend({
  conversation: z.string().min(1).optional(),
  opening: z.boolean().optional(),
});

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const client = await app.client();
  const filter = present({ conversation: input.conversation, opening: input.opening });
  const { body } = await client.messages({ ...filter, ...windowQuery(input) });
  await printPage(app, messageView, body, input);
}
