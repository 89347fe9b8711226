// Which questions to the cross-check source are pending: adjacencies, the end of the list, rows that it alone has named.
import type { Criteria } from '../decide/criteria.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { LIST_START, type Entry, type Order } from '../order/order.ts';
import type { CrossCheck } from './cross-check.ts';
import type { FreshRequests, PlannedRead } from './requests.ts';

/** Rows before the last one from which the source is asked for the end. */
const END_OVERLAP_ROWS = 4;

/** Finds the next question to the cross-check source. */
export class PendingChecks<Row> {
  readonly #order: Order<Row>;
  readonly #evidence: Evidence<Row>;
  readonly #crossCheck: CrossCheck<Row>;
  readonly #requests: FreshRequests<Row>;
  readonly #rangeEnd: string | undefined;
  readonly #rechecks: Entry<Row>[] = [];

  constructor(
    order: Order<Row>,
    evidence: Evidence<Row>,
    crossCheck: CrossCheck<Row>,
    requests: FreshRequests<Row>,
    rangeEnd: string | undefined,
  ) {
    this.#order = order;
    this.#evidence = evidence;
    this.#crossCheck = crossCheck;
    this.#requests = requests;
    this.#rangeEnd = rangeEnd;
  }

  /** Returns whether the adjacency with this number after the frontier must be confirmed and is not. */
  isUnconfirmed(number: number): boolean {
    if (!this.#crossCheck.isAvailable) return false;
    const { list, frozen } = this.#order;
    const adjacency = this.#evidence.adjacencies[number]!;
    if (adjacency.confirmations > 0) return false;
    if (!this.#crossCheck.isRequired(adjacency, list[frozen - 1 + number]!)) return false;
    // After a cursor that the caller gave there is no row to ask with.
    const firstUsable = list.findIndex((entry) => this.#crossCheck.canAskWith(entry));
    return firstUsable !== -1 && firstUsable < frozen + number;
  }

  /** Whether the end of the list must be confirmed and is not. */
  get isEndUnconfirmed(): boolean {
    if (!this.#crossCheck.isAvailable || this.#rangeEnd !== undefined || this.#evidence.endConfirmations > 0)
      return false;
    return this.#order.list.some((entry) => this.#crossCheck.canAskWith(entry));
  }

  /** Returns a question about an adjacency that has `confirmations`, pending ones included, and should have more. */
  forAdjacency(number: number, confirmations: number, criteria: Criteria): PlannedRead<Row> | undefined {
    const left = this.#order.frozen - 1 + number;
    const adjacency = this.#evidence.adjacencies[number]!;
    const wanted = this.#crossCheck.wantedVotes(adjacency, this.#order.list[left]!, criteria);
    return confirmations < wanted ? this.#ask(left) : undefined;
  }

  /** Returns a question about the end of the list. */
  forEnd(): PlannedRead<Row> | undefined {
    const { length } = this.#order.list;
    const planned = this.#ask(Math.max(0, length - END_OVERLAP_ROWS)) ?? this.#ask(length - 1);
    return planned === undefined ? undefined : { ...planned, kind: 'end' };
  }

  /** Asks again what follows a row: the source named one there that is gone. */
  recheckAfter(entry: Entry<Row>): void {
    this.#rechecks.push(entry);
  }

  nextRecheck(): PlannedRead<Row> | undefined {
    const entry = this.#rechecks.pop();
    return entry === undefined || entry.index < 0 ? undefined : this.#ask(entry.index);
  }

  #ask(left: number): PlannedRead<Row> | undefined {
    const { list } = this.#order;
    const isUsable = (entry: Entry<Row>) => this.#crossCheck.canAskWith(entry);
    // With a cursor further back both rows of the adjacency are in the answer.
    const cursor =
      list.slice(0, Math.max(1, left)).findLast(isUsable) ?? list.slice(0, left + 1).find(isUsable);
    if (cursor === undefined || left - cursor.index >= this.#requests.pageRows - 1) return undefined;
    const query = this.#requests.crossCheck(cursor);
    if (query === undefined || !this.#crossCheck.mayAskAgain(list[left]!)) return undefined;
    const covers = this.#requests.covers(query);
    const from = cursor.id === LIST_START ? {} : { cursor };
    return { query, surface: 'cross-check', ...from, kind: 'verify', covers, isFinalCheck: false };
  }
}
