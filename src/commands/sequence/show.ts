// `arx sequence show NAME`: positions, reported against checked, with the drift drawn.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { everyRow } from '../../client/pages.ts';
import type { Position, Sequence } from '../../contract/sequence.ts';
import { Fault } from '../../faults.ts';
import { driftPlot } from '../../format/plot.ts';
import { positionView } from '../../format/views.ts';
import { Window, windowQuery } from '../input.ts';

export const Input = Window.extend({ name: z.string().min(1), all: z.boolean().default(false) });

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const client = await app.client();
  let head: Partial<Sequence> = {};
  const read = async (window: ReturnType<typeof windowQuery>): Promise<Sequence> => {
    const { body } = await client.sequence(input.name, window);
    const { data: _data, ...rest } = body;
    head = rest;
    return body;
  };
  let rows: Position[];
  let complete: boolean;
  if (input.all) {
    const listing = everyRow(read, (row) => row.entry);
    rows = [];
    for await (const row of listing.rows) rows.push(row);
    complete = listing.complete();
    if (!complete)
      app.fail(
        new Fault('partial', `${input.name}: the service does not prove that these are all positions`),
      );
  } else {
    const page = await read(windowQuery(input));
    rows = page.data;
    complete = page.has_more === false && input.after === undefined && input.before === undefined;
  }
  await app.printer.list(positionView, {
    status: head.status,
    rows,
    extra: { name: input.name, ...head },
    summary: () => ({
      rows: rows.length,
      displaced: rows.filter((row) => row.offset !== 0).length,
      complete,
    }),
  });
  await app.printer.picture(() => driftPlot(input.name, rows, app.screen));
}
