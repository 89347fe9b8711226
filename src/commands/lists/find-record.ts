// Finds single records by id: by the route for one record, or in their list where a service has no such route.
import type { App } from '../../app.ts';
import { SMALL_LIMIT } from '../../capabilities/page-limit.ts';
import { UNSUPPORTED_STATUS } from '../../capabilities/unsupported-status.ts';
import { listHint, recordHint, type RecordNoun } from '../../client/record-hint.ts';
import { mapConcurrent } from '../../concurrency/map-concurrent.ts';
import { createSemaphore, type Semaphore } from '../../concurrency/semaphore.ts';
import { Fault, type FaultKind, type Hint } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { exactRows, type ReadPage } from './exact-rows.ts';
import { withKindOfId } from './single-record.ts';

/** Where records of one kind are found. The routes for one attachment and one conversation are our choice. */
export type RecordSource<Row extends { id: string }> = {
  /** What one record is called. */
  noun: RecordNoun;
  /** Reads one record by its route; absent: only the list decides. */
  read?(id: string): Promise<{ body: Row }>;
  /** Reads one page of the list. */
  page: ReadPage<Row>;
};

/** A record, or the Fault why there is none: `not_found` only where that is proved. */
export type FoundRecord<Row> = { id: string; row: Row } | { id: string; fault: Fault };

/** Records that are asked for by their route at the same time, as many as a pull downloads files. */
const MAX_CONCURRENT_LOOKUPS = 6;
/** For more ids than this the list is walked at once. */
const MAX_NEIGHBOUR_LOOKUPS = 20;

type LookupApp = Pick<App, 'world' | 'isRemote' | 'log' | 'notice' | 'strict'>;

/** What a list that was read to its end shows. `fault`: why it is not proved that these are all rows. */
type WholeList = { ids: ReadonlySet<string>; fault: Fault | undefined };

/** A reading that failed before the end of the list, and the ids that it saw. */
type FailedReading = { fault: Fault; seen: ReadonlySet<string> };

/** What is known of a list. `turn`: one at a time is looked for, so that each list is read once. */
type ReadList = { turn: Semaphore; whole?: WholeList; failed?: FailedReading };
/** Lists that are read for missing records, by their noun. */
type ReadLists = Map<string, ReadList>;
const LISTS_OF_RUNS = new WeakMap<LookupApp, ReadLists>();

/** Faults of reading the list which leave open whether it has the record. Any other is a fault of the run. */
const INCONCLUSIVE: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'not_found',
  'partial',
  'unstable',
  'protocol',
]);

/**
 * Returns the record with this id. Throws Fault `not_found` where it is proved that there is none (`usage` where the id is of another kind), `partial`, `unstable` or
 * `protocol` where that cannot be told, and the Faults of requests.
 */
export async function findRecord<Row extends { id: string }>(
  id: string,
  source: RecordSource<Row>,
  app: LookupApp & Pick<App, 'progress'>,
): Promise<Row> {
  const progress = app.progress();
  const showPages = (done: number): void =>
    progress.update({ label: `looking for ${id}`, done, unit: 'pages' });
  try {
    for await (const found of findRecords([id], source, app, showPages)) {
      if ('row' in found) return found.row;
      throw withKindOfId(found.fault, source.noun, id);
    }
  } finally {
    await progress.end();
  }
  throw new Error('findRecords yields one result for each id');
}

/**
 * Yields for each id its record, or the Fault why there is none, in the order of the ids. Once the route has left an id open,
 * one reading of the list decides about it and all later ids. A list that was read to its end decides for the rest of the run
 * about the ids that it does not show. Throws the Faults of requests that concern the whole run.
 */
export async function* findRecords<Row extends { id: string }>(
  ids: Iterable<string>,
  source: RecordSource<Row>,
  app: LookupApp,
  onPage?: (count: number) => void,
): AsyncGenerator<FoundRecord<Row>> {
  const left = [...ids];
  let at = 0;
  // The first one alone: the service may have no route for one record, or it may refuse the token.
  for (const part of [left.slice(0, 1), left.slice(1)]) {
    for await (const found of mapConcurrent(part, MAX_CONCURRENT_LOOKUPS, (id) =>
      readByRoute(id, source, app),
    )) {
      if (found === undefined) {
        yield* findInList(left.slice(at), source, app, onPage);
        return;
      }
      at += 1;
      yield found;
    }
  }
}

/** Returns undefined where the response says nothing about the record. */
async function readByRoute<Row extends { id: string }>(
  id: string,
  { noun, read }: RecordSource<Row>,
  app: LookupApp,
): Promise<FoundRecord<Row> | undefined> {
  if (read === undefined) return undefined;
  try {
    const { body } = await read(id);
    if (body.id === id) return { id, row: body };
    app.log(`asked for ${noun} ${id}, the service answered with another one: its list decides`);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { isFromOurService = false, status = 0 } = error.detail;
    if (isFromOurService && error.kind === 'not_found') return { id, fault: error };
    const mayLackRoute = error.kind === 'protocol' || UNSUPPORTED_STATUS.has(status);
    if (isFromOurService || !mayLackRoute) throw error;
    app.log(
      `${noun} ${id}: ${error.message}; the service may have no route for one ${noun}: its list decides`,
    );
  }
  return undefined;
}

