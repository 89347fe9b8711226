// How the accepted probability of a wrong list is divided among its pages and its two ends.

/** Share of all adjacencies together in the accepted probability. */
const ADJACENCIES_SHARE = 0.8;
/** Share of each of the two ends. */
export const EDGE_SHARE = (1 - ADJACENCIES_SHARE) / 2;
/** Pages of which each gets about the same share while the end is unknown; later ones get less and less, so the sum is bounded. */
const EVEN_PAGES = 50;

/** What the budget depends on. */
export type ListSize = {
  /** Accepted probability that anything in the list is wrong. */
  epsilon: number;
  /** Rows of a page. */
  pageRows: number;
  /** Rows that are frozen, and rows known after them. */
  frozenRows: number;
  openRows: number;
  isEndKnown: boolean;
  /** Probability of an error that the frozen rows have used up. */
  spent: number;
};

/**
 * Returns the log-odds that one adjacency must reach. `openLogOdds`: those of the adjacencies that are not frozen. The faults of one read are wrong together, so the accepted probability
 * is divided by pages, not by rows. While the end is unknown page n gets 50 / ((n + 50)(n + 51)) of it: the sum over all n is 1.
 */
export function requiredForAdjacency(size: ListSize, openLogOdds: () => Iterable<number>): number {
  const { epsilon, pageRows, frozenRows, openRows, isEndKnown, spent } = size;
  const budget = ADJACENCIES_SHARE * epsilon;
  const page = frozenRows / pageRows;
  const byPage = (budget * EVEN_PAGES) / ((page + EVEN_PAGES) * (page + EVEN_PAGES + 1));
  if (!isEndKnown) return -Math.log(byPage);
  const openPages = Math.max(1, openRows / pageRows);
  const even = -Math.log(Math.max(byPage, (budget - spent) / openPages));
  return Math.min(even, leastAffordable(openLogOdds(), (budget - spent) * pageRows));
}

/**
 * Returns the lowest log-odds that can be accepted wherever they, or higher ones, stand: the errors of all these adjacencies add
 * up to at most `errors`. What most adjacencies do not need of the budget goes to the others.
 */
function leastAffordable(logOdds: Iterable<number>, errors: number): number {
  let [least, sum] = [Infinity, 0];
  let [equal, sumOfEqual] = [Infinity, 0];
  const accept = (): void => {
    if (sum + sumOfEqual <= errors) least = Math.min(least, equal);
    sum += sumOfEqual;
  };
  // Adjacencies with equal log-odds are accepted together or not at all.
  for (const odds of [...logOdds].sort((a, b) => b - a)) {
    if (odds !== equal) {
      accept();
      if (sum > errors) return least;
      [equal, sumOfEqual] = [odds, 0];
    }
    sumOfEqual += Math.exp(-odds);
  }
  accept();
  return least;
}

/** Returns the log-odds that the start, or the end, must reach. */
export function requiredForEdge(epsilon: number): number {
  return -Math.log(EDGE_SHARE * epsilon);
}
