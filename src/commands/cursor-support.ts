// Which cursors a list follows, told from a handful of its answers: a service may know none, or take no two together.
import { Fault } from '../faults.ts';
import type { Direction, Identified, PageQuery, Source } from '../walk/source.ts';

/** Rows of one of these reads. */
const SAMPLE = 10;
/** Questions of one kind before its answers are believed: a page may lie. */
const TRIES = 3;
/** Statuses that say: not with this parameter, or not with this value of it. */
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 405, 410, 422, 501]);

/**
 * The wanted directions in which the list can be read, in four requests where it is honest; none where it knows no
 * cursor at all. An empty list is taken to know them. Throws what the very first page does, and faults that refuse no cursor.
 */
export async function detectDirections<Row extends Identified>(
  source: Source<Row>,
  signal: AbortSignal,
  wanted: readonly Direction[] = ['forward', 'backward', 'closed'],
): Promise<Set<Direction>> {
  const ask = async (query: PageQuery): Promise<string[] | undefined> => {
    try {
      return (await source.page(query, signal)).rows.map(({ id }) => id);
    } catch (error) {
      if (error instanceof Fault && REFUSALS.has(error.detail.status ?? 0)) return undefined;
      throw error;
    }
  };
  /** Whether one of the answers is what an honest one can be; what was refused once is refused again. */
  const follows = async (queries: PageQuery[], isHonest: (ids: string[], query: PageQuery) => boolean) => {
    for (const query of queries.slice(0, TRIES)) {
      const ids = await ask(query);
      if (ids === undefined) return undefined;
      if (isHonest(ids, query)) return ids;
    }
    return undefined;
  };

  const first = (await source.page({ limit: SAMPLE }, signal)).rows.map(({ id }) => id);
  if (first.length === 0) return new Set(wanted);
  const next = await follows(
    first.toReversed().map((after) => ({ after, limit: SAMPLE })),
    (ids, { after }) => !ids.includes(after!),
  );
  if (next === undefined) return new Set();
  const known = [...new Set([...first, ...next])];
  const lasts = known.toReversed();
  /** The rows on both sides of a cursor tell whether it was followed; the page before the first row is empty. */
  const endsBefore = (ids: string[], { before }: PageQuery): boolean => {
    const at = known.indexOf(before!);
    return !ids.includes(before!) && (at === 0 || ids.includes(known[at - 1]!));
  };
  const liesBetween = (ids: string[], { after, before }: PageQuery): boolean =>
    !ids.includes(before!) && !ids.includes(after!) && (known.length < 3 || ids.includes(known[1]!));
  const [after = ''] = known;
  const asked: [Direction, PageQuery[], typeof endsBefore][] = [
    ['backward', lasts.map((before) => ({ before, limit: SAMPLE })), endsBefore],
    ['closed', lasts.map((before) => ({ after, before, limit: SAMPLE })), liesBetween],
  ];
  const found = new Set<Direction>(['forward']);
  for (const [direction, queries, isHonest] of asked) {
    const isAsked = wanted.includes(direction);
    if (isAsked && (await follows(queries, isHonest)) !== undefined) found.add(direction);
  }
  return found;
}
