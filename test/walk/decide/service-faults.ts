// Fault counts of an imagined service, for tests of the decisions.
import {
  FAULT_KINDS,
  noFaults,
  type FaultKind,
  type FaultStatistics,
} from '../../../src/walk/evidence/fault-counts.ts';

/** What was counted for the kinds of faults that a test names. */
export type SeenFaults = Partial<Record<FaultKind, { faulty: number; chances?: number; repeats?: number }>>;

/** Returns the counts of `reads` reads, all of which could show faults of each kind. */
export function faultsOf(reads: number, seen: SeenFaults = {}): FaultStatistics {
  const faults = noFaults();
  for (const kind of FAULT_KINDS)
    faults.kinds[kind] = { reads, faulty: 0, chances: 0, repeats: 0, ...seen[kind] };
  const mostFaulty = Math.max(0, ...Object.values(seen).map(({ faulty }) => faulty));
  faults.any = { reads, faulty: mostFaulty };
  faults.crossCheck.reads = reads;
  return faults;
}

/** Returns the counts where this share of the reads has faults of these kinds, and two of them repeat each other in this share of pairs. */
export function faultRate(
  reads: number,
  share: number,
  kinds: readonly FaultKind[],
  repeated: number,
): FaultStatistics {
  const pairs = 40;
  const count = { faulty: share * reads, chances: pairs, repeats: repeated * pairs };
  return faultsOf(reads, Object.fromEntries(kinds.map((kind) => [kind, count])));
}
