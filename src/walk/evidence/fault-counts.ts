// How many reads had a fault of each kind, and how often two faulty reads made the same wrong claim.

/**
 * Kinds of faults, by what a read shows against the known order. `omission`: it leaves out a row between two rows. `stale`: it
 * leaves out two or more, or shows a row that is gone. `order`: two rows are reversed. `cursor`: another row stands beside its
 * cursor. `edge`: a wrong start or end of the list. `numbering`: a row has another position than most reads show.
 */
export const FAULT_KINDS = ['omission', 'stale', 'order', 'cursor', 'edge', 'numbering'] as const;
/** One of {@link FAULT_KINDS}. */
export type FaultKind = (typeof FAULT_KINDS)[number];

/**
 * Reads that could show a fault of one kind, and those that did. `chances`: pairs of faulty reads of which one could have made
 * the wrong claims of the other. `repeats`: how many of these did, where a pair that shares half of its claims counts as ½.
 */
export type FaultCount = { reads: number; faulty: number; chances: number; repeats: number };
/** The counts of each kind. */
export type FaultCounts = Record<FaultKind, FaultCount>;

/** Counts of all faults: by kind, of any kind (`any`), and of the cross-check source. */
export type FaultStatistics = {
  kinds: FaultCounts;
  /** All reads, and those that had a fault of any kind, harmless ones included. */
  any: { reads: number; faulty: number };
  /** Answers of the cross-check source, those with a fault, and those that omit the same two rows as a stale read. */
  crossCheck: { reads: number; faulty: number; matches: number };
  /** Rows that pages showed and that the service answered 404 for. */
  gone: { rows: number };
};

/** Returns counts of nothing. */
export function noFaults(): FaultStatistics {
  const none = (): FaultCount => ({ reads: 0, faulty: 0, chances: 0, repeats: 0 });
  return {
    kinds: {
      omission: none(),
      stale: none(),
      order: none(),
      cursor: none(),
      edge: none(),
      numbering: none(),
    },
    any: { reads: 0, faulty: 0 },
    crossCheck: { reads: 0, faulty: 0, matches: 0 },
    gone: { rows: 0 },
  };
}

/** Adds the counts of `more` to `sum`, or takes them out again (`times` -1). */
export function addFaults(sum: FaultStatistics, more: FaultStatistics, times: 1 | -1 = 1): void {
  for (const kind of FAULT_KINDS) addTo(sum.kinds[kind], more.kinds[kind], times);
  addTo(sum.any, more.any, times);
  addTo(sum.crossCheck, more.crossCheck, times);
  addTo(sum.gone, more.gone, times);
}

function addTo<T extends Record<string, number>>(sum: T, more: T, times: 1 | -1): void {
  for (const key of Object.keys(sum) as (keyof T)[]) (sum[key] as number) += times * (more[key] as number);
}

/** A read with a fault: the first and last index that it shows, and its wrong claims with the index where each stands. */
export type FaultyRead = { kind: FaultKind; low: number; high: number; claims: ReadonlyMap<unknown, number> };

/** Faulty reads of one kind that are compared with each other, the newest ones: the cost is quadratic. */
const MAX_COMPARED_READS = 48;

/** Adds, for each pair of one read of `reads` and one of `others`, whether they make the same wrong claims. */
export function countPairs(
  counts: FaultCounts,
  reads: readonly FaultyRead[],
  others: readonly FaultyRead[],
): void {
  for (const kind of FAULT_KINDS) {
    const compared = newestOf(kind, others);
    for (const read of newestOf(kind, reads))
      for (const other of compared) countPair(counts[kind], read, other);
  }
}

/** Adds, for all pairs within `reads`, whether they make the same wrong claims. */
export function countPairsWithin(counts: FaultCounts, reads: readonly FaultyRead[]): void {
  for (const kind of FAULT_KINDS) {
    const compared = newestOf(kind, reads);
    for (let index = 1; index < compared.length; index++)
      for (let other = 0; other < index; other++) countPair(counts[kind], compared[index]!, compared[other]!);
  }
}

function newestOf(kind: FaultKind, reads: readonly FaultyRead[]): FaultyRead[] {
  return reads.filter((read) => read.kind === kind).slice(-MAX_COMPARED_READS);
}

/** Each direction of a pair is half of it. */
function countPair(count: FaultCount, read: FaultyRead, other: FaultyRead): void {
  countDirection(count, read, other);
  countDirection(count, other, read);
}

function countDirection(count: FaultCount, one: FaultyRead, two: FaultyRead): void {
  let [possible, same] = [0, 0];
  for (const [claim, index] of one.claims) {
    if (index < two.low || index > two.high) continue;
    possible++;
    if (two.claims.has(claim)) same++;
  }
  if (possible === 0) return;
  count.chances += 0.5;
  count.repeats += (0.5 * same) / possible;
}

/** Returns the counts that `reads` reads would have with the same shares; those of more reads stay as they are. */
export function extrapolated(faults: FaultStatistics, reads: number): FaultStatistics {
  const more = noFaults();
  const factor = Math.max(1, reads / Math.max(1, faults.any.reads));
  const scale = <T extends Record<string, number>>(into: T, from: T): void => {
    for (const key of Object.keys(from) as (keyof T)[]) (into[key] as number) = from[key]! * factor;
  };
  for (const kind of FAULT_KINDS) scale(more.kinds[kind], faults.kinds[kind]);
  scale(more.any, faults.any);
  scale(more.crossCheck, faults.crossCheck);
  scale(more.gone, faults.gone);
  return more;
}
