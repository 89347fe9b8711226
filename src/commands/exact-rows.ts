// Every row of a list, exactly: walked where the service follows cursors, else what its largest pages give.
import type { App } from '../app.ts';
import { readAllRows, type ReadPage } from '../client/all-rows.ts';
import { PAGE_LIMIT } from '../contract/scalars.ts';
import { Fault } from '../faults.ts';
import type { Direction, Source } from '../walk/source.ts';
import { walk } from '../walk/walk.ts';
import { detectDirections } from './cursor-support.ts';
import { withoutUndefined, windowQuery, type Window } from './input.ts';
import { lateRowsFault } from './late-rows.ts';

export type ExactRows<Row> = {
  /** Throws where nothing was given yet, and for what no other read would change (network, auth, the run's end). */
  rows: AsyncGenerator<Row>;
  /** Known after the last row: whether it is proved that these are all. */
  complete: () => boolean;
  /** Why it is not: `partial` where the service cannot prove it, else what the walk ended with. */
  fault: () => Fault | undefined;
};

/** By a symbol, which canonical JSON does not see: no log is kept, so nothing has to be hashed. */
const ROW = Symbol('row');

/** Kinds that end a walk and leave what it has given true. */
const ENDS: ReadonlySet<string> = new Set(['unstable', 'protocol']);

/**
 * Reads with the largest page unless `window` names another; its cursors are the exclusive ends of the list. Memory is
 * flat but for a list without cursors. A service that follows none and is asked for less than all is a protocol Fault.
 */
export function exactRows<Row>(
  read: ReadPage<Row>,
  idOf: (row: Row) => string,
  app: Pick<App, 'world' | 'log' | 'notice' | 'strict'>,
  window: Window = {},
): ExactRows<Row> {
  const { after, before, limit = PAGE_LIMIT.maximum } = window;
  const { signal } = app.world;
  let fault: Fault | undefined = new Fault('partial', 'the list was not read to its end');
  const page: Source<{ id: string; [ROW]: Row }>['page'] = async (query) => {
    const { data, has_more, drift_ratio } = await read(windowQuery(query));
    const rows = data.map((row) => ({ id: idOf(row), [ROW]: row }));
    return { rows, ...withoutUndefined({ has_more, drift_ratio }) };
  };

  async function* rows(): AsyncGenerator<Row> {
    const directions = await detectDirections({ page }, signal);
    yield* directions.size === 0 ? paged() : walked(directions);
  }

  async function* walked(directions: ReadonlySet<Direction>): AsyncGenerator<Row> {
    const options = { limit, crossCheck: 'off', noun: 'row', signal } as const;
    const windows = walk(
      { page, directions },
      {
        ...options,
        ...withoutUndefined({ after, before }),
        log: ({ number, rows: count, problem: trouble }) => {
          if (trouble !== undefined) app.log(`read ${number}: ${count} rows; ${trouble}`);
        },
      },
    );
    for (let given = 0; ;) {
      const next = await windows.next();
      if (next.done !== true) {
        given += next.value.rows.length;
        for (const row of next.value.rows) yield row[ROW];
        continue;
      }
      ({ fault } = next.value);
      if (fault !== undefined && (given === 0 || !ENDS.has(fault.kind))) throw fault;
      fault ??= lateRowsFault(next.value.report.late, app);
      return;
    }
  }

  async function* paged(): AsyncGenerator<Row> {
    if (after !== undefined || before !== undefined)
      throw new Fault('protocol', 'the service follows no cursors, so only the whole list can be had');
    const listing = readAllRows(read, idOf, limit);
    yield* listing.rows;
    fault = listing.complete()
      ? undefined
      : new Fault('partial', 'the list may be cut: the service does not prove that it was all');
  }

  return { rows: rows(), complete: () => fault === undefined, fault: () => fault };
}
