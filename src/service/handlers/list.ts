// One page of any list: its window checked against the archive, read (through the drift where there is one), and wrapped.
import type { List } from '../../contract/list.ts';
import type { RouteName } from '../../contract/routes.ts';
import { directionOf, isMisordered } from '../../contract/window.ts';
import { ApiError } from '../rules/api-error.ts';
import type { DriftRead } from '../fault-injection/drift.ts';
import type { DriftPage, DriftRow, DriftWindow } from '../fault-injection/page-faults.ts';
import { share, type Kind } from '../rules/integrity.ts';
import type { Span, Texts } from '../store/sql/keyset.ts';
import type { Call, Reply } from './call.ts';
import type { JsonResponse } from './response-cache.ts';
import { fill, type Addresses } from './records.ts';
import { visible } from '../fault-injection/simulated-writes.ts';

/** Where an id stands in a list: the key of its row, 'malformed' where no id looks so, undefined where there is no such row. */
export type KeyOf = (id: string) => Promise<readonly number[] | 'malformed' | undefined>;

/** A list in its stable order, and a span of it as records. */
export type Source<R extends { id: string }> = { keyOf: KeyOf; read(span: Span): Promise<DriftPage<R>> };

/** As {@link Source}, with its records as the store writes them (store/wire.ts). */
export type StoredSource = {
  kind: Kind;
  keyOf: KeyOf;
  /** The number in an id that is a cursor here. */
  numberOf(id: string): number | undefined;
  read(span: Span): Promise<Texts>;
  addresses?: Addresses;
};

/** A span of one row at most, from the start of a list on. */
export const FIRST: Span = { after: null, before: null, limit: 1, direction: 'forward' };

/** The lists that may lie and meet a faulty line, by route: two routes of one list are one. */
export const LISTS: { readonly [route in RouteName]?: string } = {
  attachments: 'attachments',
  conversations: 'conversations',
  messages: 'messages',
  messages_v1: 'messages',
};

type Listed = DriftRow & {
  integrity?: number | undefined;
  redacted?: boolean;
  status?: string | undefined;
};

/**
 * The page that the query asks for (interface 4.2, 4.7). Throws `limit_out_of_range`, `cursor_invalid`,
 * `cursor_not_found`, `sequence_conflict`. Status is partial where a row is redacted or withheld, and the response is
 * 206 then (rule 2, for all our lists).
 */
export async function readList<R extends Listed>(call: Call, source: Source<R>): Promise<Reply> {
  const window = windowOf(call);
  const there = visible(source, call.hides);
  const read = (asked: DriftWindow) => readWindow(there, asked);
  const newest = async (limit: number) =>
    (await there.read({ after: null, before: null, limit, direction: 'backward' })).rows;
  const { rows, has_more } =
    call.lies === undefined
      ? await read(window)
      : await call.lies.drift.distort(askedOf(call, call.lies.list, window), { read, newest });
  const body = { ...envelopeOf(call, rows.some(isWithheld), has_more, meanOf(rows)), data: rows };
  return { status: statusOf(body), body };
}

/** As {@link readList}; what the store wrote goes out as it is where nothing is laid over the list. */
export async function readStored(call: Call, source: StoredSource): Promise<Reply> {
  if (call.lies !== undefined || call.hides !== undefined) return readList(call, recordsOf(source));
  return listOf(call, source, await readTextWindow(source, windowOf(call)));
}

/** A page that the store wrote, wrapped. */
export function listOf(
  call: Call,
  { kind, addresses }: Pick<StoredSource, 'kind' | 'addresses'>,
  texts: Texts,
): JsonResponse {
  const { pieces, withheld, integrity } = fill(kind, texts, addresses);
  const envelope = envelopeOf(call, withheld, texts.has_more, texts.count === 0 ? undefined : integrity);
  const [head = '', tail = ''] = JSON.stringify(envelope).split(EMPTY);
  return { status: statusOf(envelope), json: [head, DATA, ...pieces, ']', tail].join('') };
}

