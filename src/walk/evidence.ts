// What the reads of a walk say about each pair of neighbours, counted anew over the few reads that reach past the frontier.
import { NOWHERE, type Order } from './order.ts';
import type { Read } from './read.ts';
import { Count, noClaims, noSuspicion, type Gap, type Suspicion } from './count.ts';

export class Evidence<Row> {
  #reads: Read<Row>[] = [];
  /** Of reads that show nothing past the frontier any more: their faults are kept, not their rows. */
  readonly #retired = noClaims();
  #retiredSuspicion = noSuspicion();
  #count: Count<Row> | undefined;

  get reads(): readonly Read<Row>[] {
    return this.#reads;
  }

  /** Gaps after the frontier: the first is between it and the row behind it. */
  get gaps(): readonly Gap[] {
    return this.#count?.gaps ?? [];
  }

  get rates(): Count<Row>['rates'] {
    return this.#count?.rates ?? this.#retired;
  }

  /** Reads that say the list starts with its first known row; those without a cursor count once. */
  get start(): number {
    return this.#count?.start ?? 0;
  }

  /** Keys of the reads that say the list ends with its last known row; `drained` ones among them. */
  get ends(): ReadonlySet<string> {
    return this.#count?.ends ?? new Set();
  }

  get drained(): number {
    return this.#count?.drained ?? 0;
  }

  get suspicion(): Suspicion {
    return sum(this.#count?.suspicion ?? noSuspicion(), this.#retiredSuspicion);
  }

  add(read: Read<Row>): void {
    this.#reads.push(read);
  }

  /** Something was proved to come after the end: reads that said otherwise are forgotten. */
  denyEnds(): void {
    this.#reads = this.#reads.filter(({ ends }) => !ends);
  }

  /** Retires reads that show nothing past the frontier, then counts the rest. O(rows of the reads kept). */
  survey(order: Order<Row>): void {
    const matters = ({ chain, ends }: Read<Row>) =>
      chain.some(({ at }) => at >= order.frozen || at === NOWHERE) ||
      (ends && chain.findLast(({ gone }) => !gone) === order.list.at(-1));
    const retired = this.#reads.filter((read) => !matters(read));
    if (retired.length > 0) {
      const { suspicion } = new Count(order, retired, this.#retired);
      this.#retiredSuspicion = sum(this.#retiredSuspicion, suspicion);
      this.#reads = this.#reads.filter(matters);
    }
    this.#count = new Count(order, this.#reads, structuredClone(this.#retired));
  }
}

const sum = (a: Suspicion, b: Suspicion): Suspicion => ({
  stale: a.stale + b.stale,
  others: a.others + b.others,
  shared: a.shared + b.shared,
  chances: a.chances + b.chances,
});
