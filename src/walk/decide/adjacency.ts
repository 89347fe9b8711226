// Decides whether an adjacency is accepted: the thresholds, and the rules that compare the evidence with them.
import type { AdjacencyEvidence, ClaimCounts, Claims } from '../evidence/claims.ts';
import type { StaleSigns } from '../evidence/stale-answers.ts';

/**
 * What the evidence for one adjacency (row A directly before row B) must reach before the walk accepts it. See "Deciding
 * an adjacency" in ../README.md. Log-odds are natural logarithms: −ln of the probability that a claim is wrong.
 */
export type Thresholds = {
  /** Reads that must agree before no more reads of this adjacency are planned. */
  minVotes: number;
  /** Reads that must agree before the rows are written out. At least `minVotes`. */
  minVotesToFreeze: number;
  /** Required log-odds: ln(N / ε) for N rows and an accepted error probability ε. */
  minLogOdds: number;
  /** Log-odds that one vote adds, by what makes it ({@link AdjacencyEvidence}). */
  insideLogOdds: number;
  cursorLogOdds: number;
  suspectLogOdds: number;
  crossCheckLogOdds: number;
  /** Log-odds that one claim about an end of the list adds. */
  edgeLogOdds: number;
  /** Log-odds that one more read adds when stale answers may share one snapshot; 0 when none was seen. */
  staleReadLogOdds: number;
  /** Log-odds that a cross-check adds against such a snapshot; 0 when the cross-check source was seen to share it. */
  independentCrossCheckLogOdds: number;
  /** Whether most faults are stale answers. */
  staleReadsPrevail: boolean;
  /** Votes for an adjacency whose positions are not consecutive in a list where nearly all are; else 0. */
  minVotesAcrossPositionGap: number;
  /** Reads that must agree on the end of the list. */
  minEndReads: number;
};

/** What {@link thresholdsFor} needs to know about the walk so far. */
export type WalkEvidence = {
  claims: ClaimCounts;
  staleSigns: StaleSigns;
  /** Requests whose answers claim the end of the list. */
  endReads: { size: number };
  hasDensePositions: boolean;
  positionGaps: number;
};

/**
 * Also the votes that the first row (one more), the end of the list, the limit of reads without progress and cross-checks
 * against a stale snapshot start from. Must not exceed {@link MIN_VOTES_WHILE_OPEN}.
 */
const MIN_VOTES = 2;
/** While it is open whether stale answers share a snapshot. */
const MIN_VOTES_WHILE_OPEN = 3;
const MAX_MIN_VOTES = 6;
/** Share of reads that look stale from which on stale answers are the likely fault. */
const MIN_STALE_SHARE = 0.06;
/** Reads after which a single stale answer, with no other fault beside it, is a sign as well. */
const MIN_READS_FOR_SINGLE_SIGN = 24;
/** Opportunities to omit the same row after which stale answers that rarely did are independent. */
const MIN_SHARING_CHANCES = 12;
/** Share of these opportunities up to which common omissions are chance. */
const MAX_CHANCE_SHARE = 0.1;
/** Common omissions that prove a shared snapshot, where they are also more than twice the share above. */
const MIN_SHARED_OMISSIONS = 4;
/** Rows over which one honest read contradicts a stale answer. */
const STALE_STRETCH_ROWS = 64;
/** No fault rate is taken to be worse than this one where stale answers are weighed. */
const MAX_STALE_RATE = 0.5;
const MIN_END_READS = 3;
/** Reads below which the fault rate is hardly known: an end of the list then needs two reads more. */
const MIN_READS_FOR_FAULT_RATE = 16;
const EXTRA_EARLY_END_READS = 2;
/** The end of the list is one claim, not N: a chance of 1 % is accepted, as far as {@link MAX_MIN_VOTES} reads reach it. */
const END_LOG_ODDS = -Math.log(0.01);
const MIN_EDGE_LOG_ODDS = 0.5;
/** Correct claims that the walk assumes before it has seen any, besides half a wrong one. */
const PRIOR_CLAIMS = 200;
/** Rows below which the required log-odds stop falling. */
const MIN_ROWS_FOR_LOG_ODDS = 100;
const MIN_VOTES_ACROSS_POSITION_GAP = 3;
/** Gaps in dense positions up to which they are deletions; more look like one stale snapshot. */
const MAX_POSITION_GAPS = 3;
/** Votes that an adjacency must have more than reads that show it reversed. */
const MIN_LEAD_OVER_REVERSED = 2;
const MIN_CONSECUTIVE_LEAD_OVER_REVERSED = 1;