/** Where the rows stand in an envelope. */
const DATA = '"data":[';
const EMPTY = `${DATA}]`;

function recordsOf({ kind, keyOf, read, addresses }: StoredSource): Source<Listed> {
  return {
    keyOf,
    async read(span) {
      const texts = await read(span);
      const json = fill(kind, texts, addresses).pieces.join('');
      return { rows: JSON.parse(`[${json}]`) as Listed[], has_more: texts.has_more };
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

/** What tells this read from others: its list, its window with the defaults filled in, and its other parameters. */
function askedOf({ query }: Call, list: string, window: DriftWindow): DriftRead {
  const { starting_after, ending_before, limit } = window;
  const others = query.others(['starting_after', 'ending_before', 'limit']);
  return { list, key: JSON.stringify([list, others, starting_after, ending_before, limit]), window };
}

/** The window parameters of a request; ids are checked when they are looked up. */
export function windowOf({ query }: Call): DriftWindow {
  const limit = query.limit();
  const starting_after = cursor(() => query.text('starting_after'));
  const ending_before = cursor(() => query.text('ending_before'));
  return {
    limit,
    ...(starting_after === undefined ? {} : { starting_after }),
    ...(ending_before === undefined ? {} : { ending_before }),
  };
}

/** What is true of a window, before any drift. */
export async function readWindow<Page>(
  source: { keyOf: KeyOf; read(span: Span): Promise<Page> },
  window: DriftWindow,
): Promise<Page> {
  const after = await keyFor(source, 'starting_after', window.starting_after);
  const before = await keyFor(source, 'ending_before', window.ending_before);
  if (after !== null && before !== null && isMisordered(compareKeys(after, before), 0)) {
    throw new ApiError(
      'sequence_conflict',
      `starting_after ${window.starting_after} is later in sequence than ending_before ${window.ending_before}`,
    );
  }
  return source.read({ after, before, limit: window.limit, direction: directionOf(window) });
}

/** Mean integrity of records that carry one, undefined where none does. */
function meanOf(records: readonly Listed[]): number | undefined {
  const known = records.flatMap(({ integrity }) => (integrity === undefined ? [] : [integrity]));
  const lost = known.reduce((sum, one) => sum + (1 - one), 0);
  return known.length === 0 ? undefined : share(known.length - lost, known.length);
}

/** As {@link readWindow}; a lone cursor is looked up by the statement that reads from there on. */
async function readTextWindow(source: StoredSource, window: DriftWindow): Promise<Texts> {
  const { limit, starting_after, ending_before } = window;
  const id = starting_after ?? ending_before;
  if (id === undefined || (starting_after !== undefined && ending_before !== undefined)) {
    return readWindow(source, window);
  }
  const name = starting_after === undefined ? 'ending_before' : 'starting_after';
  const row = source.numberOf(id);
  if (row === undefined) throw noId(name);
  const edges =
    name === 'starting_after' ? { after: { row }, before: null } : { after: null, before: { row } };
  const texts = await source.read({ ...edges, limit, direction: directionOf(window) });
  if (!texts.there) throw noRow(name, id);
  return texts;
}

async function keyFor(
  source: { keyOf: KeyOf },
  name: 'starting_after' | 'ending_before',
  id: string | undefined,
): Promise<readonly number[] | null> {
  if (id === undefined) return null;
  const key = await source.keyOf(id);
  if (key === 'malformed') throw noId(name);
  if (key === undefined) throw noRow(name, id);
  return key;
}

function noId(name: string): ApiError {
  return new ApiError('cursor_invalid', `${name}: is not an id of this list`);
}

function noRow(name: string, id: string): ApiError {
  return new ApiError('cursor_not_found', `${name}: the archive has no ${id}`);
}

function compareKeys(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at < 0 ? 0 : Math.sign(a[at]! - b[at]!);
}

function cursor(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch (error) {
    throw error instanceof ApiError ? new ApiError('cursor_invalid', error.message) : error;
  }
}

function isWithheld(row: Listed): boolean {
  return row.redacted === true || row.status === 'withheld';
}
