// Whether a walk makes progress: reads that brought nothing, and ends of the list that were taken back.
import { Fault } from '../faults.ts';
import type { Assessment } from './assessment.ts';
import { nameOfEntry, noProgressFault } from './evidence/disagreement.ts';
import type { WalkOptions } from './options.ts';
import { LIST_START, type Entry, type Order } from './order/order.ts';
import type { CrossCheck } from './plan/cross-check.ts';
import type { PendingChecks } from './plan/pending-checks.ts';
import type { Identified } from './source.ts';
import type { WalkStatistics } from './statistics.ts';

/** Reads without progress before the order counts as unstable; four more for each vote that is needed. */
const MAX_READS_WITHOUT_PROGRESS = 22;
const READS_WITHOUT_PROGRESS_PER_VOTE = 4;
/** Ends of the list, each less than a page after the last one, that are taken back before the list counts as growing too fast. */
const MAX_MOVED_ENDS = 40;

type WalkParts<Row extends Identified> = {
  order: Order<Row>;
  assessment: Assessment<Row>;
  statistics: WalkStatistics<Row>;
  checks: PendingChecks<Row>;
  crossCheck: CrossCheck<Row>;
  endless: WalkOptions<Row>['endless'];
};

/** Counts what brings a walk nothing further, and ends the walk where that is too much. */
export class Progress<Row extends Identified> {
  readonly #walk: WalkParts<Row>;
  /** Reads of the first open adjacency without progress. */
  #reads = 0;
  #firstOpen: Entry<Row> | undefined;
  /** How often rows were added behind the end in succession, and how many rows there were the last time. */
  #movedEnds = { count: 0, rows: 0 };

  constructor(walk: WalkParts<Row>) {
    this.#walk = walk;
  }

  /** Reads without progress; while nothing is frozen yet no read is without use. */
  get readsWithout(): number {
    return this.#walk.assessment.isEarly ? 0 : this.#reads;
  }

  /** Counts a read without progress. */
  addRead(): void {
    this.#reads++;
  }

  /** Begins to count again, after rows were frozen. */
  reset(): void {
    this.#reads = 0;
  }

  /** Begins to count again where another adjacency is the first open one, or more reads still tell more about the fault rate. */
  update(): void {
    const { order, assessment } = this.#walk;
    const firstOpen = order.list[order.frozen];
    const mayLearnMore = !assessment.isEarly && assessment.mayLearnMore;
    if (firstOpen !== this.#firstOpen || mayLearnMore) this.reset();
    this.#firstOpen = firstOpen;
  }

  /** Counts rows that were added behind the end. A page that was cut shows a false end, which is mostly a page or more before the next one. */
  addMovedEnd(pageRows: number): void {
    const rows = this.#rows;
    const { count, rows: before } = this.#movedEnds;
    this.#movedEnds = { count: rows - before < pageRows ? count + 1 : 0, rows };
  }

  /** Throws Fault `unstable` or `protocol` when no further read helps. `isIdle`: there is none to make. */
  check(isIdle: boolean): void {
    const { order, assessment } = this.#walk;
    const growth = this.#growth();
    if (growth !== undefined)
      throw new Fault('unstable', `the list grows while it is read: ${growth}`, {
        hint: '--before ID lists the rows before a row that is there already',
      });
    assessment.checkFaultRate();
    const { votesNeeded, startVotesNeeded } = assessment.criteria;
    const votes = order.frontier.id === LIST_START ? Math.max(votesNeeded, startVotesNeeded) : votesNeeded;
    const max = MAX_READS_WITHOUT_PROGRESS + READS_WITHOUT_PROGRESS_PER_VOTE * votes;
    if (isIdle || this.readsWithout > max) throw this.#fault();
  }

  /** The rows that are known. */
  get #rows(): number {
    const { order, statistics } = this.#walk;
    return statistics.rows + order.list.length - order.frozen;
  }

  /** Returns in words why the end of the list is not reached; undefined where it may be. */
  #growth(): string | undefined {
    if (this.#movedEnds.count > MAX_MOVED_ENDS) return 'rows come faster than its end can be read';
    return this.#walk.endless?.(this.#rows);
  }

  #fault(): Fault {
    const { order, statistics, checks, crossCheck } = this.#walk;
    const { frontier, list, frozen } = order;
    const isUnconfirmed = frozen < list.length ? checks.isUnconfirmed(0) : checks.isEndUnconfirmed;
    const fault = noProgressFault(frontier, statistics.reads, statistics.problems);
    if (!isUnconfirmed || fault.kind !== 'unstable') return fault;
    const ids = list.slice(frozen).map(({ id }) => id);
    return crossCheck.disagreement(nameOfEntry(frontier), ids);
  }
}
