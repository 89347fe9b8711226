// The evidence with which rows were frozen, kept so that it can be judged again by the fault rates at the end of the walk.
import type { AdjacencyEvidence } from '../evidence/claims.ts';
import { logOddsOf, type Claim } from './claim.ts';
import type { FaultModel } from './fault-model.ts';

/** Windows that are named for equal evidence. */
const MAX_NAMED_WINDOWS = 20;
/** Votes above which evidence is counted as equal. */
const MAX_COUNTED_VOTES = 24;

type Frozen = { claim: Claim; rows: number; windows: number[] };

/** Rows with equal evidence are counted together, so the memory does not grow with the list. */
export class FrozenClaims {
  readonly #byEvidence = new Map<string, Frozen>();

  /** Adds a row that is frozen in this window. */
  add(claim: Claim, window: number): void {
    const kept = claim.what === 'adjacency' ? withoutExcess(claim) : claim;
    const key = JSON.stringify(kept);
    const frozen = this.#byEvidence.get(key) ?? { claim: kept, rows: 0, windows: [] };
    this.#byEvidence.set(key, frozen);
    frozen.rows++;
    if (frozen.windows.length < MAX_NAMED_WINDOWS && frozen.windows.at(-1) !== window)
      frozen.windows.push(window);
  }

  /** Share of the rows whose position is the next after that of the row before. */
  get consecutiveShare(): number {
    let [consecutive, all] = [0, 0];
    for (const { claim, rows } of this.#byEvidence.values()) {
      all += rows;
      if (claim.what === 'adjacency' && claim.isConsecutive) consecutive += rows;
    }
    return all === 0 ? 0 : consecutive / all;
  }

  /**
   * Returns the probability that anything frozen is wrong, with the rates of this model. The faults of one read are wrong
   * together, so an adjacency counts as one of `pageRows`.
   */
  errorProbability(model: FaultModel, pageRows: number): number {
    let sum = 0;
    for (const { claim, rows } of this.#byEvidence.values()) sum += rows * errorOf(claim, model, pageRows);
    return sum;
  }

  /** Returns the numbers of the windows that hold most of this probability, at most 20. */
  weakestWindows(model: FaultModel, pageRows: number): number[] {
    const errors = [...this.#byEvidence.values()].map(({ claim, rows, windows }) => ({
      windows,
      error: rows * errorOf(claim, model, pageRows),
    }));
    errors.sort((a, b) => b.error - a.error);
    const half = errors.reduce((sum, { error }) => sum + error, 0) / 2;
    const named = new Set<number>();
    let covered = 0;
    for (const { windows, error } of errors) {
      if (covered > half) break;
      covered += error;
      for (const window of windows) named.add(window);
    }
    return [...named].toSorted((a, b) => a - b).slice(0, MAX_NAMED_WINDOWS);
  }
}

function errorOf(claim: Claim, model: FaultModel, pageRows: number): number {
  const error = Math.min(1, Math.exp(-logOddsOf(claim, model)));
  return claim.what === 'adjacency' ? error / pageRows : error;
}

function withoutExcess(claim: { what: 'adjacency' } & AdjacencyEvidence): Claim {
  return {
    ...claim,
    omittingReads: 0,
    confirmations: 0,
    numberingVotes: Math.min(MAX_COUNTED_VOTES, claim.numberingVotes),
    numberingRivals: Math.min(MAX_COUNTED_VOTES, claim.numberingRivals),
  };
}
