// `arx events ls`: lists the events that the service received, with their effect: one page, all, or the first ones of an order.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { UNSETTLED_EFFECTS } from '../../contract/event-types.ts';
import { eventView } from '../../format/views/index.ts';
import { FilteredList } from '../lists/filtered-list.ts';
import { Window } from '../shared/input.ts';
import {
  checkSelection,
  instantsOf,
  localTests,
  orderIn,
  printList,
  Selection,
} from '../lists/row-listing.ts';
import { dateTests } from '../lists/row-tests.ts';
import { sayDatesAreUtc } from '../lists/utc-dates.ts';
import { readEvents } from './event-pages.ts';

export const Input = Window.extend({ ...Selection.shape, effect: z.enum(UNSETTLED_EFFECTS).optional() });

/** Runs `arx events ls`. */
export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  checkSelection(input, app);
  const order = orderIn(input, eventView, ['received']);
  const columns = { since: 'received', until: 'received' };
  const tests = dateTests(input, columns, instantsOf(eventView), app.world.now());
  sayDatesAreUtc([input.since, input.until, input.on], app);
  const client = await app.client();
  const name = 'events';
  const { effect } = input;
  const filters = effect === undefined ? [] : [{ parameter: 'effect', field: 'effect', value: effect }];
  const local = localTests(tests, name, app);
  const list = new FilteredList((query) => readEvents(client, query), filters, app, local);
  await printList({ list, view: eventView, order, client, name }, input, app);
}
