// `arx sequence show NAME`: the entries of a sequence, with a plot of the drift where positions are reported and checked.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { ListPage } from '../../client/list-parser.ts';
import { isFromOurService } from '../../client/our-service.ts';
import type { SequenceRow } from '../../client/record-list.ts';
import type { JsonRecord } from '../../client/shapes/json-path.ts';
import type { PageFacts } from '../../client/shapes/page-facts.ts';
import type { Position } from '../../contract/sequence.ts';
import { Fault } from '../../faults.ts';
import { driftPlot } from '../../format/plot/bar-chart.ts';
import { positionView } from '../../format/views/index.ts';
import { commandForAll } from '../shared/command-again.ts';
import { checkCursors, checkEnds } from '../lists/cursor-check.ts';
import { hasCursorAtEnd, readExclusive } from '../lists/exclusive-page.ts';
import { Window, windowQuery } from '../shared/input.ts';
import { exactRows } from '../lists/exact-rows.ts';
import { changedRows, countContradictions } from '../lists/contradictions.ts';
import { checkPlot } from '../shared/plot-option.ts';
import { checkLimit } from '../lists/row-listing.ts';
import { withKindOfId } from '../lists/single-record.ts';
import { isWithheld, sayWithheld } from '../lists/withheld-rows.ts';
import { withProgress } from '../lists/with-progress.ts';
import { noticeMore, readAcceptedPage, totalContradiction } from '../lists/page.ts';

export const Input = Window.extend({
  name: z.string().min(1),
  all: z.boolean().default(false),
  plot: z.boolean().default(false),
});

type Page = ListPage<SequenceRow<Position>>;

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  if (input.plot) checkPlot(app);
  checkLimit(input, app);
  const client = await app.client();
  const changes = client.changesOf('entries');
  let head: PageFacts & JsonRecord = {};
  let isOurs = true;
  const read = async (window: ReturnType<typeof windowQuery>): Promise<Page> => {
    const { body, headers } = await client.sequence(input.name, window).catch((error: unknown) => {
      throw withKindOfId(error, 'sequence', input.name);
    });
    const { data: _data, ...rest } = body;
    head = rest;
    isOurs = isFromOurService(headers);
    return body;
  };
  const readIds = async (window: Window): Promise<string[]> =>
    idsOf((await client.sequence(input.name, windowQuery(window))).body);
  let rows: Position[] = [];
  let isComplete: () => boolean;
  let page: Page | undefined;
  /** The rows, where they are printed while they are read. */
  let arriving: AsyncIterable<Position> | undefined;
  if (input.all) {
    const listing = exactRows(read, ({ id }) => id ?? withoutId(), app, input);
    isComplete = listing.complete;
    const entries = async function* (): AsyncGenerator<Position> {
      for await (const { row } of withProgress(listing.rows, 'reading', 'entries', app)) {
        rows.push(row);
        yield row;
      }
      const fault = listing.fault();
      if (fault !== undefined) app.addFault(fault);
      // The service says it about the page of the last read; here it is about the whole list.
      if (head.has_more !== undefined) head.has_more = !listing.complete();
    };
    const reading = entries();
    const first = await reading.next();
    if (first.done !== true) {
      const left = after(first.value, reading);
      if (isStreamed(first.value, app) && !input.plot) arriving = left;
      else for await (const _ of left);
    }
  } else {
    const hasCursor = input.after !== undefined || input.before !== undefined;
    let window: Window = input;
    try {
      const readSized = (limit: number | undefined) => read(windowQuery({ ...input, limit }));
      const accepted = await readAcceptedPage(readSized, input.limit, app);
      ({ page } = accepted);
      window = { ...input, limit: accepted.limit };
      if (hasCursor && !isOurs && hasCursorAtEnd(idsOf(page), input)) {
        const isRefusal = (error: unknown): boolean => error instanceof Fault;
        page = await readExclusive(read, windowQuery(window), { idOf: ({ id }) => id, isRefusal });
      }
    } catch (error) {
      if (hasCursor) await checkEnds(readIds, input);
      throw error;
    }
    rows = page.data.map(({ row }) => row);
    if (hasCursor && !isOurs && rows.length === 0) await checkEnds(readIds, input);
    if (hasCursor && !isOurs) await checkCursors(readIds, window, idsOf(page));
    const isWhole = page.has_more === false && input.after === undefined && input.before === undefined;
    isComplete = () => isWhole;
  }
  const { status, ...extra }: PageFacts & JsonRecord = head;
  const countWithheld = (): number => rows.filter(isWithheld).length;
  /** Says after the last row what is withheld of them; under `--strict` that and a page that is not all are Faults. */
  const failDoubts = (): void => {
    if (page !== undefined && app.strict && !isComplete())
      app.addFault(new Fault('partial', 'the page is not the whole list', { hint: commandForAll(app) }));
    sayWithheld({ rows: rows.length, withheld: countWithheld() }, app);
  };
  if (input.plot) {
    const checked = rows.filter(isChecked);
    if (checked.length < rows.length)
      throw new Fault(
        'partial',
        `${input.name}: its entries have no checked positions, so there is nothing to draw`,
      );
    await app.printer.plot(() => driftPlot(input.name, checked, app.screen));
    if (page?.has_more !== false && !isComplete()) app.notice('these are not all entries; --all draws all');
    countContradictions(app, page && totalContradiction(page, input)?.text, changes);
    failDoubts();
    return;
  }
  const view = positionView(rows);
  await app.printer.list(view, {
    status: arriving === undefined ? status : () => head.status,
    rows: arriving ?? rows,
    isAll: input.all,
    extra: { name: input.name, ...extra },
    summary: () => ({
      rows: rows.length,
      withheld: countWithheld(),
      // Without both positions nothing is known of it.
      ...(rows.every(isChecked) ? { displaced: rows.filter((row) => row.offset !== 0).length } : {}),
      ...changedRows(changes),
      ...(page === undefined ? {} : { has_more: page.has_more ?? null }),
      complete: isComplete(),
    }),
  });
  if (page !== undefined)
    await noticeMore(
      app,
      { ...page, data: page.data.flatMap(({ id }) => (id === undefined ? [] : { id })) },
      input,
      readIds,
    );
  countContradictions(app, page && totalContradiction(page, input)?.text, changes);
  failDoubts();
  const checked = rows.filter(isChecked);
  if (checked.length === rows.length)
    await app.printer.picture(() => driftPlot(input.name, checked, app.screen));
}

/** Forms that need no other row for the first one, and one of another service needs all rows to know its columns. */
function isStreamed(first: Position, { printer: { output } }: App): boolean {
  return output === 'ndjson' || ((output === 'tsv' || output === 'csv') && isChecked(first));
}

async function* after<Row>(first: Row, others: AsyncIterable<Row>): AsyncGenerator<Row> {
  yield first;
  yield* others;
}

function isChecked(row: Position): row is Position & { checked: number; offset: number } {
  return row.checked !== undefined && row.offset !== undefined;
}

function idsOf({ data }: Page): string[] {
  return data.map(({ id }) => id ?? withoutId());
}

function withoutId(): never {
  throw new Fault(
    'protocol',
    'the entries of this sequence have no ids, so only its first page can be read',
    {
      hint: 'leave out --all, --after and --before',
    },
  );
}
