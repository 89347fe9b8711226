// Finds out which cursors a list supports, by a few requests: a service may ignore cursors, or refuse two in one request.
import { Fault } from '../faults.ts';
import type { Direction, Identified, PageQuery, Source } from '../walk/source.ts';

/** Rows that each of these requests asks for. */
const SAMPLE_ROWS = 10;
/** Requests for each direction before it counts as unsupported: a page may be wrong. */
const MAX_TRIES = 3;
/** Status codes that refuse a parameter or its value. */
const REFUSED_STATUS: ReadonlySet<number> = new Set([400, 404, 405, 410, 422, 501]);

/** Returns whether the ids can be a correct answer to the query. */
type Check = (ids: string[], query: PageQuery) => boolean;

/**
 * Returns which of the wanted directions the list supports; none when it follows no cursor at all. Makes four requests
 * when no answer is wrong. For an empty list it returns all. Throws what the first request throws, and faults that do not
 * refuse a cursor.
 */
export async function detectDirections<Row extends Identified>(
  source: Source<Row>,
  signal: AbortSignal,
  wanted: readonly Direction[] = ['forward', 'backward', 'closed'],
): Promise<Set<Direction>> {
  /** Returns the first answer that can be correct. A refused cursor ends the tries: the next request would be refused too. */
  const firstCorrect = async (queries: PageQuery[], canBeCorrect: Check): Promise<string[] | undefined> => {
    for (const query of queries.slice(0, MAX_TRIES)) {
      const ids = await idsOf(source, query, signal);
      if (ids === undefined) return undefined;
      if (canBeCorrect(ids, query)) return ids;
    }
    return undefined;
  };

  const first = (await source.page({ limit: SAMPLE_ROWS }, signal)).rows.map(({ id }) => id);
  if (first.length === 0) return new Set(wanted);
  const next = await firstCorrect(
    first.toReversed().map((after) => ({ after, limit: SAMPLE_ROWS })),
    (ids, { after }) => !ids.includes(after!),
  );
  if (next === undefined) return new Set();
  const known = [...new Set([...first, ...next])];
  const cursors = known.toReversed();
  /** The page before a row ends with the row before it; the page before the first row is empty. */
  const endsBeforeCursor: Check = (ids, { before }) => {
    const index = known.indexOf(before!);
    return !ids.includes(before!) && (index === 0 || ids.includes(known[index - 1]!));
  };
  const liesBetweenCursors: Check = (ids, { after, before }) =>
    !ids.includes(before!) && !ids.includes(after!) && (known.length < 3 || ids.includes(known[1]!));
  const [after = ''] = known;
  const probes: [Direction, PageQuery[], Check][] = [
    ['backward', cursors.map((before) => ({ before, limit: SAMPLE_ROWS })), endsBeforeCursor],
    ['closed', cursors.map((before) => ({ after, before, limit: SAMPLE_ROWS })), liesBetweenCursors],
  ];
  const found = new Set<Direction>(['forward']);
  for (const [direction, queries, canBeCorrect] of probes) {
    if (!wanted.includes(direction)) continue;
    if ((await firstCorrect(queries, canBeCorrect)) !== undefined) found.add(direction);
  }
  return found;
}

/** Returns the ids of a page; undefined when the service refuses the cursor. */
async function idsOf<Row extends Identified>(
  source: Source<Row>,
  query: PageQuery,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  try {
    return (await source.page(query, signal)).rows.map(({ id }) => id);
  } catch (error) {
    if (error instanceof Fault && REFUSED_STATUS.has(error.detail.status ?? 0)) return undefined;
    throw error;
  }
}