/** Returns −ln of the estimated fault rate, with half a wrong claim in `prior` claims added to what was seen. */
const logOddsOfClaims = ({ claims, wrong }: Claims, prior = 1): number =>
  Math.max(0, -Math.log(Math.min(1, (wrong + 0.5) / (claims + prior))));

/**
 * Returns the thresholds for a walk that knows `rows` rows and made `reads` reads, with the accepted probability
 * `epsilon` of any wrong adjacency. Where stale answers prevail among the faults they are taken to share one snapshot
 * until their omissions show that they do not.
 */
export function thresholdsFor(
  evidence: WalkEvidence,
  rows: number,
  reads: number,
  epsilon: number,
): Thresholds {
  const { claims } = evidence;
  const { staleReads, otherFaultyReads, sharedOmissions, sharingChances } = evidence.staleSigns;
  const staleRate = (staleReads + 0.5) / (reads + 1);
  const isFrequent =
    staleReads >= 2 ? staleRate > MIN_STALE_SHARE : staleReads > 0 && reads >= MIN_READS_FOR_SINGLE_SIGN;
  const isLikely = isFrequent && staleReads > otherFaultyReads;
  const isIndependent =
    sharingChances >= MIN_SHARING_CHANCES && sharedOmissions <= MAX_CHANCE_SHARE * sharingChances;
  const isShared =
    sharedOmissions >= MIN_SHARED_OMISSIONS && sharedOmissions > 2 * MAX_CHANCE_SHARE * sharingChances;
  const isOpen = isLikely && !isIndependent && !isShared;
  const staleReadLogOdds = -Math.log(Math.min(MAX_STALE_RATE, staleRate));
  const votesAgainstSnapshot = Math.min(
    MAX_MIN_VOTES,
    Math.max(
      MIN_VOTES_WHILE_OPEN + 1,
      Math.ceil(Math.log(rows / STALE_STRETCH_ROWS / epsilon) / staleReadLogOdds),
    ),
  );
  // While the question is open, reads elsewhere answer it better than more votes here.
  const minVotes =
    isShared || (isOpen && evidence.endReads.size > 0)
      ? votesAgainstSnapshot
      : isOpen
        ? MIN_VOTES_WHILE_OPEN
        : MIN_VOTES;
  const edgeLogOdds = logOddsOfClaims(claims.edge);
  const crossCheckLogOdds = logOddsOfClaims(claims.crossCheck, PRIOR_CLAIMS);
  return {
    minVotes,
    minVotesToFreeze: isShared || isOpen ? votesAgainstSnapshot : MIN_VOTES,
    minLogOdds: Math.log(Math.max(rows, MIN_ROWS_FOR_LOG_ODDS) / epsilon),
    insideLogOdds: logOddsOfClaims(claims.inside, PRIOR_CLAIMS),
    cursorLogOdds: logOddsOfClaims(claims.cursor),
    suspectLogOdds: isIndependent ? logOddsOfClaims(claims.suspect) : 0,
    crossCheckLogOdds,
    edgeLogOdds,
    staleReadLogOdds: isShared || isOpen ? staleReadLogOdds : 0,
    independentCrossCheckLogOdds: evidence.staleSigns.crossCheckMatches > 0 ? 0 : crossCheckLogOdds,
    staleReadsPrevail: isLikely || isShared,
    minVotesAcrossPositionGap: !evidence.hasDensePositions
      ? 0
      : evidence.positionGaps > MAX_POSITION_GAPS
        ? MAX_MIN_VOTES
        : MIN_VOTES_ACROSS_POSITION_GAP,
    minEndReads: Math.max(
      reads < MIN_READS_FOR_FAULT_RATE ? MIN_END_READS + EXTRA_EARLY_END_READS : MIN_END_READS,
      minVotes,
      Math.min(MAX_MIN_VOTES, Math.ceil(END_LOG_ODDS / Math.max(edgeLogOdds, MIN_EDGE_LOG_ODDS))),
    ),
  };
}

