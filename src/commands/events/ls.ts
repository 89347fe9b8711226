// `arx events ls`: lists the events that the service received, with their effect.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { UNSETTLED_EFFECTS } from '../../contract/event.ts';
import { eventView } from '../../format/views/index.ts';
import { withoutUndefined, Window, windowQuery } from '../input.ts';
import { printPage } from '../page.ts';

export const Input = Window.extend({ effect: z.enum(UNSETTLED_EFFECTS).optional() });

/** Runs `arx events ls`. */
export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const client = await app.client();
  const { body } = await client.events({
    ...windowQuery(input),
    ...withoutUndefined({ effect: input.effect }),
  });
  await printPage(app, eventView, body, input);
}
