// `arx events ls`: what the service took in and what became of it.
import type * as z from 'zod';
import type { App } from '../../app.ts';
import { eventView } from '../../format/views.ts';
import { Window, windowQuery } from '../input.ts';
import { printPage } from '../page.ts';

export const Input = Window;

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const client = await app.client();
  const { body } = await client.events(windowQuery(input));
  await printPage(app, eventView, body, input);
}
