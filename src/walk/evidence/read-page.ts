// Turns a page into a read: its rows as entries of the order, cut to the range of the walk, and what is wrong in the page itself.
import { LIST_START, TRIMMED, type Entry, type Order } from '../order/order.ts';
import type { IdSet } from '../order/id-set.ts';
import type { Identified, Page, PageQuery } from '../source.ts';
import type { Problem } from './disagreement.ts';
import { directionOf, type Read } from './read.ts';

/** Rows by which a read at the frontier overlaps the known rows, so that some page holds both rows of every adjacency. */
export const OVERLAP_ROWS = 2;

/** What is known about the list besides its rows. */
export type WalkRange = {
  /** Exclusive start of the walk: LIST_START or the row of `--after`. */
  start: string;
  /** Exclusive end of the walk: the row of `--before`, if any. */
  end: string | undefined;
  /** `ignored`: what the service says about `has_more` is wrong, so a short page is read as an end. */
  hasMore: 'trusted' | 'ignored';
  /** Rows of the longest page so far: the service may give no more, whatever is asked for. */
  maxRows: number;
};

/** What a page yields. */
export type PageReading<Row> = {
  /** Undefined for a page that is not used at all. */
  read?: Read<Row>;
  /** What is wrong with the page, for the log. */
  problem?: Problem;
  /** Rows that the page shows once too often. */
  repeated: number;
};

/** `order.get` of an id without an entry. */
const UNKNOWN = -1;

/** Returns the read that a page makes. Keeps the rows of the list in their entries. `frozenIds`: ids of all frozen rows. */
export function readPage<Row extends Identified>(
  query: PageQuery,
  page: Page<Identified>,
  order: Order<Row>,
  frozenIds: IdSet,
  range: WalkRange,
  { surface, isFinalCheck }: Pick<Read<Row>, 'surface' | 'isFinalCheck'>,
): PageReading<Row> {
  const direction = directionOf(query);
  const { rows, repeatedIds, repeated } = withoutRepeats(page.rows, order);
  const ids = rows.map((row) => row.id);
  // The longest page of the list says nothing about what the cross-check source gives at most.
  const maxRows = surface === 'list' ? range.maxRows : query.limit;
  const isEnd = showsEnd(query, page, { ...range, maxRows });
  const holdsCursor = ids.some((id) => id === query.after || id === query.before);
  const from = range.start === LIST_START ? 0 : ids.indexOf(range.start) + 1;
  const rangeEnd = range.end === undefined ? -1 : ids.indexOf(range.end);
  const reachesRangeEnd = rangeEnd >= from;
  const inRange = rows.slice(from, reachesRangeEnd ? rangeEnd + 1 : undefined);

  const firstCursor = holdsCursor || from > 0 ? undefined : cursorBefore(query, range, isEnd);
  const overlaps =
    firstCursor === LIST_START || inRange.some(({ id }) => (order.get(id)?.index ?? UNKNOWN) >= 0);
  const cursorIndex = query.after === undefined ? 0 : (order.get(query.after)?.index ?? 0);
  const isNearEnd = direction !== 'backward' && cursorIndex >= order.list.length - 1 - 2 * OVERLAP_ROWS;
  const problem: Problem | undefined = holdsCursor
    ? { text: 'its own cursor in the page', breaks: 'cursor and limit' }
    : problemIn(query, page, repeated);
  if (inRange.length > 0 && !overlaps && (direction === 'backward' || !isNearEnd))
    return { problem: problem ?? { text: 'no overlap with the known rows' }, repeated };

  const entries = inRange.map((row) =>
    entryOf(row, order, frozenIds, surface === 'list' && row.id !== range.end),
  );
  const holdsTrimmed = entries.some(({ index }) => index === TRIMMED);
  const lastCursor =
    holdsCursor || reachesRangeEnd || direction === 'forward' || (direction === 'closed' && !isEnd)
      ? undefined
      : query.before;
  const head = firstCursor === undefined ? undefined : order.get(firstCursor);
  const foot =
    lastCursor === undefined
      ? undefined
      : lastCursor === range.end
        ? order.entryFor(lastCursor)
        : order.get(lastCursor);
  const positions = surface === 'list' ? positionsOf(inRange) : undefined;
  const frozenRows: Problem = { text: 'rows that are frozen', breaks: 'cursor and limit' };
  const stated = problem ?? (holdsTrimmed ? frozenRows : undefined);
  return {
    ...(stated === undefined ? {} : { problem: stated }),
    repeated,
    read: {
      query,
      surface,
      chain: [...(head === undefined ? [] : [head]), ...entries, ...(foot === undefined ? [] : [foot])],
      ...(positions === undefined
        ? {}
        : {
            positions: [
              ...(head === undefined ? [] : [undefined]),
              ...positions,
              ...(foot === undefined ? [] : [undefined]),
            ],
          }),
      showsGoneRow: entries.some(({ gone }) => gone),
      startsAtCursor: head !== undefined,
      endsAtCursor: foot !== undefined,
      claimsEnd: direction === 'forward' && isEnd && !holdsCursor && !reachesRangeEnd && !holdsTrimmed,
      isFinalCheck,
      repeatedRows: new Set([...repeatedIds].flatMap((id) => order.get(id) ?? [])),
    },
  };
}

