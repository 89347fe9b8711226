// When a gap counts as settled: enough votes, enough weight for the fault rate seen so far, and a clear lead.
import type { Claims, Evidence, Gap } from './evidence.ts';

/** What the evidence must reach. `votes` is the minimum a gap, `weight` in nats: ln(N/ε). */
export type Bar = { votes: number; weight: number; inside: number; cursor: number; edge: number; ends: number };

/** Least votes without positions; where stale answers prevail; the most a colluding service can drive it to. */
const LEAST = 2;
const WARY = 3;
const MOST = 7;
/** An edge is one gap, not N: reads that say so, at least. */
const EDGE_VOTES = 3;
/** A gap that some read had reversed needs so many votes more. */
const REVERSED_LEAD = 2;

/** −ln q for a fault rate estimated from what was seen, with half a fault and one claim added. */
const weightOf = ({ claims, wrong }: Claims): number =>
  Math.max(0, -Math.log(Math.min(1, (wrong + 0.5) / (claims + 1))));

/**
 * The bar for a walk that knows `rows` rows, aims at a chance ε of any wrong gap and made `reads` reads. Rows passed
 * over by several reads are the sign of answers that share one stale state: they raise the minimum until the chance
 * that all votes for a gap share it is small too.
 */
export function barOf(evidence: Evidence<unknown>, rows: number, reads: number, epsilon: number): Bar {
  const { rates, staleReads, omittedTwice } = evidence;
  const stale = (staleReads + 0.5) / (reads + 1);
  const colluding = omittedTwice >= 2;
  const prevailing = staleReads >= 2 && stale > 0.08;
  const shared = Math.ceil(Math.log((rows / 32) / epsilon) / -Math.log(Math.min(0.5, stale)));
  const votes = colluding ? Math.min(MOST, Math.max(WARY + 1, shared)) : prevailing ? WARY : LEAST;
  const edge = weightOf(rates.edge);
  return {
    votes,
    weight: Math.log(Math.max(rows, 100) / epsilon),
    inside: weightOf(rates.inside),
    cursor: weightOf(rates.cursor),
    edge,
    ends: Math.max(EDGE_VOTES, votes, Math.min(MOST, Math.ceil(-Math.log(epsilon) / Math.max(edge, 0.5)))),
  };
}

/** The chance, in nats, that all votes for the gap are wrong alike. */
export function weightFor({ inside, cursor }: Gap, bar: Bar): number {
  return inside * bar.inside + cursor * bar.cursor;
}

/**
 * Whether the gap is settled once `more` further reads agree with it. `consecutive` rows show positions one apart:
 * between them nothing can be missing, so one vote will do where no read denies it.
 */
export function isSettled(gap: Gap, bar: Bar, consecutive: boolean, more = 0): boolean {
  const votes = gap.inside + gap.cursor + more;
  if (votes < gap.rival + 1 && !(consecutive && votes >= gap.rival)) return false;
  if (gap.reversed > 0 && votes < gap.reversed + (consecutive ? 1 : REVERSED_LEAD)) return false;
  if (consecutive) return votes >= 1;
  return votes >= bar.votes && weightFor(gap, bar) + more * bar.inside >= bar.weight;
}
