// `arx sequence show NAME`: the positions of a sequence, reported and verified, with a plot of the drift.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Position, Sequence } from '../../contract/sequence.ts';
import { driftPlot } from '../../format/plot/bar-chart.ts';
import { positionView } from '../../format/views/index.ts';
import { Window, windowQuery } from '../input.ts';
import { exactRows } from '../exact-rows.ts';

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
    const listing = exactRows(read, (row) => row.entry, app, input);
    rows = [];
    for await (const row of listing.rows) rows.push(row);
    complete = listing.complete();
    const fault = listing.fault();
    if (fault !== undefined) app.addFault(fault);
    // The service says it about the page of the last read; here it is about the whole list.
    if (head.has_more !== undefined) head.has_more = !complete;
  } else {
    const page = await read(windowQuery(input));
    rows = page.data;
    complete = page.has_more === false && input.after === undefined && input.before === undefined;
  }
  const { status, ...extra } = head;
  await app.printer.list(positionView, {
    status,
    rows,
    extra: { name: input.name, ...extra },
    summary: () => ({
      rows: rows.length,
      displaced: rows.filter((row) => row.offset !== 0).length,
      complete,
    }),
  });
  await app.printer.picture(() => driftPlot(input.name, rows, app.screen));
}
