// What the walk expects of the service, from the faults that it saw: how likely reads are wrong together, in natural logarithms.
import { FAULT_KINDS, type FaultKind, type FaultStatistics } from '../evidence/fault-counts.ts';

/**
 * Before two faulty reads were seen at one place, two cases are possible. Faults are independent: of 8 pairs, half a one makes the same
 * wrong claim. Or faulty answers share one state, with this probability: of 8 pairs, all but half a one do. With these figures two
 * agreeing reads of each of 2,000 rows, without any fault, reach a confidence of 0.999.
 */
const ASSUMED_PAIRS = 8;
const ASSUMED_EXCEPTIONS = 0.5;
const ONE_STATE_PROBABILITY = 0.02;
/** Reads that the rate of all faults stands for where few reads show an end of the list. */
const EDGE_READS_ASSUMED = 8;
/** Half a faulty read and half a correct one are assumed before there is any (Jeffreys' prior). */
const HALF = 0.5;
/** Votes for which the logarithms are prepared; more votes add what the last one adds. */
const MAX_PREPARED_VOTES = 24;

/** Returns ln of a probability for a number of votes. */
type LogOfVotes = (votes: number) => number;

/** Faults of one kind. */
export type KindModel = {
  /** ln of the probability that this many reads all have the fault. */
  allFaulty: LogOfVotes;
  /** ln of the probability that this many more faulty reads all make the wrong claim of the first. */
  allRepeat: LogOfVotes;
  /** Probability that a read has the fault and makes a given wrong claim. */
  forged: number;
  /** Probability that a faulty read makes the wrong claim of another one. */
  repeated: number;
};

/** The faults of a service as far as they are known. */
export type FaultModel = Record<FaultKind, KindModel> & {
  /** ln of the probability that this many answers of the cross-check source all make the wrong claim of a page. */
  crossCheckWrong: LogOfVotes;
  /** Whether the cross-check source omits the same rows as stale reads, so it may share their snapshot. */
  crossCheckShares: boolean;
  /** Whether any read was faulty. */
  hasFaults: boolean;
  /** Reads that look stale. */
  staleReads: number;
  /** Whether a page showed a row that is gone, so that others may be gone as well. */
  showsGoneRows: boolean;
};

/**
 * Returns the model. The rate of faulty reads, and how often two of them make the same wrong claim, are Beta distributions:
 * what was counted, added to what is assumed before. Their moments are used, not their means, so few reads prove little.
 */
export function faultModel({ kinds, any, crossCheck, gone }: FaultStatistics): FaultModel {
  const anyRate = (any.faulty + HALF) / (any.reads + 1);
  const model = {} as FaultModel;
  for (const kind of FAULT_KINDS) {
    const { chances, repeats } = kinds[kind];
    // Where no read could show the fault, as in a list of one row, all faults stand for it.
    const { reads, faulty } = kinds[kind].reads === 0 ? any : kinds[kind];
    const isEdge = kind === 'edge';
    const assumedFaulty = isEdge ? EDGE_READS_ASSUMED * anyRate : HALF;
    const assumedCorrect = isEdge ? EDGE_READS_ASSUMED * (1 - anyRate) : HALF;
    const [faultyPart, correctPart] = [faulty + assumedFaulty, reads - faulty + assumedCorrect];
    const allRepeat = repeatMoments(repeats, chances - repeats);
    const repeated = Math.exp(allRepeat(1));
    model[kind] = {
      allFaulty: logMoments(faultyPart, correctPart),
      allRepeat,
      forged: (faultyPart / (faultyPart + correctPart)) * repeated,
      repeated,
    };
  }
  const crossCheckFaulty = logMoments(crossCheck.faulty + HALF, crossCheck.reads - crossCheck.faulty + HALF);
  const crossCheckRepeats = crossCheck.matches > 0 ? 0 : Math.log(ASSUMED_EXCEPTIONS / ASSUMED_PAIRS);
  return Object.assign(model, {
    crossCheckWrong: (answers: number) => crossCheckFaulty(answers) + answers * crossCheckRepeats,
    crossCheckShares: crossCheck.matches > 0,
    hasFaults: any.faulty > 0,
    staleReads: kinds.stale.faulty,
    showsGoneRows: gone.rows > 0,
  });
}

/**
 * Returns ln E[a^n] of the share a of pairs that make the same wrong claim: a mixture of two Beta distributions, weighted by how well
 * each explains the pairs that were seen.
 */
function repeatMoments(repeats: number, exceptions: number): LogOfVotes {
  const many = ASSUMED_PAIRS - ASSUMED_EXCEPTIONS;
  const few = ASSUMED_EXCEPTIONS;
  const independent = logMoments(repeats + few, exceptions + many);
  const shared = logMoments(repeats + many, exceptions + few);
  const logOddsOfShared =
    Math.log(ONE_STATE_PROBABILITY / (1 - ONE_STATE_PROBABILITY)) +
    logBeta(repeats + many, exceptions + few) -
    logBeta(repeats + few, exceptions + many);
  const weight = 1 / (1 + Math.exp(-logOddsOfShared));
  return (votes) => Math.log((1 - weight) * Math.exp(independent(votes)) + weight * Math.exp(shared(votes)));
}

function logBeta(alpha: number, beta: number): number {
  return logGamma(alpha) + logGamma(beta) - logGamma(alpha + beta);
}

/** Returns ln Γ(x) by Stirling's series, for x > 0. */
function logGamma(x: number): number {
  let [shifted, product] = [x, 1];
  for (; shifted < 8; shifted++) product *= shifted;
  const series = 1 / (12 * shifted) - 1 / (360 * shifted ** 3) + 1 / (1260 * shifted ** 5);
  return (
    (shifted - 0.5) * Math.log(shifted) - shifted + Math.log(2 * Math.PI) / 2 + series - Math.log(product)
  );
}

/** Returns ln E[x^n] of a Beta distribution, for any n. */
function logMoments(alpha: number, beta: number): LogOfVotes {
  const logs = new Float64Array(MAX_PREPARED_VOTES + 1);
  for (let n = 1; n <= MAX_PREPARED_VOTES; n++)
    logs[n] = logs[n - 1]! + Math.log((alpha + n - 1) / (alpha + beta + n - 1));
  const last = logs[MAX_PREPARED_VOTES]! - logs[MAX_PREPARED_VOTES - 1]!;
  return (votes) =>
    votes <= MAX_PREPARED_VOTES
      ? logs[Math.max(0, votes)]!
      : logs[MAX_PREPARED_VOTES]! + (votes - MAX_PREPARED_VOTES) * last;
}
