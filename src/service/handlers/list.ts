// One page of a list as a reply: its window is read, and its rows are wrapped in the list envelope.
import type { List } from '../../contract/list.ts';
import { directionOf } from '../../contract/window.ts';
import { share, type Kind } from '../rules/integrity.ts';
import { pageText, parseRows, substitute, type FileUrls, type PageRows } from '../records/page-json.ts';
import type { Span } from '../store/sql/keyset.ts';
import type { Call, Reply } from './call.ts';
import type { KeyOf, ListRow, ListSource, ListWindow } from './list-source.ts';
import { invalidCursor, readWindow, unknownCursor, windowOf } from './list-window.ts';
import type { JsonResponse } from './response-cache.ts';

/** A list whose records the store returns as JSON text (see records/page-json.ts). */
export type StoredListSource = {
  kind: Kind;
  keyOf: KeyOf;
  /** Returns the row number in an id that is a cursor of this list. */
  numberOf(id: string): number | undefined;
  read(span: Span): Promise<PageRows>;
  fileUrls?: FileUrls;
};

/** The span of the first row of a list. */
export const FIRST_ROW: Span = { after: null, before: null, limit: 1, direction: 'forward' };

type ListedRecord = ListRow & {
  integrity?: number | undefined;
  redacted?: boolean;
  status?: string | undefined;
};

/**
 * Returns the page that the query asks for (interface 4.2, 4.7). Its status is `partial`, and the response 206, where a row
 * is redacted or withheld. Throws ApiError `limit_out_of_range`, `cursor_invalid`, `cursor_not_found`, `sequence_conflict`.
 */
export async function readList<Row extends ListedRecord>(
  call: Call,
  source: ListSource<Row>,
): Promise<Reply> {
  const { rows, has_more } = await readPage(call, source, windowOf(call.query));
  const body = { ...envelopeOf(call, rows.some(isWithheld), has_more, meanIntegrity(rows)), data: rows };
  return { status: statusOf(body), body };
}

/** Returns a page of any list: the true one, or what the request's faults make of it. */
export function readPage<Row extends ListRow>({ faults }: Call, source: ListSource<Row>, window: ListWindow) {
  return faults === undefined ? readWindow(source, window) : faults.readPage(source, window);
}

/** As {@link readList}. The JSON text of the store is sent as it is, unless faults can change the list. */
export async function readStoredList(call: Call, source: StoredListSource): Promise<Reply> {
  if (call.faults?.changesLists === true) return readList(call, parsedRows(source));
  return listReply(call, source, await readStoredWindow(source, windowOf(call.query)));
}

/** Returns rows of the store in a list envelope. */
export function listReply(
  call: Call,
  { kind, fileUrls }: Pick<StoredListSource, 'kind' | 'fileUrls'>,
  rows: PageRows,
): JsonResponse {
  const completed = substitute(kind, rows, fileUrls);
  const envelope = envelopeOf(call, completed.withheld, rows.has_more, completed.integrity);
  return { status: statusOf(envelope), json: pageText(envelope, completed) };
}

/** Returns a page of rows that are JSON text, and that are neither redacted nor withheld. */
export function textListReply(call: Call, rows: readonly string[], has_more: boolean): JsonResponse {
  const envelope = envelopeOf(call, false, has_more, undefined);
  return { status: statusOf(envelope), json: pageText(envelope, { pieces: [rows.join(',')] }) };
}

function parsedRows({ kind, keyOf, read, fileUrls }: StoredListSource): ListSource<ListedRecord> {
  return {
    keyOf,
    async read(span) {
      const rows = await read(span);
      return { rows: parseRows<ListedRecord>(substitute(kind, rows, fileUrls)), has_more: rows.has_more };
    },
  };
}

function envelopeOf(
  call: Call,
  withheld: boolean,
  has_more: boolean,
  integrity: number | undefined,
): List<never> {
  return {
    object: 'list',
    status: withheld ? 'partial' : 'stable',
    data: [],
    has_more,
    drift_ratio: call.driftRatio(),
    integrity: integrity ?? call.summary.integrity,
  };
}

function statusOf({ status }: Pick<List<unknown>, 'status'>): 200 | 206 {
  return status === 'partial' ? 206 : 200;
}

/** Returns the mean integrity of the records that carry one, undefined where none does. */
function meanIntegrity(records: readonly ListedRecord[]): number | undefined {
  const known = records.flatMap(({ integrity }) => (integrity === undefined ? [] : [integrity]));
  const lost = known.reduce((sum, one) => sum + (1 - one), 0);
  return known.length === 0 ? undefined : share(known.length - lost, known.length);
}

/** As {@link readWindow}, but a single cursor is looked up by the statement that reads the page: one statement fewer. */
async function readStoredWindow(source: StoredListSource, window: ListWindow): Promise<PageRows> {
  const { limit, starting_after, ending_before } = window;
  const id = starting_after ?? ending_before;
  if (id === undefined || (starting_after !== undefined && ending_before !== undefined)) {
    return readWindow(source, window);
  }
  const name = starting_after === undefined ? 'ending_before' : 'starting_after';
  const row = source.numberOf(id);
  if (row === undefined) throw invalidCursor(name, id);
  const edges =
    name === 'starting_after' ? { after: { row }, before: null } : { after: null, before: { row } };
  const rows = await source.read({ ...edges, limit, direction: directionOf(window) });
  if (!rows.cursorFound) throw unknownCursor(name, id);
  return rows;
}

function isWithheld(row: ListedRecord): boolean {
  return row.redacted === true || row.status === 'withheld';
}
