// The decision about one claim: how sure its evidence makes it, as the natural logarithm of its odds.
import { FORGING_KINDS, type AdjacencyEvidence } from '../evidence/claims.ts';
import type { FaultModel, KindModel } from './fault-model.ts';

/** What is claimed, with its evidence. */
export type Claim =
  | ({ what: 'adjacency' } & AdjacencyEvidence)
  /** The first row of the list: reads that show it first, and reads that show another one first. */
  | {
      what: 'start';
      votes: number;
      rivals: number;
      position: AdjacencyEvidence | undefined;
      /** The row shows position 0, before which there is none. */
      beginsAtZero: boolean;
    }
  /** The last row of the list: different requests that show that nothing follows it. */
  | { what: 'end'; votes: number };

/**
 * Returns −ln of the probability that the claim is wrong although its evidence is as it is. 0 or less: it is as likely
 * wrong as right. It is the one rule by which a walk decides (see "Deciding a claim" in ../README.md).
 */
export function logOddsOf(claim: Claim, model: FaultModel): number {
  if (claim.what === 'end')
    return claim.votes === 0
      ? 0
      : Math.min(againstKind(model.edge, claim.votes), againstKind(model.stale, claim.votes));
  if (claim.what === 'start') {
    const byVotes = againstStart(model, claim.votes) - againstStart(model, claim.rivals);
    // Positions may begin at 0 or at 1, so one read that begins at 1 may lack a row.
    const isBegun = claim.votes >= (claim.beginsAtZero ? 1 : 2);
    return claim.position === undefined || !isBegun
      ? byVotes
      : Math.max(byVotes, byNumbering(claim.position, model));
  }
  const byVotes = votesLogOdds(claim, model) - rivalLogOdds(claim, model);
  const { insideVotes, cursorVotes, crossCheckVotes } = claim;
  const isShown = insideVotes + cursorVotes + crossCheckVotes > 0;
  return isShown ? Math.max(byVotes, byNumbering(claim, model)) : byVotes;
}

/** The probability that this many reads all have one kind of fault, and all make the same wrong claim. */
function againstKind({ allFaulty, allRepeat }: KindModel, votes: number): number {
  return -allFaulty(votes) - allRepeat(votes - 1);
}

/** The likeliest way in which so many reads all show a wrong first row: another one is first, left out, or moved. */
function againstStart({ edge, stale, order }: FaultModel, votes: number): number {
  return votes === 0 ? 0 : Math.min(...[edge, stale, order].map((kind) => againstKind(kind, votes)));
}

/** The likeliest way in which all votes for an adjacency are wrong. */
function votesLogOdds(
  {
    insideVotes,
    taintedVotes,
    cursorVotes,
    crossCheckVotes,
  }: Pick<AdjacencyEvidence, 'insideVotes' | 'taintedVotes' | 'cursorVotes' | 'crossCheckVotes'>,
  model: FaultModel,
): number {
  let least = insideVotes === 0 && cursorVotes > 0 ? againstKind(model.cursor, cursorVotes) : Infinity;
  for (const kind of FORGING_KINDS) {
    const { allFaulty, allRepeat, forged } = model[kind];
    // A read that has the fault elsewhere is not less likely to have it here.
    const reads = insideVotes - taintedVotes[kind];
    const byCursors = insideVotes === 0 ? cursorVotes : 0;
    const logOdds =
      -allFaulty(reads + byCursors) -
      allRepeat(insideVotes + byCursors - 1) -
      (insideVotes === 0 ? 0 : cursorVotes * Math.log(Math.min(1, forged + model.cursor.forged))) -
      (kind === 'stale' && model.crossCheckShares ? 0 : model.crossCheckWrong(crossCheckVotes));
    least = Math.min(least, logOdds);
  }
  return least;
}

/** How sure the reads against an adjacency would make what they show instead. */
function rivalLogOdds({ rivalVotes, reversedReads, isGap }: AdjacencyEvidence, model: FaultModel): number {
  // A gap in the positions speaks for a row between, like one read that shows it.
  const votes = Math.max(rivalVotes, isGap ? 1 : 0);
  const rivals = votes === 0 ? 0 : Math.min(...FORGING_KINDS.map((kind) => againstKind(model[kind], votes)));
  return Math.max(rivals, reversedReads === 0 ? 0 : againstKind(model.order, reversedReads));
}

/**
 * Where rows show positions without gaps, a read that numbers a row says how many rows stand before it. So reads of later
 * rows that agree on the numbers speak for all rows before them. They do not say that a row is still in the list, so they say
 * nothing once a page showed a row that is gone.
 */
function byNumbering(
  { isConsecutive, numberingVotes, numberingRivals }: AdjacencyEvidence,
  { numbering, showsGoneRows }: FaultModel,
): number {
  if (!isConsecutive || numberingVotes === 0 || showsGoneRows) return -Infinity;
  const rivals = numberingRivals === 0 ? 0 : againstKind(numbering, numberingRivals);
  return againstKind(numbering, numberingVotes) - rivals;
}