/** Returns whether a page is short because nothing follows. One as long as the longest page may be all that the service gives. */
function showsEnd({ limit }: PageQuery, { rows, has_more }: Page<unknown>, range: WalkRange): boolean {
  if (rows.length >= limit || (has_more === true && range.hasMore === 'trusted')) return false;
  return rows.length === 0 || rows.length < range.maxRows;
}

/** Returns the id directly before the first row of the page, as far as the request says it. */
function cursorBefore(query: PageQuery, { start }: WalkRange, isEnd: boolean): string | undefined {
  if (directionOf(query) !== 'backward') return query.after ?? LIST_START;
  return isEnd && start === LIST_START ? LIST_START : undefined;
}

function entryOf<Row extends Identified>(
  row: Identified,
  order: Order<Row>,
  frozenIds: IdSet,
  isKept: boolean,
): Entry<Row> {
  const known = order.get(row.id);
  if (known === undefined && frozenIds.has(row.id))
    return {
      id: row.id,
      row: undefined,
      position: undefined,
      index: TRIMMED,
      gone: false,
      isPhantom: false,
      exists: false,
    };
  const entry = known ?? order.entryFor(row.id);
  if (entry.index < order.frozen && entry.index >= 0) return entry;
  if (!isKept) return entry;
  entry.row = row as Row;
  return entry;
}

/** Returns the positions that the rows show, undefined where none shows any. */
function positionsOf(rows: readonly Identified[]): (number | undefined)[] | undefined {
  const positions = rows.map((row) => {
    const { sequence } = row as { sequence?: unknown };
    return Number.isSafeInteger(sequence) ? (sequence as number) : undefined;
  });
  return positions.some((position) => position !== undefined) ? positions : undefined;
}

/** Of a row that a page shows twice, the occurrence after its known neighbour is kept, else the first one. */
function withoutRepeats(rows: readonly Identified[], order: Order<unknown>) {
  const kept = new Map<string, number>();
  const repeatedIds = new Set<string>();
  rows.forEach(({ id }, index) => {
    if (!kept.has(id)) return kept.set(id, index);
    repeatedIds.add(id);
    const known = order.get(id)?.index ?? UNKNOWN;
    const previous = order.get(rows[index - 1]!.id)?.index ?? UNKNOWN;
    return known > 0 && previous === known - 1 ? kept.set(id, index) : kept;
  });
  if (repeatedIds.size === 0) return { rows, repeatedIds, repeated: 0 };
  return {
    rows: rows.filter(({ id }, index) => kept.get(id) === index),
    // Where the order knows the row, the occurrence that fits it counts like any other row.
    repeatedIds: new Set([...repeatedIds].filter((id) => (order.get(id)?.index ?? UNKNOWN) < 0)),
    repeated: rows.length - kept.size,
  };
}

function problemIn(
  { limit }: PageQuery,
  { rows, has_more }: Page<unknown>,
  repeated: number,
): Problem | undefined {
  if (rows.length > limit)
    return { text: `${rows.length} rows for a limit of ${limit}`, breaks: 'cursor and limit' };
  if (rows.length === 0 && has_more === true)
    return { text: 'empty page that says there is more', breaks: 'empty is the end' };
  return repeated > 0 ? { text: 'a row twice in one page' } : undefined;
}
