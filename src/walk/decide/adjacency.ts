// When a gap counts as settled: enough votes, enough weight for the fault rate seen so far, and a clear lead.
import type { Claims, Gap } from '../evidence/count.ts';
import type { Evidence } from '../evidence/evidence.ts';

/**
 * What the evidence must reach. `votes` is the minimum a gap that reads are planned for, `toFreeze` the minimum to give
 * it out, `weight` in nats: ln(N/ε). `alike` is what a vote of a read is worth (nats) against answers that share one
 * state, 0 where nothing looks like them; a vote of the witness is worth its own fault rate. `prevailing`: most faults are stale
 * answers.
 */
export type Bar = {
  votes: number;
  toFreeze: number;
  weight: number;
  inside: number;
  cursor: number;
  edge: number;
  witness: number;
  tainted: number;
  alike: number;
  apart: number;
  prevailing: boolean;
  /** Votes for a pair whose positions leave room or fall. */
  jump: number;
  ends: number;
};

/** Least votes without positions; where answers may share a stale state; the most such a service can drive it to. */
const LEAST = 2;
const WARY = 3;
const MOST = 6;
/** Share of stale answers from which on they prevail; share of common omissions that chance does not explain. */
const PREVAILING = 0.06;
/** After so many reads one stale answer and no fault of another kind is a sign as well. */
const MANY_READS = 24;
const SHARED = 0.1;
/** Chances to share an omission that clear stale answers of sharing a state. */
const CHANCES = 12;
/** Rows over which a stale answer shows itself as soon as one honest read overlaps it. */
const STRETCH = 64;
/** An edge is one gap, not N: reads that say so, at least. */
const EDGE_VOTES = 3;
/** So few reads say little about how often the service lies: an edge needs two votes more. */
const FEW_READS = 16;
const EDGE_WEIGHT = -Math.log(0.01);
/** Pairs without a fault that a walk believes in before it has seen any. */
const PRIOR = 200;
/** Votes for a pair whose positions leave room or fall, where nearly all others are one apart. */
const DOUBTED = 3;
/** More of them at once look like one stale state. */
const FEW_JUMPS = 3;
/** A gap that some read had reversed needs so many votes more. */
const REVERSED_LEAD = 2;

/** −ln q for a fault rate estimated from what was seen, with half a fault in `prior` claims added. */
const weightOf = ({ claims, wrong }: Claims, prior = 1): number =>
  Math.max(0, -Math.log(Math.min(1, (wrong + 0.5) / (claims + prior))));

/**
 * The bar for a walk that knows `rows` rows, aims at a chance ε of any wrong gap and made `reads` reads. Where stale
 * answers prevail among the faults they are taken to share one state until their omissions prove otherwise: the minimum
 * rises until the chance that all votes for a gap share it is small.
 */
export function barOf(evidence: Evidence<unknown>, rows: number, reads: number, epsilon: number): Bar {
  const { rates, suspicion } = evidence;
  const stale = (suspicion.stale + 0.5) / (reads + 1);
  const { shared, chances, others } = suspicion;
  const many = suspicion.stale >= 2 ? stale > PREVAILING : suspicion.stale > 0 && reads >= MANY_READS;
  const prevailing = many && suspicion.stale > others;
  const cleared = chances >= CHANCES && shared <= SHARED * chances;
  const convicted = shared >= 4 && shared > 2 * SHARED * chances;
  const open = prevailing && !cleared && !convicted;
  const alike = Math.ceil(Math.log(rows / STRETCH / epsilon) / -Math.log(Math.min(0.5, stale)));
  const high = Math.min(MOST, Math.max(WARY + 1, alike));
  // While the question is open, reads that may answer it are worth more than votes.
  const votes = convicted || (open && evidence.ends.size > 0) ? high : open ? WARY : LEAST;
  const edge = weightOf(rates.edge);
  return {
    votes,
    toFreeze: convicted || open ? high : LEAST,
    weight: Math.log(Math.max(rows, 100) / epsilon),
    inside: weightOf(rates.inside, PRIOR),
    cursor: weightOf(rates.cursor),
    edge,
    witness: weightOf(rates.witness, PRIOR),
    tainted: cleared ? weightOf(rates.tainted) : 0,
    jump: !evidence.isDense ? 0 : evidence.jumps > FEW_JUMPS ? MOST : DOUBTED,
    prevailing: prevailing || convicted,
    apart: suspicion.accomplices > 0 ? 0 : weightOf(rates.witness, PRIOR),
    alike: convicted || open ? -Math.log(Math.min(0.5, stale)) : 0,
    ends: Math.max(
      reads < FEW_READS ? EDGE_VOTES + 2 : EDGE_VOTES,
      votes,
      Math.min(MOST, Math.ceil(EDGE_WEIGHT / Math.max(edge, 0.5))),
    ),
  };
}

/** The chance, in nats, that all votes for the gap are wrong alike. */
export function weightFor({ inside, cursor, tainted, witness }: Gap, bar: Bar): number {
  return inside * bar.inside + cursor * bar.cursor + tainted * bar.tainted + witness * bar.witness;
}

/**
 * Whether the gap is settled once `read` further reads and `told` answers of the witness agree with it. Where positions
 * are one apart nothing can be missing, so one vote will do where no read denies it.
 */
export function isSettled(gap: Gap, bar: Bar, read = 0, told = 0): boolean {
  const reads = gap.inside + gap.cursor + read;
  const witness = gap.witness + told;
  const votes = reads + witness + (gap.dense ? gap.tainted : 0);
  if (votes < gap.rival + 1 && !(gap.dense && votes >= gap.rival)) return false;
  if (gap.reversed > 0 && votes < gap.reversed + (gap.dense ? 1 : REVERSED_LEAD)) return false;
  if (gap.dense) return votes >= 1;
  if (votes < bar.jump) return false;
  const apart = reads >= LEAST && reads * bar.alike + witness * bar.apart >= MOST * bar.alike;
  if (votes < bar.votes && !(bar.alike > 0 && bar.apart > 0 && apart)) return false;
  return weightFor(gap, bar) + read * bar.inside + told * bar.witness >= bar.weight;
}
