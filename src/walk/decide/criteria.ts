// What a claim must reach now: the model of the service's faults, and the log-odds that are required.
import { noEvidence, type AdjacencyEvidence } from '../evidence/claims.ts';
import { logOddsOf } from './claim.ts';
import { finalEndChecksNeeded } from './end-of-list.ts';
import { requiredForAdjacency, requiredForEdge, type ListSize } from './error-budget.ts';
import type { FaultModel } from './fault-model.ts';

/** The criteria for the evidence that the walk has at one moment. */
export type Criteria = {
  model: FaultModel;
  /** Log-odds required of one adjacency, and of the start or the end of the list. */
  adjacency: number;
  edge: number;
  /** Votes with which an adjacency without any contradiction is settled. */
  votesNeeded: number;
  /** Votes with which the first row is settled, where no read shows another one first. */
  startVotesNeeded: number;
  /** Different requests that must show the end of the list. */
  endReadsNeeded: number;
  /** Reads among these that must be made when nothing else is left to prove. */
  finalEndChecksNeeded: number;
};

/** One answer alone decides nothing, whatever the fault rates. */
const MIN_VOTES = 2;
/** Votes from which on a walk gives up: where they do not suffice, the service is wrong too often. */
export const MAX_VOTES = 16;
/** Fewer reads do not prove an end, since the reads for it begin at rows that may not be the last. */
const MIN_END_READS = 3;
/** Empty pages that prove an empty list: nothing else speaks for it. */
const MIN_EMPTY_PAGES = 7;

/** Returns the criteria. `open`: the adjacencies that are not frozen. `isEmpty`: no row was ever seen. */
export function criteriaFor(
  model: FaultModel,
  size: ListSize,
  open: readonly AdjacencyEvidence[],
  isEmpty: boolean,
): Criteria {
  const openLogOdds = () => open.map((evidence) => logOddsOf({ what: 'adjacency', ...evidence }, model));
  const adjacency = requiredForAdjacency(size, openLogOdds);
  const edge = requiredForEdge(size.epsilon);
  const votesNeeded = fewest((votes) => logOddsOf(adjacencyOf(votes), model) >= adjacency);
  const start = (votes: number) =>
    ({ what: 'start', votes, rivals: 0, position: undefined, beginsAtZero: false }) as const;
  const startVotesNeeded = fewest((votes) => logOddsOf(start(votes), model) >= edge);
  const endReads = fewest((votes) => logOddsOf({ what: 'end', votes }, model) >= edge);
  return {
    model,
    adjacency,
    edge,
    votesNeeded,
    startVotesNeeded,
    endReadsNeeded: Math.max(isEmpty ? MIN_EMPTY_PAGES : MIN_END_READS, endReads),
    finalEndChecksNeeded: finalEndChecksNeeded(model),
  };
}

/** Returns whether an adjacency is settled once `pendingReads` and `pendingChecks` more answers agree with it. */
export function isSettled(
  evidence: AdjacencyEvidence,
  { model, adjacency }: Criteria,
  pendingReads = 0,
  pendingChecks = 0,
): boolean {
  const { insideVotes, cursorVotes, crossCheckVotes, isConsecutive, isInDoubt } = evidence;
  if (isInDoubt) return false;
  const votes = insideVotes + cursorVotes + crossCheckVotes + pendingReads + pendingChecks;
  if (votes < (isConsecutive ? 1 : MIN_VOTES)) return false;
  const claim = {
    ...evidence,
    insideVotes: insideVotes + pendingReads,
    crossCheckVotes: crossCheckVotes + pendingChecks,
  };
  return logOddsOf({ what: 'adjacency', ...claim }, model) >= adjacency;
}

/** Returns whether the first row is settled as such with `votes` reads that show it first, pending ones included. */
export function isStartSettled(
  votes: number,
  rivals: number,
  position: AdjacencyEvidence,
  beginsAtZero: boolean,
  { model, edge }: Criteria,
): boolean {
  if (position.isInDoubt || votes < (beginsAtZero ? 1 : MIN_VOTES)) return false;
  return logOddsOf({ what: 'start', votes, rivals, position, beginsAtZero }, model) >= edge;
}

const adjacencyOf = (votes: number) => ({ what: 'adjacency', ...noEvidence(), insideVotes: votes }) as const;

function fewest(isEnough: (votes: number) => boolean): number {
  for (let votes = 1; votes < MAX_VOTES; votes++) if (isEnough(votes)) return votes;
  return MAX_VOTES;
}
