// Which read to make next: never the same request twice at one frontier, so that a lie that clings to a request shows.
import { EDGE } from './evidence.ts';
import type { PageQuery } from './source.ts';

/** Where a walk stands. `anchors` are the last frozen rows, the frontier last; `lead` the likeliest rows after it. */
export type Standing = {
  anchors: readonly string[];
  lead: readonly string[];
  /** Rows asked for; `width` is what is left of it after disagreements. */
  limit: number;
  width: number;
  stop: string | undefined;
  endClaimed: boolean;
  /** Whether a read in place was contradicted. */
  troubled: boolean;
};

export function keyOf(query: PageQuery): string {
  return JSON.stringify([query.after ?? null, query.before ?? null, query.limit]);
}

/** The first useful read that was not made yet; undefined where none is left. */
export function nextRead(standing: Standing, made: ReadonlySet<string>): PageQuery | undefined {
  for (let turn = 0; turn < 16; turn++)
    for (const query of standing.lead.length > 0 ? verifying(standing, turn) : searching(standing, turn))
      if (query.limit >= 1 && !made.has(keyOf(query))) return query;
  return undefined;
}

/** Small pages may be asked for a little larger, so that even a walk of single rows can vary its reads. */
const LEAST_CEILING = 8;

/** The lead is confirmed from its far side first, overlapping the frontier by one row; then by other cuts of it. */
function verifying({ anchors, lead, limit, width, stop, troubled }: Standing, turn: number): PageQuery[] {
  const near = lead.slice(0, width);
  const last = near.at(-1)!;
  const after = anchors.at(-1) ?? EDGE;
  const cut = Math.max(1, Math.floor(near.length / (turn + 2)));
  const sized = (rows: number) => Math.min(rows, Math.max(limit, LEAST_CEILING));
  const backward = { before: last, limit: sized(near.length + turn) };
  const closed = forward(after, last, sized(near.length + turn));
  const others = [
    forward(after, stop, sized(Math.abs(width - turn) + 1)),
    { before: near[cut - 1]!, limit: sized(cut + 1 + turn) },
  ];
  // A short rest of a window is settled along with the rows after it, and from further back.
  if (near.length < limit / 2) {
    const further = anchors.slice(0, -1).map((anchor) => forward(anchor, stop, sized(limit - turn)));
    return [forward(after, stop, sized(limit - turn)), ...others, backward, closed, ...further];
  }
  // A closed read costs least, but asks about the lead only: it cannot mend one that was denied.
  return troubled ? [backward, ...others, closed] : [backward, closed, ...others];
}

/** Ahead of everything known; once an end was claimed, from other anchors too, so that the end shows in several windows. */
function searching({ anchors, limit, stop, endClaimed }: Standing, turn: number): PageQuery[] {
  const newestFirst = anchors.length === 0 ? [EDGE] : anchors.toReversed();
  const size = limit - turn >= 1 ? limit - turn : limit + turn;
  return (endClaimed || turn > 0 ? newestFirst : newestFirst.slice(0, 1)).map((anchor, index) =>
    // An anchor further back must leave room for the rows between it and the frontier, or the page is not short.
    forward(anchor, stop, Math.max(size, index + 1)),
  );
}

/** From the very start a lone `before` would read backward (interface 4.7): there the walk cuts the page itself. */
function forward(after: string, before: string | undefined, limit: number): PageQuery {
  if (after === EDGE) return { limit };
  return { after, ...(before === undefined ? {} : { before }), limit: Math.max(1, limit) };
}
