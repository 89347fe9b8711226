// Turns a page into a read: its rows as places, cut to the range of the walk, and what is wrong with it on its face.
import { BEHIND, START, type Order, type Place } from '../order/order.ts';
import { directionOf, type Read } from './read.ts';
import type { Seen } from '../order/id-set.ts';
import type { Identified, Page, PageQuery } from '../source.ts';

/** Rows by which a frontier read overlaps what is known: every gap is inside some page. */
export const OVERLAP = 2;

/**
 * What is known of the list besides its rows. `origin` and `stop` are the exclusive ends of the walk, `hasMore` says
 * whether the word of that name tells a short page from an end: a service may always say true.
 */
export type Range = { origin: string; stop: string | undefined; hasMore: 'telling' | 'empty' };

/** `read` is undefined for a page that is not believed at all. `repeated` counts rows it should not hold. */
export type Intake<Row> = { read?: Read<Row>; trouble?: string; repeated: number };

export function intake<Row extends Identified>(
  query: PageQuery,
  page: Page<Identified>,
  order: Order<Row>,
  seen: Seen,
  range: Range,
  { surface, drained }: Pick<Read<Row>, 'surface' | 'drained'>,
): Intake<Row> {
  const direction = directionOf(query);
  const { rows, doubled, repeated } = single(page.rows, order);
  const ids = rows.map((row) => row.id);
  const ended = page.rows.length < query.limit && (range.hasMore === 'empty' || page.has_more !== true);
  const shifted = ids.some((id) => id === query.after || id === query.before);
  const from = range.origin === START ? 0 : ids.indexOf(range.origin) + 1;
  const stop = range.stop === undefined ? -1 : ids.indexOf(range.stop);
  const stopped = stop >= from;
  const inRange = rows.slice(from, stopped ? stop + 1 : undefined);

  const headId = shifted || from > 0 ? undefined : headOf(query, range, ended);
  const overlaps = headId === START || inRange.some(({ id }) => (order.find(id)?.at ?? NOTHING) >= 0);
  const anchor = query.after === undefined ? 0 : (order.find(query.after)?.at ?? 0);
  const atEnd = direction !== 'backward' && anchor >= order.list.length - 1 - 2 * OVERLAP;
  const trouble = shifted ? 'its own cursor in the page' : faceTrouble(query, page, repeated);
  const told = trouble === undefined ? {} : { trouble };
  if (inRange.length > 0 && !overlaps && (direction === 'backward' || !atEnd))
    return { trouble: trouble ?? 'no overlap with what is known', repeated };

  const chain = inRange.map((row) => placeOf(row, order, seen, surface === 'list' && row.id !== range.stop));
  const again = chain.filter(({ at }) => at === BEHIND).length;
  const footId =
    shifted || stopped || direction === 'forward' || (direction === 'closed' && !ended)
      ? undefined
      : query.before;
  const head = headId === undefined ? undefined : order.find(headId);
  const foot =
    footId === undefined ? undefined : footId === range.stop ? order.intern(footId) : order.find(footId);
  return {
    ...told,
    ...(again > 0 && trouble === undefined ? { trouble: 'rows that are frozen' } : {}),
    repeated,
    read: {
      query,
      surface,
      chain: [...(head === undefined ? [] : [head]), ...chain, ...(foot === undefined ? [] : [foot])],
      head: head !== undefined,
      foot: foot !== undefined,
      ends: direction === 'forward' && ended && !shifted && !stopped && again === 0,
      drained,
      doubled: new Set([...doubled].flatMap((id) => order.find(id) ?? [])),
    },
  };
}

const NOTHING = -1;

function headOf(query: PageQuery, { origin }: Range, ended: boolean): string | undefined {
  if (directionOf(query) !== 'backward') return query.after ?? START;
  return ended && origin === START ? START : undefined;
}

function placeOf<Row extends Identified>(
  row: Identified,
  order: Order<Row>,
  seen: Seen,
  keeps: boolean,
): Place<Row> {
  const known = order.find(row.id);
  if (known === undefined && seen.has(row.id))
    return { id: row.id, row: undefined, rank: undefined, at: BEHIND, gone: false };
  const place = known ?? order.intern(row.id);
  if (place.at < order.frozen && place.at >= 0) return place;
  if (!keeps) return place;
  place.row = row as Row;
  const { sequence } = row as { sequence?: unknown };
  place.rank = Number.isSafeInteger(sequence) ? (sequence as number) : undefined;
  return place;
}

/** Of a row that comes twice the occurrence stays that has its known neighbour before it, else the first one. */
function single(rows: readonly Identified[], order: Order<unknown>) {
  const at = new Map<string, number>();
  const doubled = new Set<string>();
  rows.forEach(({ id }, index) => {
    if (!at.has(id)) return at.set(id, index);
    doubled.add(id);
    const place = order.find(id)?.at ?? NOTHING;
    const before = order.find(rows[index - 1]!.id)?.at ?? NOTHING;
    return place > 0 && before === place - 1 ? at.set(id, index) : at;
  });
  if (doubled.size === 0) return { rows, doubled, repeated: 0 };
  return {
    rows: rows.filter(({ id }, index) => at.get(id) === index),
    // Where the order knows the row, the occurrence that fits is as good as any other.
    doubled: new Set([...doubled].filter((id) => (order.find(id)?.at ?? NOTHING) < 0)),
    repeated: rows.length - at.size,
  };
}

function faceTrouble({ limit }: PageQuery, { rows, has_more }: Page<unknown>, repeated: number) {
  if (rows.length > limit) return `${rows.length} rows for a limit of ${limit}`;
  if (rows.length === 0 && has_more === true) return 'empty page that says there is more';
  return repeated > 0 ? 'a row twice in one page' : undefined;
}
