// `arx conversations ls`: one page of conversations as the service returns it.
import type * as z from 'zod';
import type { App } from '../../app.ts';
import { conversationView } from '../../format/views/index.ts';
import { Window, windowQuery } from '../input.ts';
import { printPage } from '../page.ts';

export const Input = Window;

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const client = await app.client();
  const { body } = await client.conversations(windowQuery(input));
  await printPage(app, conversationView, body, input);
}
