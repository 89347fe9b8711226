// Freezes rows: the longest prefix of accepted adjacencies becomes a window, and its rows are never changed again.
import type { Claim } from './decide/claim.ts';
import type { Criteria } from './decide/criteria.ts';
import type { FrozenClaims } from './decide/frozen-claims.ts';
import type { Evidence } from './evidence/evidence.ts';
import type { FrozenWindow } from './log/window.ts';
import type { WalkOptions } from './options.ts';
import type { IdList } from './order/id-list.ts';
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
  frozenClaims: FrozenClaims;
  /** Ids of all frozen rows, and of those of this run in order. */
  frozenIds: IdSet;
  ids: IdList;
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
  isAllAccepted(criteria: Criteria): boolean {
    const { evidence, planner } = this.#parts;
    if (!planner.isAtRangeEnd && evidence.endReads.size < criteria.endReadsNeeded) return false;
    return evidence.adjacencies.every((_, number) => planner.isAccepted(number, criteria));
  }

  /**
   * Freezes the longest accepted prefix, at most `limit` rows, and returns it as a window; undefined when there is none.
   * Rows that a read in flight is about to show are left for later.
   */
  next(criteria: Criteria, inFlight: readonly PlannedRead<Row>[]): FrozenWindow<Row> | undefined {
    const { order, evidence, crossCheck, statistics, frozenIds, ids, frozenClaims } = this.#parts;
    const rows = this.#acceptedRows(criteria, inFlight);
    if (rows.length === 0) {
      this.#freezeRangeEnd(criteria);
      return undefined;
    }
    const { list, frozen } = order;
    rows.forEach(({ id }, number) => {
      const previous = list[frozen - 1 + number]!;
      crossCheck.countRow(evidence.adjacencies[number]!, previous);
      frozenIds.add(id);
      ids.add(id);
      frozenClaims.add(this.#claimOf(number, previous.id), statistics.windows + 1);
    });
    const window = statistics.freeze(rows, frozen + rows.length - 1);
    order.frozen += rows.length;
    order.trim(this.#keptRows);
    return window;
  }

  #claimOf(number: number, previousId: string): Claim {
    const { order, evidence } = this.#parts;
    const { adjacencies, startVotes, startRivals } = evidence;
    const adjacency = adjacencies[number]!;
    return previousId === LIST_START
      ? {
          what: 'start',
          votes: startVotes,
          rivals: startRivals,
          position: adjacency,
          beginsAtZero: order.list[order.frozen]?.position === 0,
        }
      : { what: 'adjacency', ...adjacency };
  }

  #acceptedRows(criteria: Criteria, inFlight: readonly PlannedRead<Row>[]): Row[] {
    const { order, evidence, planner } = this.#parts;
    const { list, frozen } = order;
    const count = Math.min(evidence.adjacencies.length, this.#options.limit);
    const rows: Row[] = [];
    for (let number = 0; number < count; number++) {
      const { index, row } = list[frozen + number]!;
      const isExpected = inFlight.some(
        ({ kind, covers }) =>
          kind !== 'end' && covers !== undefined && covers[0].index <= index && index <= covers[1].index,
      );
      if (isExpected || row === undefined || !planner.isAccepted(number, criteria)) break;
      rows.push(row);
    }
    return rows;
  }

  /** The end that the caller gave has a place in the order like a row, and is not written out. */
  #freezeRangeEnd(criteria: Criteria): void {
    const { order, planner } = this.#parts;
    const { list, frozen } = order;
    if (list[frozen] === undefined || list[frozen].id !== this.#options.before) return;
    if (planner.isAccepted(0, criteria)) order.frozen++;
  }
}
