// Freezes rows: the longest prefix of accepted adjacencies becomes a window, and its rows are never changed again.
import { thresholdsToFreeze, type Thresholds } from './decide/adjacency.ts';
import { frozenLogOdds } from './decide/confidence.ts';
import type { Evidence } from './evidence/evidence.ts';
import type { FrozenWindow } from './log/window.ts';
import type { WalkOptions } from './options.ts';
import type { IdSet } from './order/id-set.ts';
import { LIST_START, type Order } from './order/order.ts';
import type { CrossCheck } from './plan/cross-check.ts';
import type { ReadPlanner } from './plan/read-planner.ts';
import type { PlannedRead } from './plan/requests.ts';
import type { Identified } from './source.ts';
import type { WalkStatistics } from './statistics.ts';

/** The parts of a walk that freezing reads and changes. */
export type FreezerParts<Row extends Identified> = {
  order: Order<Row>;
  evidence: Evidence<Row>;
  planner: ReadPlanner<Row>;
  crossCheck: CrossCheck<Row>;
  statistics: WalkStatistics<Row>;
  /** Ids of all frozen rows. */
  frozenIds: IdSet;
};

/** Decides which rows are frozen next and moves the frontier. */
export class Freezer<Row extends Identified> {
  readonly #parts: FreezerParts<Row>;
  readonly #options: WalkOptions<Row>;
  readonly #keptRows: number;

  /** `keptRows`: frozen rows that the order keeps, to overlap with later reads. */
  constructor(parts: FreezerParts<Row>, options: WalkOptions<Row>, keptRows: number) {
    this.#parts = parts;
    this.#options = options;
    this.#keptRows = keptRows;
  }

  /** Returns whether the list is known to its end and every adjacency is accepted. */
  isAllAccepted(thresholds: Thresholds): boolean {
    const { order, evidence, planner } = this.#parts;
    const { before } = this.#options;
    const isAtRangeEnd = before !== undefined && order.list.at(-1)?.id === before;
    if (!isAtRangeEnd && evidence.endReads.size < thresholds.minEndReads) return false;
    const toFreeze = thresholdsToFreeze(thresholds);
    return evidence.adjacencies.every((_, number) => planner.isAccepted(number, toFreeze));
  }

  /**
   * Freezes the longest accepted prefix, at most `limit` rows, and returns it as a window; undefined when there is none.
   * Rows that a read in flight is about to show are left for later.
   */
  next(thresholds: Thresholds, inFlight: readonly PlannedRead<Row>[]): FrozenWindow<Row> | undefined {
    const { order, evidence, crossCheck, statistics, frozenIds } = this.#parts;
    const rows = this.#acceptedRows(thresholdsToFreeze(thresholds), inFlight);
    if (rows.length === 0) {
      this.#freezeRangeEnd(thresholds);
      return undefined;
    }
    const { list, frozen } = order;
    const { adjacencies, startVotes } = evidence;
    const logOdds = rows.map(({ id }, number) => {
      const previous = list[frozen - 1 + number]!;
      crossCheck.countRow(adjacencies[number]!, previous, thresholds);
      frozenIds.add(id);
      const votesForStart = previous.id === LIST_START ? startVotes : undefined;
      return frozenLogOdds(adjacencies[number]!, votesForStart, thresholds);
    });
    const window = statistics.freeze(rows, logOdds);
    order.frozen += rows.length;
    order.trim(this.#keptRows);
    return window;
  }

  #acceptedRows(thresholds: Thresholds, inFlight: readonly PlannedRead<Row>[]): Row[] {
    const { order, evidence, planner } = this.#parts;
    const { list, frozen } = order;
    const count = Math.min(evidence.adjacencies.length, this.#options.limit);
    const rows: Row[] = [];
    for (let number = 0; number < count; number++) {
      const { index, row } = list[frozen + number]!;
      const isExpected = inFlight.some(
        ({ covers }) => covers !== undefined && covers[0].index <= index && index <= covers[1].index,
      );
      if (isExpected || row === undefined || !planner.isAccepted(number, thresholds)) break;
      rows.push(row);
    }
    return rows;
  }

  /** The end that the caller gave has a place in the order like a row, and is not written out. */
  #freezeRangeEnd(thresholds: Thresholds): void {
    const { order, planner } = this.#parts;
    const { list, frozen } = order;
    if (list[frozen] === undefined || list[frozen].id !== this.#options.before) return;
    if (planner.isAccepted(0, thresholdsToFreeze(thresholds))) order.frozen++;
  }
}
