// What a walk spent and what it froze: the figures of its windows and of its report.
import type { RequestPurposes, UnstableGap, WalkReport } from '../contract/reports/walk.ts';
import type { Verdict } from './decide/verdict.ts';
import type { Problem } from './evidence/disagreement.ts';
import { FIRST_PREVIOUS, freezeWindow, type FrozenState, type FrozenWindow } from './log/window.ts';
import type { IdSet } from './order/id-set.ts';
import { TRIMMED, type Entry } from './order/order.ts';
import type { Identified } from './source.ts';

/** An answered request that no window bears yet. `firstRow`: the first row that its page shows, if any. */
type UnchargedRequest<Row> = {
  firstRow: Entry<Row> | undefined;
  isWrong: boolean;
  driftRatio: number | undefined;
};

/** Counts requests, answers and rows, and makes the lines of the log and the report from them. */
export class WalkStatistics<Row extends Identified> {
  /** Requests of this run. */
  requests = 0;
  readonly #requestsFor: RequestPurposes = {
    new_rows: 0,
    known_rows: 0,
    end: 0,
    cross_check: 0,
    single_rows: 0,
    audit: 0,
  };
  /** Rows frozen in this run. */
  rows = 0;
  /** Windows frozen in this run and in earlier ones. */
  windows: number;
  /** Rows that a page showed once too often. */
  duplicates = 0;
  /** Reads since the last window, and what was wrong with them. */
  reads = 0;
  problems: Problem[] = [];
  /** Rows that were seen between frozen rows. */
  readonly late = new Set<string>();
  #uncharged: UnchargedRequest<Row>[] = [];
  readonly #earlierRows: number;
  readonly #drift: WalkReport['drift'] = { first: null, last: null, max: null };
  #rereads = 0;
  #disagreements = 0;
  #head: string;
  /** Id of the last frozen row, else the exclusive start of the walk. */
  #lastId: string | null;

  /** `start`: the id that the walk starts after; null for the start of the list. */
  constructor(frozen: FrozenState<Row> | undefined, start: string | null) {
    this.windows = frozen?.windows ?? 0;
    this.#head = frozen?.head ?? FIRST_PREVIOUS;
    this.#earlierRows = frozen?.ids.length ?? 0;
    this.#lastId = frozen?.ids.at(-1) ?? start;
  }

  /** Counts a request that is made. `isReread`: it asks for rows that are known already. */
  countRequest(purpose: keyof RequestPurposes, isReread = true): void {
    this.requests++;
    this.#requestsFor[purpose]++;
    this.reads++;
    if (isReread) this.#rereads++;
  }

  /**
   * Counts an answer, with the drift ratio that the service states, what is wrong with the answer, and the first row that it shows.
   * The window with this row will bear it.
   */
  countAnswer(
    driftRatio: number | undefined,
    problem: Problem | undefined,
    firstRow: Entry<Row> | undefined,
  ): void {
    this.#uncharged.push({ firstRow, isWrong: problem !== undefined, driftRatio });
    if (problem !== undefined) {
      this.problems.push(problem);
      this.#disagreements++;
    }
    if (driftRatio === undefined) return;
    this.#drift.first ??= driftRatio;
    this.#drift.last = driftRatio;
    this.#drift.max = Math.max(this.#drift.max ?? driftRatio, driftRatio);
  }

  /** Returns the rows as the next window. `lastIndex`: the place of its last row in the known order. */
  freeze(rows: Row[], lastIndex: number): FrozenWindow<Row> {
    const charged = this.#charge(lastIndex);
    const cost = {
      reads: charged.length,
      disagreements: charged.filter(({ isWrong }) => isWrong).length,
      drift_ratio:
        charged.findLast(({ driftRatio }) => driftRatio !== undefined)?.driftRatio ?? this.#drift.last,
    };
    // Not the frontier of the order: a frozen row that is deleted meanwhile leaves the order, but not the log.
    const window = freezeWindow(++this.windows, this.#lastId, rows, cost, this.#head);
    this.#head = window.head;
    this.#lastId = rows.at(-1)?.id ?? this.#lastId;
    this.rows += rows.length;
    this.problems = [];
    this.reads = 0;
    return window;
  }

  /** Takes the requests whose first row is in the window that ends here, or before it, and those without a row. */
  #charge(lastIndex: number): UnchargedRequest<Row>[] {
    const isLater = ({ firstRow }: UnchargedRequest<Row>): boolean =>
      (firstRow?.index ?? TRIMMED) > lastIndex;
    const charged = this.#uncharged.filter((request) => !isLater(request));
    this.#uncharged = this.#uncharged.filter(isLater);
    return charged;
  }

  /** Returns the report. `unstable`: where the walk stopped; undefined for a complete one. `frozenIds`: ids of all frozen rows. */
  report(
    limit: number,
    unstable: UnstableGap | undefined,
    frozenIds: IdSet,
    crossCheck: WalkReport['cross_check'],
    { confidence, assumes, doubtedWindows }: Verdict,
    audit: WalkReport['audit'],
  ): WalkReport {
    return {
      version: 1,
      verdict: unstable === undefined ? 'complete' : 'incomplete',
      conversations: this.rows + this.#earlierRows,
      windows: this.windows,
      requests: this.requests,
      requests_for: { ...this.#requestsFor },
      minimum_requests: Math.max(1, Math.ceil(this.rows / limit)),
      rereads: this.#rereads,
      disagreements: this.#disagreements,
      drift: { ...this.#drift },
      confidence: unstable !== undefined && this.windows === 0 ? 0 : confidence,
      assumes,
      audit,
      doubted_windows: doubtedWindows,
      cross_check: crossCheck,
      duplicates_removed: this.duplicates,
      // A page in another order altogether may name rows that find their place later.
      late: [...this.late].filter((id) => !frozenIds.has(id)),
      frozen: { head: this.windows === 0 ? null : this.#head, file: null },
      unstable: unstable === undefined ? [] : [unstable],
    };
  }
}
