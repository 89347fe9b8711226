// Where rows are put after each answer: pages merged, contested rows moved, rows that are gone or misplaced taken out.
import type { Evidence } from './evidence/evidence.ts';
import type { Read } from './evidence/read.ts';
import { applyMajorityOrder } from './order/majority-order.ts';
import type { Entry, Order } from './order/order.ts';

/** Changes the known order after an answer. */
export class RowPlacement<Row> {
  readonly #order: Order<Row>;
  readonly #evidence: Evidence<Row>;
  readonly #rangeEnd: string | undefined;
  /** Rows that lost the place they had; each does so once. */
  readonly #displaced = new WeakSet<Entry<Row>>();

  /** `rangeEnd`: the exclusive end of the walk, if it has one. */
  constructor(order: Order<Row>, evidence: Evidence<Row>, rangeEnd: string | undefined) {
    this.#order = order;
    this.#evidence = evidence;
    this.#rangeEnd = rangeEnd;
  }

  /**
   * Merges a read that is part of the evidence. Returns the ids of rows that it shows between frozen rows (`late`), and of
   * those that it shows too far out of order to place them (`unordered`).
   */
  merge({ query, chain }: Read<Row>): { late: string[]; unordered: string[] } {
    const mayAppend = query.before === undefined || query.before === this.#rangeEnd;
    const { contested, late, unordered } = this.#order.merge(chain, mayAppend);
    applyMajorityOrder(this.#order, this.#evidence.reads, contested);
    // A row that lost its place stays known: it was not seen too late.
    for (const entry of [...late, ...unordered]) if (!this.#displaced.has(entry)) this.#order.forget(entry);
    this.#cutAtRangeEnd();
    return { late: late.map(({ id }) => id), unordered: unordered.map(({ id }) => id) };
  }

  /**
   * Takes misplaced rows out of the order, each once, and returns them; the next read that shows one gives it a place again. The
   * evidence must be counted again then.
   */
  displaceMisplaced(): Entry<Row>[] {
    const misplaced = this.#evidence
      .misplacedRows()
      .filter((entry) => entry.index >= this.#order.frozen && !this.#displaced.has(entry));
    for (const entry of misplaced) {
      this.#order.remove(entry);
      this.#displaced.add(entry);
    }
    return misplaced;
  }

  /** Takes out a row that the service answered 404 for. Returns its neighbour if only the cross-check source named the row. */
  removeGone(entry: Entry<Row>): Entry<Row> | undefined {
    const previous = this.#order.list[entry.index - 1];
    if (entry.index < 0 || entry.index >= this.#order.frozen) entry.gone = true;
    if (entry.index < 0) entry.isPhantom = true;
    this.#order.remove(entry);
    return entry.row === undefined && entry.gone ? previous : undefined;
  }

  /** Reverses two rows that the service answered 409 for. A frozen row and the end of the walk stay, the other row moves. */
  reverse(left: Entry<Row>, right: Entry<Row>): void {
    if (left.index < 0 || right.index < 0 || left.index > right.index) return;
    if (left.index < this.#order.frozen) this.#order.remove(right);
    else if (right.id === this.#rangeEnd) this.#order.forget(left);
    else this.#order.move(right, left.index);
  }

  /** The end of the walk has a place in the order like a row; rows after it are outside the walk. */
  #cutAtRangeEnd(): void {
    const end = this.#rangeEnd === undefined ? undefined : this.#order.get(this.#rangeEnd);
    if (end === undefined || end.index < 0) return;
    for (const entry of this.#order.list.slice(end.index + 1)) this.#order.forget(entry);
  }
}
