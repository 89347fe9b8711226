// All rows of a list: by a walk when the service follows cursors or always gives the whole list, else its largest page.
import type { App } from '../../app.ts';
import { NEXT_CURSOR, PAGED_BY } from '../../client/shapes/page-facts.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import type { WindowQuery } from '../../contract/window.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import type { Source } from '../../walk/source.ts';
import { missingRowsFault, StatedTotals, type Stated } from './contradictions.ts';
import { withoutUndefined, windowQuery, type Window } from '../shared/input.ts';
import { lateRowsFault } from './late-rows.ts';
import { pagingWords } from './page.ts';
import { NumberedIds } from './numbered-ids.ts';
import { limitGarbage } from '../shared/v8-flags.ts';

/** Reads one page of a list. */
export type ReadPage<Row> = (window: WindowQuery) => Promise<
  Stated & {
    data: Row[];
    has_more?: boolean | undefined;
    drift_ratio?: number | undefined;
    [NEXT_CURSOR]?: string | undefined;
    [PAGED_BY]?: string | undefined;
  }
>;

/** The rows of a list while it is read, and what is proved about them afterwards. */
export type ExactRows<Row> = {
  /** Yields the rows in order. Throws a Fault when there was no row yet, or when no other read would help (network, auth, interruption). */
  rows: AsyncGenerator<Row>;
  /** Yields the same rows, several at a time. Read either this or `rows`. */
  pages: AsyncGenerator<readonly Row[]>;
  /** After the last row: whether it is proved that these are all. */
  complete: () => boolean;
  /** After the last row: why it is not proved. `partial` when the service cannot prove it, else the fault of the walk. */
  fault: () => Fault | undefined;
};

/** Rows of a page of the archive in this process. A body of more than 128 KiB costs several times as much a byte, in V8. */
const LOCAL_PAGE_ROWS = 200;

/** A symbol, which canonical JSON leaves out: no log is written here, so the rows need not be serialised. */
const ROW = Symbol('row');
type Keyed<Row> = { id: string; [ROW]: Row };

/** Faults of a walk after which the rows that it yielded are still right. */
const FAULTS_WITH_ROWS: ReadonlySet<string> = new Set(['unstable', 'protocol']);

/** Called when it is known how the list can be read, before it is. `total`: how many rows the service says that there are. */
export type SayCost = (total: number | undefined, pageRows: number) => Promise<void>;

/**
 * Returns the rows of a list. `window`: the page size (default: the largest) and the exclusive ends. Memory does not grow
 * with the list when the service follows cursors. Throws Fault `protocol` when it follows none and an end is given.
 */
export function exactRows<Row>(
  read: ReadPage<Row>,
  idOf: (row: Row) => string,
  app: Pick<App, 'world' | 'isRemote' | 'log' | 'notice' | 'strict'>,
  window: Window = {},
  sayCost?: SayCost,
): ExactRows<Row> {
  const { after, before, limit = app.isRemote ? PAGE_LIMIT.maximum : LOCAL_PAGE_ROWS } = window;
  const { signal } = app.world;
  let fault: Fault | undefined = new Fault('partial', 'the list was not read to its end');
  const totals = new StatedTotals();
  const list: Source<Keyed<Row>> = {
    async page(query) {
      const page = await read(windowQuery(query));
      totals.add(page, query.limit);
      const { data, has_more, drift_ratio } = page;
      const rows = data.map((row) => ({ id: idOf(row), [ROW]: row }));
      return { rows, ...withoutUndefined({ has_more, drift_ratio }) };
    },
  };

  async function* pages(): AsyncGenerator<readonly Row[]> {
    if (!app.isRemote) {
      yield* local();
      return;
    }
    const { readableList } = await import('./readable-list.ts');
    const { source, pageRows } = await readableList(list, { limit, after, before }, app);
    await sayCost?.(totals.stated, pageRows);
    yield* source.directions.size === 0 ? paged(pageRows) : walked(source, pageRows);
  }

  /** The archive in this process orders its lists by numbers that no row loses, so each page goes on where the last one ended. */
  async function* local(): AsyncGenerator<readonly Row[]> {
    const seen = new NumberedIds();
    for (let cursor = after; ;) {
      const { data, has_more } = await read(windowQuery({ after: cursor, before, limit }));
      signal.throwIfAborted();
      // A message that an event moved meanwhile may come again.
      yield data.filter((row) => seen.add(idOf(row)));
      const last = data.at(-1);
      if (has_more !== true || last === undefined) break;
      // Parts of the program that are loaded after this have no code cache; a second page needs no more of them.
      if (cursor === after) limitGarbage();
      cursor = idOf(last);
    }
    fault = undefined;
  }

  async function* walked(source: Source<Keyed<Row>>, pageRows: number): AsyncGenerator<readonly Row[]> {
    const { walk } = await import('../../walk/walk.ts');
    const options = { limit: pageRows, crossCheck: 'off', noun: 'row', signal } as const;
    const windows = walk(source, {
      ...options,
      ...withoutUndefined({ after, before }),
      endless: totals.endless,
      log: ({ number, rows: count, problem }) => {
        if (problem !== undefined) app.log(`read ${number}: ${plural(count, 'row')}; ${problem}`);
      },
    });
    for (let count = 0; ;) {
      const next = await windows.next();
      if (next.done !== true) {
        count += next.value.rows.length;
        yield next.value.rows.map((row) => row[ROW]);
        continue;
      }
      ({ fault } = next.value);
      if (fault !== undefined && (count === 0 || !FAULTS_WITH_ROWS.has(fault.kind))) throw fault;
      fault ??= lateRowsFault(next.value.report.late, app) ?? totalFault(count);
      return;
    }
  }

  /** The end of the list was confirmed, so rows that the service counts and does not list are missing. */
  function totalFault(count: number): Fault | undefined {
    const isWhole = after === undefined && before === undefined;
    return missingRowsFault(totals, { rows: count, isWhole }, app);
  }

  async function* paged(pageRows: number): AsyncGenerator<readonly Row[]> {
    if (after !== undefined || before !== undefined)
      throw new Fault('protocol', 'the service follows no cursors, so only the whole list can be read');
    const page = await read({ limit: pageRows });
    // A faulty page may show a row twice.
    yield [...new Map(page.data.map((row) => [idOf(row), row])).values()];
    if (page[NEXT_CURSOR] !== undefined) {
      const text = 'the list is cut: more rows follow, and the ids of this service are no cursors';
      fault = new Fault('partial', text, { hint: 'without --all, each page names the --after of the next' });
      return;
    }
    const paging = pagingWords({ pagedBy: page[PAGED_BY] });
    const reason = `the service follows no cursors${paging} and does not say that these are all rows`;
    fault = new Fault('partial', `the list may be cut: ${reason}`);
  }

  const all = pages();
  return { rows: rowsOf(all), pages: all, complete: () => fault === undefined, fault: () => fault };
}

/** Yields the rows of pages one by one. */
export async function* rowsOf<Row>(pages: AsyncIterable<readonly Row[]>): AsyncGenerator<Row> {
  for await (const page of pages) for (const row of page) yield row;
}

/** Returns the rows of a list by its pages, also those that its filters do not match. */
export function exactRowsOf<Row extends { id: string }>(
  list: { page: ReadPage<Row> },
  app: Pick<App, 'world' | 'isRemote' | 'log' | 'notice' | 'strict'>,
  window: Window = {},
  sayCost?: SayCost,
): ExactRows<Row> {
  return exactRows(
    (query) => list.page(query),
    (row) => row.id,
    app,
    window,
    sayCost,
  );
}