async function* findInList<Row extends { id: string }>(
  ids: readonly string[],
  { noun, page, read: readOne }: RecordSource<Row>,
  app: LookupApp,
  onPage?: (count: number) => void,
): AsyncGenerator<FoundRecord<Row>> {
  let pages = 0;
  const read: ReadPage<Row> = async (window) => {
    onPage?.(++pages);
    return page(window);
  };
  // Where our service has a route for one record, the list of another one is read.
  const hintFor = (id: string): Hint => (readOne === undefined ? recordHint(noun, id) : listHint(noun));
  const rows = new Map<string, Row>();
  let fault: Fault | undefined;
  const list = listOf(noun, app);
  const release = await list.turn.acquire();
  try {
    const isMissing = (id: string): boolean => list.whole?.ids.has(id) === false;
    if (ids.every(isMissing)) fault = list.whole?.fault;
    else fault = await findRows();
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    if (!INCONCLUSIVE.has(error.kind)) throw absence(noun, ids[0] ?? '', error);
    fault = error;
  } finally {
    release();
  }
  app.log(`looked for ${plural(ids.length, noun)} in the list: ${plural(pages, 'request')}`);
  for (const id of ids) {
    const row = rows.get(id);
    yield row === undefined ? { id, fault: absence(noun, id, fault, hintFor(id)) } : { id, row };
  }

  async function findRows(): Promise<Fault | undefined> {
    const { failed } = list;
    // A list of which nothing could be read is not asked again.
    const isReadable = failed === undefined || failed.seen.size > 0;
    if (isReadable && ids.length <= MAX_NEIGHBOUR_LOOKUPS) await findByNeighbours(ids, read, rows);
    if (failed !== undefined && ids.every((id) => rows.has(id) || !failed.seen.has(id)))
      return ids.every((id) => rows.has(id)) ? undefined : failed.fault;
    const seen = new Set<string>();
    try {
      const whole = await findByWalk(ids, read, rows, seen, app);
      if (whole !== undefined) list.whole = whole;
      return whole?.fault;
    } catch (error) {
      if (error instanceof Fault && INCONCLUSIVE.has(error.kind)) list.failed = { fault: error, seen };
      throw error;
    }
  }
}

function listOf(noun: string, app: LookupApp): ReadList {
  const lists: ReadLists = LISTS_OF_RUNS.get(app) ?? new Map();
  LISTS_OF_RUNS.set(app, lists);
  const list = lists.get(noun) ?? { turn: createSemaphore(1) };
  lists.set(noun, list);
  return list;
}

/**
 * Adds to `rows` the rows that two requests show: the row before an id, then the row after that one. Few services do not lead
 * to a row in this way, so the first id that is not found ends it.
 */
async function findByNeighbours<Row extends { id: string }>(
  ids: readonly string[],
  read: ReadPage<Row>,
  rows: Map<string, Row>,
): Promise<void> {
  try {
    // From a page of some rows it is found out where rows and ids are.
    const first = (await read({ limit: SMALL_LIMIT })).data;
    for (const id of ids) {
      const place = first.findIndex((row) => row.id === id);
      const known = place < 0 ? (await read({ ending_before: id, limit: 1 })).data[0] : first[place - 1];
      if (known === undefined && place !== 0) return;
      const after = known === undefined ? {} : { starting_after: known.id };
      const [row] = (await read({ ...after, limit: 1 })).data;
      if (row?.id !== id) return;
      rows.set(id, row);
    }
  } catch (error) {
    if (!(error instanceof Fault) || !UNSUPPORTED_STATUS.has(error.detail.status ?? 0)) throw error;
  }
}

/** Adds to `rows` the rows that the walk of the list shows, and all ids to `seen`. Returns the whole list, undefined once all rows are found. */
async function findByWalk<Row extends { id: string }>(
  ids: readonly string[],
  read: ReadPage<Row>,
  rows: Map<string, Row>,
  seen: Set<string>,
  app: LookupApp,
): Promise<WholeList | undefined> {
  const missing = new Set(ids.filter((id) => !rows.has(id)));
  if (missing.size === 0) return undefined;
  const listing = exactRows<Row>(read, (row) => row.id, app);
  for await (const row of listing.rows) {
    seen.add(row.id);
    if (missing.delete(row.id)) rows.set(row.id, row);
    if (missing.size === 0) return undefined;
  }
  return { ids: seen, fault: listing.fault() };
}

/** Returns the Fault of a record that the list does not show. `fault` says why the list was not proved. */
export function absence(
  noun: RecordNoun,
  id: string,
  fault: Fault | undefined,
  hint: Hint = recordHint(noun, id),
): Fault {
  const record = `${noun} ${id}`;
  if (fault === undefined) return new Fault('not_found', `no ${record} in this archive`, { hint });
  const kind = fault.kind === 'not_found' ? 'partial' : fault.kind;
  return new Fault(kind, `cannot tell whether there is ${record}: ${fault.message}`, fault.detail);
}
