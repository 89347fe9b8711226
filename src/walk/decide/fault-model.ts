// What the walk expects of the service, from the faults that it saw: how likely reads are wrong together, in natural logarithms.
import { FAULT_KINDS, type FaultKind, type FaultStatistics } from '../evidence/fault-counts.ts';

/**
 * Before two faulty reads were seen at one place: pairs assumed, of which half a one made the same wrong claim. With 8
 * pairs, two agreeing reads of each of 2,000 rows, without any fault, reach a confidence of 0.999.
 */
const ASSUMED_REPEATS = 0.5;
const ASSUMED_PAIRS = 8;
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
  /** ln of the probability that so many reads all have the fault. */
  allFaulty: LogOfVotes;
  /** ln of the probability that so many more faulty reads all make the wrong claim of the first. */
  allRepeat: LogOfVotes;
  /** Probability that a read has the fault and makes a given wrong claim. */
  forged: number;
  /** Probability that a faulty read makes the wrong claim of another one. */
  repeated: number;
};

/** The faults of a service as far as they are known. */
export type FaultModel = Record<FaultKind, KindModel> & {
  /** ln of the probability that so many answers of the cross-check source all make the wrong claim of a page. */
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
    const sameClaims = repeats + ASSUMED_REPEATS;
    const otherClaims = chances - repeats + ASSUMED_PAIRS - ASSUMED_REPEATS;
    const repeated = sameClaims / (sameClaims + otherClaims);
    model[kind] = {
      allFaulty: logMoments(faultyPart, correctPart),
      allRepeat: logMoments(sameClaims, otherClaims),
      forged: (faultyPart / (faultyPart + correctPart)) * repeated,
      repeated,
    };
  }
  const crossCheckFaulty = logMoments(crossCheck.faulty + HALF, crossCheck.reads - crossCheck.faulty + HALF);
  const crossCheckRepeats = crossCheck.matches > 0 ? 0 : Math.log(ASSUMED_REPEATS / ASSUMED_PAIRS);
  return Object.assign(model, {
    crossCheckWrong: (answers: number) => crossCheckFaulty(answers) + answers * crossCheckRepeats,
    crossCheckShares: crossCheck.matches > 0,
    hasFaults: any.faulty > 0,
    staleReads: kinds.stale.faulty,
    showsGoneRows: gone.rows > 0,
  });
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
