// What a walk spent and what it gave out: the figures of its windows and of its report.
import type { UnstableGap, WalkReport } from '../contract/reports/walk.ts';
import { Confidence } from './decide/confidence.ts';
import type { Seen } from './order/id-set.ts';
import type { Identified } from './source.ts';
import type { Testimony } from './plan/cross-check.ts';
import type { FrozenState } from './walk.ts';
import { CHAIN_START, freeze, type FrozenWindow } from './log/window.ts';

export class Ledger<Row extends Identified> {
  requests = 0;
  rereads = 0;
  duplicates = 0;
  /** Rows given out in this run, and in earlier ones. */
  conversations = 0;
  readonly #earlier: number;
  /** Reads and what was wrong with them since the last window. */
  reads = 0;
  troubles: string[] = [];
  windows: number;
  readonly late = new Set<string>();
  readonly #confidence = new Confidence();
  readonly #drift: WalkReport['drift'] = { first: null, last: null, max: null };
  #disagreements = 0;
  #head: string;

  constructor(frozen: FrozenState<Row> | undefined) {
    this.windows = frozen?.windows ?? 0;
    this.#head = frozen?.head ?? CHAIN_START;
    this.#earlier = frozen?.ids.length ?? 0;
  }

  asked(isReread: boolean): void {
    this.requests++;
    this.reads++;
    if (isReread) this.rereads++;
  }

  /** A read came back, with what it reported of its drift and what was wrong with it. */
  read(drift: number | undefined, trouble: string | undefined): void {
    if (trouble !== undefined) {
      this.troubles.push(trouble);
      this.#disagreements++;
    }
    if (drift === undefined) return;
    this.#drift.first ??= drift;
    this.#drift.last = drift;
    this.#drift.max = Math.max(this.#drift.max ?? drift, drift);
  }

  /** Freezes rows after the row `after`, null at the start; `weights` are the nats that vouch for each (settle.ts). */
  freeze(after: string | null, rows: Row[], weights: readonly number[]): FrozenWindow<Row> {
    for (const weight of weights) this.#confidence.add(weight);
    const cost = {
      reads: this.reads,
      disagreements: this.troubles.length,
      drift_ratio: this.#drift.last,
    };
    const window = freeze(++this.windows, after, rows, cost, this.#head);
    this.#head = window.head;
    this.conversations += rows.length;
    this.troubles = [];
    this.reads = 0;
    return window;
  }

  /** `unstable` names the gap where the walk stopped; undefined for a complete one. */
  report(
    limit: number,
    unstable: UnstableGap | undefined,
    seen: Seen,
    testimony: Testimony<Row>,
  ): WalkReport {
    return {
      version: 1,
      verdict: unstable === undefined ? 'complete' : 'incomplete',
      conversations: this.conversations + this.#earlier,
      windows: this.windows,
      requests: this.requests,
      minimum_requests: Math.max(1, Math.ceil(this.conversations / limit)),
      rereads: this.rereads,
      disagreements: this.#disagreements,
      drift: { ...this.#drift },
      confidence:
        unstable !== undefined && this.windows === 0
          ? 0
          : this.#confidence.value(this.requests, this.#disagreements),
      cross_check: { mode: testimony.mode, ...testimony.tally },
      duplicates_removed: this.duplicates,
      // A page in another order altogether may have named rows that found their place later.
      late: [...this.late].filter((id) => !seen.has(id)),
      frozen: { head: this.windows === 0 ? null : this.#head, file: null },
      unstable: unstable === undefined ? [] : [unstable],
    };
  }
}
