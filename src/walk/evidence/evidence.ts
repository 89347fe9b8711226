// What the reads of a walk say about each pair of neighbours, counted anew over the few reads that reach past the frontier.
import { NOWHERE, type Order, type Place } from '../order/order.ts';
import type { Read } from './read.ts';
import { Count, noClaims, type Gap } from './count.ts';
import { noSuspicion, type Suspicion } from './stale-answers.ts';

/** So few gaps say nothing about the list; share of them from which on it is dense. */
const FEW = 8;
const DENSE_SHARE = 0.75;
/** Reads that agree on a pair. */
const AGREED = 2;

export class Evidence<Row> {
  #reads: Read<Row>[] = [];
  /** Of reads that show nothing past the frontier any more: their faults are kept, not their rows. */
  readonly #retired = noClaims();
  #retiredSuspicion = noSuspicion();
  /** The most that was known at one time: reads that retire take pairs of stale answers with them. */
  #known = noSuspicion();
  readonly #cursorless: 'once' | 'each';
  #count: Count<Row> | undefined;
  #isDense = false;
  #jumps = 0;

  /** `cursorless` says how reads without a cursor count for the start of the list. */
  constructor(cursorless: 'once' | 'each') {
    this.#cursorless = cursorless;
  }

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

  /** Pairs whose positions leave room though reads agree on them: several in a dense list look like one stale state. */
  get jumps(): number {
    return this.#jumps;
  }

  /** Whether nearly all rows show the position after their neighbour's. */
  get isDense(): boolean {
    return this.#isDense;
  }

  /** Reads that say the list starts with its first known row; those without a cursor count once unless nothing else can. */
  get start(): number {
    return this.#count?.start ?? 0;
  }

  /** Keys of the reads that say the list ends with its last known row; `drained` ones among them. */
  get ends(): ReadonlySet<string> {
    return this.#count?.ends ?? new Set();
  }

  /** Reads of the witness among them. */
  get endsTold(): number {
    return this.#count?.endsTold ?? 0;
  }

  get drained(): number {
    return this.#count?.drained ?? 0;
  }

  get suspicion(): Suspicion {
    return this.#known;
  }

  /** Rows that stand where hardly a read shows them. */
  misfits(): Place<Row>[] {
    return this.#count?.misfits() ?? [];
  }

  add(read: Read<Row>): void {
    this.#reads.push(read);
  }

  /** Retires reads that show nothing past the frontier, then counts the rest. O(rows of the reads kept). */
  survey(order: Order<Row>): void {
    const matters = ({ chain, ends }: Read<Row>) =>
      chain.some(({ at }) => at >= order.frozen || at === NOWHERE) ||
      (ends && chain.findLast(({ gone }) => !gone) === order.list.at(-1));
    const retired = this.#reads.filter((read) => !matters(read));
    if (retired.length > 0) {
      const { suspicion } = new Count(order, retired, this.#retired, this.#cursorless);
      this.#retiredSuspicion = sum(this.#retiredSuspicion, suspicion);
      this.#reads = this.#reads.filter(matters);
    }
    this.#count = new Count(order, this.#reads, structuredClone(this.#retired), this.#cursorless);
    this.#jumps = this.gaps.filter((gap) => !gap.dense && gap.inside >= AGREED).length;
    if (this.gaps.length >= FEW) {
      const dense = this.gaps.filter((gap) => gap.dense).length;
      this.#isDense = dense > DENSE_SHARE * this.gaps.length;
    }
    const { stale, others, shared, chances, accomplices } = sum(
      this.#count.suspicion,
      this.#retiredSuspicion,
    );
    this.#known = {
      stale,
      others,
      shared: Math.max(shared, this.#known.shared),
      chances: Math.max(chances, this.#known.chances),
      accomplices: Math.max(accomplices, this.#known.accomplices),
    };
  }
}

const sum = (a: Suspicion, b: Suspicion): Suspicion => ({
  stale: a.stale + b.stale,
  others: a.others + b.others,
  shared: a.shared + b.shared,
  chances: a.chances + b.chances,
  accomplices: a.accomplices + b.accomplices,
});
