// Says what led a judged walk to a wrong row: where the row stands, and how many answers showed it so.
import { rowsInRange, type JudgedWalk } from './judged-walk.ts';

/** Counts of answers for one pair of neighbours. */
type Votes = { pages: number; stale: number; cursors: number; crossChecks: number };

/** Returns the reason in one line; undefined for a walk without a wrong row. */
export function whatFooled({ problem, list, frozen, range }: JudgedWalk): string | undefined {
  if (problem === undefined || /is late|the walk threw/.test(problem)) return problem;
  const ever = rowsInRange(list.states, range);
  const index = new Map(ever.map((id, at) => [id, at]));
  const written = new Set(list.states.writes.map(({ id }) => id));
  const steady = ever.filter((id) => !written.has(id));
  const rightBefore = new Map(steady.map((id, at) => [id, steady[at - 1]]));
  const wrongAt = frozen.findIndex((id, at) => {
    const expected = rightBefore.get(id);
    const shown = frozen.slice(0, at).findLast((other) => !written.has(other));
    return !written.has(id) && (!index.has(id) || expected !== shown);
  });
  if (wrongAt === -1) {
    const end = frozen.at(-1);
    return `${problem}: at the end; ${describe(votesFor(list, end, range.before))} show the end there`;
  }
  const [left, right] = [frozen[wrongAt - 1] ?? range.after, frozen[wrongAt]];
  const place = wrongAt === 0 ? 'first row' : wrongAt >= frozen.length - 1 ? 'last row' : 'inside';
  // A dead row stands between two rows that are neighbours.
  const isDead = right !== undefined && !index.has(right);
  const rightPair = isDead ? [left, frozen[wrongAt + 1]] : [rightBefore.get(right ?? ''), right];
  return [
    `${problem}: ${place} (${wrongAt} of ${frozen.length})`,
    `wrong pair shown by ${describe(votesFor(list, left, right))}`,
    `right pair by ${describe(votesFor(list, rightPair[0], rightPair[1]))}`,
  ].join('; ');
}

/** Counts the answers that show `right` directly after `left`; undefined is the start or the end of the list. */
function votesFor(list: JudgedWalk['list'], left: string | undefined, right: string | undefined): Votes {
  const votes: Votes = { pages: 0, stale: 0, cursors: 0, crossChecks: 0 };
  for (const { surface, query, ids, fault } of list.answers) {
    if (ids === undefined) continue;
    const isBackward = query.after === undefined && query.before !== undefined;
    const isCursorPair =
      right === undefined
        ? !isBackward &&
          query.before === undefined &&
          ids.length < query.limit &&
          (ids.at(-1) ?? query.after) === left
        : (!isBackward && query.after === left && ids[0] === right) ||
          (isBackward && query.before === right && ids.at(-1) === left);
    const isShown = ids.some((id, at) => id === right && ids[at - 1] === left && at > 0);
    if (!isShown && !isCursorPair) continue;
    if (surface === 'cross-check') votes.crossChecks++;
    else if (fault === 'stale') votes.stale++;
    else if (isShown) votes.pages++;
    else votes.cursors++;
  }
  return votes;
}

function describe({ pages, stale, cursors, crossChecks }: Votes): string {
  const total = pages + stale + cursors + crossChecks;
  return `${total} answers (${pages} in a page, ${cursors} beside a cursor, ${stale} stale, ${crossChecks} cross-checks)`;
}