/** Returns the thresholds that rows must meet to be written out, in place of those that end the planning of reads. */
export function thresholdsToFreeze(thresholds: Thresholds): Thresholds {
  return { ...thresholds, minVotes: thresholds.minVotesToFreeze };
}

/** Returns −ln of the probability that all votes for an adjacency are wrong, taken as independent. */
export function logOddsOf(
  { insideVotes, cursorVotes, suspectVotes, crossCheckVotes }: AdjacencyEvidence,
  thresholds: Thresholds,
): number {
  return (
    insideVotes * thresholds.insideLogOdds +
    cursorVotes * thresholds.cursorLogOdds +
    suspectVotes * thresholds.suspectLogOdds +
    crossCheckVotes * thresholds.crossCheckLogOdds
  );
}

/**
 * Returns whether an adjacency is accepted once `pendingReads` more reads and `pendingCrossChecks` more cross-checks agree
 * with it. For the first row of the list see {@link isFirstRowAccepted}.
 */
export function isAccepted(
  adjacency: AdjacencyEvidence,
  thresholds: Thresholds,
  pendingReads = 0,
  pendingCrossChecks = 0,
): boolean {
  const { isConsecutive, rivalVotes, reversedReads } = adjacency;
  const reads = adjacency.insideVotes + adjacency.cursorVotes + pendingReads;
  const crossChecks = adjacency.crossCheckVotes + pendingCrossChecks;
  const votes = reads + crossChecks + (isConsecutive ? adjacency.suspectVotes : 0);
  if (votes < rivalVotes + 1 && !(isConsecutive && votes >= rivalVotes)) return false;
  const lead = isConsecutive ? MIN_CONSECUTIVE_LEAD_OVER_REVERSED : MIN_LEAD_OVER_REVERSED;
  if (reversedReads > 0 && votes < reversedReads + lead) return false;
  // No row can stand between two consecutive positions, so one vote is enough.
  if (isConsecutive) return votes >= 1;
  if (votes < thresholds.minVotesAcrossPositionGap) return false;
  if (votes < thresholds.minVotes && !outweighSnapshot(reads, crossChecks, thresholds)) return false;
  const pendingLogOdds =
    pendingReads * thresholds.insideLogOdds + pendingCrossChecks * thresholds.crossCheckLogOdds;
  return logOddsOf(adjacency, thresholds) + pendingLogOdds >= thresholds.minLogOdds;
}

/** Returns whether independent cross-checks make up for the reads that a shared stale snapshot would ask for. */
function outweighSnapshot(
  reads: number,
  crossChecks: number,
  { staleReadLogOdds, independentCrossCheckLogOdds }: Thresholds,
): boolean {
  if (staleReadLogOdds === 0 || independentCrossCheckLogOdds === 0 || reads < MIN_VOTES) return false;
  const logOdds = reads * staleReadLogOdds + crossChecks * independentCrossCheckLogOdds;
  return logOdds >= MAX_MIN_VOTES * staleReadLogOdds;
}

/**
 * Returns whether the first row of the list is accepted as such with `startVotes` reads that say so, pending ones included.
 * No page shows a row before it, so it needs one vote more than other rows.
 */
export function isFirstRowAccepted(
  { isConsecutive, rivalVotes }: AdjacencyEvidence,
  startVotes: number,
  { minVotes }: Thresholds,
): boolean {
  return startVotes >= Math.max(isConsecutive ? 1 : minVotes + 1, rivalVotes + 1);
}
