// What a walk learns from refused requests: a row that is gone (404), two rows in the other order (409), or nothing.
import { Fault } from '../faults.ts';
import type { Audit } from './audit.ts';
import type { Evidence } from './evidence/evidence.ts';
import type { WalkOptions } from './options.ts';
import { LIST_START, type Entry, type Order } from './order/order.ts';
import type { PendingChecks } from './plan/pending-checks.ts';
import type { ReadPlanner } from './plan/read-planner.ts';
import type { PlannedRead } from './plan/requests.ts';
import type { RowPlacement } from './row-placement.ts';
import type { Identified } from './source.ts';
import type { WalkStatistics } from './statistics.ts';

/** Requests in a row that the service may refuse before the walk ends. */
const MAX_REFUSALS_IN_A_ROW = 8;
/** The same before any row was seen: the service probably refuses them all. */
const MAX_REFUSALS_AT_START = 3;
/** Status codes that no other request would change: no token, no right, too many requests after all tries. */
const FINAL_STATUS: ReadonlySet<number> = new Set([401, 403, 429]);

/** The parts of a walk that refusals change. */
export type RefusalParts<Row extends Identified> = {
  order: Order<Row>;
  evidence: Evidence<Row>;
  planner: ReadPlanner<Row>;
  checks: PendingChecks<Row>;
  placement: RowPlacement<Row>;
  audit: Audit<Row>;
  statistics: WalkStatistics<Row>;
};

/** Takes refusals. */
export class Refusals<Row extends Identified> {
  readonly #parts: RefusalParts<Row>;
  readonly #options: WalkOptions<Row>;
  /** Requests that the service refused in a row, for another reason than their cursors. */
  #unexplained = 0;
  /** Rows that the service took as cursors, and then denied once. */
  readonly #denied = new WeakSet<Entry<Row>>();

  constructor(parts: RefusalParts<Row>, options: WalkOptions<Row>) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Takes an answer that is no refusal. */
  reset(): void {
    this.#unexplained = 0;
  }

  /**
   * Takes a refusal and returns what it means, for the log. Throws the error where no other request would help, and that of an end
   * that the caller gave.
   */
  take({ query }: PlannedRead<Row>, error: unknown): string {
    if (!(error instanceof Fault)) throw error;
    if (error.kind !== 'conflict' && error.kind !== 'not_found') return this.#skip(error);
    this.#unexplained = 0;
    const { after, before } = this.#options;
    const cursors = [query.after, query.before].filter((id) => id !== undefined);
    if (cursors.every((id) => id === after || id === before)) throw error;
    const { order, planner } = this.#parts;
    if (error.kind === 'not_found') {
      const entries = cursors.flatMap((id) => order.get(id) ?? []);
      if (cursors.length === 1 && entries[0] !== undefined) return this.#takeDenial(entries[0]);
      planner.probe(entries);
      return `row ${cursors.join(' or ')} is gone`;
    }
    this.#reverse(order.get(query.after ?? LIST_START), order.get(query.before ?? LIST_START));
    return `row ${query.before} is not after ${query.after}`;
  }

  /** A row that was a good cursor before is gone, or this answer comes from another state of the list: it is asked for once more. */
  #takeDenial(entry: Entry<Row>): string {
    if (entry.exists && !this.#denied.has(entry)) {
      this.#denied.add(entry);
      this.#parts.planner.probe([entry]);
      return `row ${entry.id} is denied, and was taken as a cursor before`;
    }
    this.#removeGone(entry);
    return `row ${entry.id} is gone`;
  }

  #removeGone(entry: Entry<Row>): void {
    const { evidence, placement, checks, order, audit } = this.#parts;
    // Nothing would be left after which the next rows could stand.
    if (entry.index === 0 && order.frozen === 1)
      throw new Fault('unstable', `the service denies all rows that it gave last, up to ${entry.id}`, {
        hint: 'read again later: it may serve another list now',
      });
    if (entry.index >= 0 && entry.index < order.frozen) audit.addGoneRow(entry.id);
    if (entry.row !== undefined) evidence.countGoneRow();
    const neighbour = placement.removeGone(entry);
    if (neighbour !== undefined) checks.recheckAfter(neighbour);
  }

  #reverse(left: Entry<Row> | undefined, right: Entry<Row> | undefined): void {
    if (left === undefined || right === undefined) return;
    const { order, audit, placement, statistics } = this.#parts;
    const areFrozen = left.index >= 0 && left.index < right.index && right.index < order.frozen;
    if (areFrozen) audit.contradictedWindows.add(statistics.windows);
    placement.reverse(left, right);
  }

  /** Goes on without a request that the service refused for a reason of its own. */
  #skip(error: Fault): string {
    const status = error.detail.status ?? 0;
    const isRefused = status >= 400 && status < 500 && !FINAL_STATUS.has(status);
    const isAtStart = this.#parts.statistics.rows + this.#parts.order.list.length <= 1;
    if (!isRefused || ++this.#unexplained >= (isAtStart ? MAX_REFUSALS_AT_START : MAX_REFUSALS_IN_A_ROW))
      throw error;
    return `refused with ${status}`;
  }
}
