// The evidence with which rows were frozen, kept so that it can be judged again by the fault rates at the end of the walk.
import type { AdjacencyEvidence } from '../evidence/claims.ts';
import { logOddsOf, type Claim } from './claim.ts';
import type { FaultModel } from './fault-model.ts';

/** Votes above which evidence is counted as equal. */
const MAX_COUNTED_VOTES = 24;
/** Windows that are named at most. */
const MAX_NAMED_WINDOWS = 20;

/** The claims of all rows that one run froze. Equal evidence is kept once, so a row takes four bytes. */
export class FrozenClaims {
  readonly #kinds: { claim: Claim; rows: number }[] = [];
  readonly #kindNumbers = new Map<string, number>();
  #kindOfRow = new Uint32Array(1024);
  #rows = 0;
  /** The windows in order, each with the number of its first row. */
  readonly #windows: { number: number; start: number }[] = [];

  /** Rows that were added. */
  get length(): number {
    return this.#rows;
  }

  /** Adds a row that is frozen in this window. */
  add(claim: Claim, window: number): void {
    if (this.#windows.at(-1)?.number !== window) this.#windows.push({ number: window, start: this.#rows });
    if (this.#rows === this.#kindOfRow.length) {
      const longer = new Uint32Array(2 * this.#rows);
      longer.set(this.#kindOfRow);
      this.#kindOfRow = longer;
    }
    this.#kindOfRow[this.#rows++] = this.#kindFor(claim);
  }

  /** Returns the claim of the row with this number, from 0. */
  of(row: number): Claim {
    return this.#kinds[this.#kindOfRow[row]!]!.claim;
  }

  /** Replaces the claim of a row. */
  revise(row: number, claim: Claim): void {
    this.#kinds[this.#kindOfRow[row]!]!.rows--;
    this.#kindOfRow[row] = this.#kindFor(claim);
  }

  /** Returns the number of the window that holds a row. */
  windowOf(row: number): number {
    let [low, high] = [0, this.#windows.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#windows[middle]!.start <= row) low = middle;
      else high = middle;
    }
    return this.#windows[low]!.number;
  }

  /** Share of the rows whose position is the next after that of the row before. */
  get consecutiveShare(): number {
    let consecutive = 0;
    for (const { claim, rows } of this.#kinds)
      if (claim.what === 'adjacency' && claim.isConsecutive) consecutive += rows;
    return this.#rows === 0 ? 0 : consecutive / this.#rows;
  }

  /**
   * Returns the probability that anything frozen is wrong, with the rates of this model. The faults of one read are wrong
   * together, so an adjacency counts as one of `pageRows`.
   */
  errorProbability(model: FaultModel, pageRows: number): number {
    let sum = 0;
    for (const { claim, rows } of this.#kinds) if (rows > 0) sum += rows * errorOf(claim, model, pageRows);
    return sum;
  }

  /** Returns the share of {@link errorProbability} of each `size` rows, from the first row on. */
  errorsOfParts(size: number, model: FaultModel, pageRows: number): Float64Array {
    const errors = this.#kinds.map(({ claim }) => errorOf(claim, model, pageRows));
    const parts = new Float64Array(Math.ceil(this.#rows / size));
    for (let row = 0; row < this.#rows; row++)
      parts[Math.floor(row / size)]! += errors[this.#kindOfRow[row]!]!;
    return parts;
  }

  /** Returns the numbers of the windows that hold most of this probability, and of those that are as weak; at most 20. */
  weakestWindows(model: FaultModel, pageRows: number): number[] {
    const errors = this.#kinds.map(({ claim }) => errorOf(claim, model, pageRows));
    const windows = this.#windows.map(({ number, start }, index) => {
      let error = 0;
      const end = this.#windows[index + 1]?.start ?? this.#rows;
      for (let row = start; row < end; row++) error += errors[this.#kindOfRow[row]!]!;
      return { number, error };
    });
    windows.sort((a, b) => b.error - a.error);
    const half = windows.reduce((sum, { error }) => sum + error, 0) / 2;
    const named: number[] = [];
    let [covered, last] = [0, Infinity];
    for (const { number, error } of windows) {
      if ((covered > half && error < last) || error === 0 || named.length === MAX_NAMED_WINDOWS) break;
      covered += error;
      last = error;
      named.push(number);
    }
    return named.toSorted((a, b) => a - b);
  }

  #kindFor(claim: Claim): number {
    const kept = claim.what === 'adjacency' ? withoutExcess(claim) : claim;
    const key = JSON.stringify(kept);
    const number = this.#kindNumbers.get(key) ?? this.#kinds.push({ claim: kept, rows: 0 }) - 1;
    this.#kindNumbers.set(key, number);
    this.#kinds[number]!.rows++;
    return number;
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
