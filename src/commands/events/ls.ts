// `arx events ls`: lists the events that the service received, with their effect.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { UNSETTLED_EFFECTS } from '../../contract/event-types.ts';
import { eventView } from '../../format/views/index.ts';
import { FilteredList } from '../lists/filtered-list.ts';
import { Window } from '../shared/input.ts';
import { readEvents } from './event-pages.ts';
import { printPage } from '../lists/page.ts';

export const Input = Window.extend({ effect: z.enum(UNSETTLED_EFFECTS).optional() });

/** Runs `arx events ls`. */
export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const client = await app.client();
  const { effect } = input;
  const filters = effect === undefined ? [] : [{ parameter: 'effect', field: 'effect', value: effect }];
  const list = new FilteredList((query) => readEvents(client, query), filters, app);
  const page = await list.firstMatches(input);
  const changes = client.changesOf('events');
  await printPage(app, eventView, page, input, { fault: list.fault(), changes, read: list.ids });
}
