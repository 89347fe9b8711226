// All evidence of a walk: the reads that still matter, counted anew after each read, and what older reads left behind.
import { UNPLACED, type Entry, type Order } from '../order/order.ts';
import type { AdjacencyEvidence } from './claims.ts';
import { EvidenceCount, type StartVotes } from './count.ts';
import { addFaults, countPairs, noFaults, type FaultStatistics } from './fault-counts.ts';
import { isSameRequest, type Read } from './read.ts';

/**
 * Reads that show nothing after the frontier are retired: their rows are dropped, their fault counts stay. So memory
 * depends on the rows ahead of the frontier, not on the length of the list.
 */
export class Evidence<Row> {
  #reads: Read<Row>[] = [];
  /** Reads whose request was made again. */
  readonly #superseded = new WeakSet<Read<Row>>();
  readonly #retiredFaults = noFaults();
  readonly #cursorlessVotes: StartVotes;
  #count: EvidenceCount<Row> | undefined;
  #faults = noFaults();
  /** Faults of reads of frozen rows, which are counted elsewhere. */
  #auditFaults = noFaults();

  /** `cursorlessVotes` says how reads without a cursor count as votes for the start of the list. */
  constructor(cursorlessVotes: StartVotes) {
    this.#cursorlessVotes = cursorlessVotes;
  }

  get reads(): readonly Read<Row>[] {
    return this.#reads;
  }

  /** Adjacencies from the frontier on: the first is between the frontier and the row after it. */
  get adjacencies(): readonly AdjacencyEvidence[] {
    return this.#count?.adjacencies ?? [];
  }

  /** Faults of all reads of the walk. */
  get faults(): FaultStatistics {
    return this.#faults;
  }

  get startVotes(): number {
    return this.#count?.startVotes ?? 0;
  }

  get startRivals(): number {
    return this.#count?.startRivals ?? 0;
  }

  get endReads(): ReadonlySet<string> {
    return this.#count?.endReads ?? new Set();
  }

  get endConfirmations(): number {
    return this.#count?.endConfirmations ?? 0;
  }

  get finalEndChecks(): number {
    return this.#count?.finalEndChecks ?? 0;
  }

  /** Returns the rows that stand where hardly a read shows them. */
  misplacedRows(): Entry<Row>[] {
    return this.#count?.misplacedRows() ?? [];
  }

  /** Takes the faults of all reads of the audit. */
  setAuditFaults(faults: FaultStatistics): void {
    this.#auditFaults = faults;
    this.#sumFaults();
  }

  /** Adds a read. An older answer to the same request does not count beside it: a service may give the same wrong one again. */
  add(read: Read<Row>): void {
    const older = this.#reads.find((other) => isSameRequest(other, read));
    if (older !== undefined) this.#superseded.add(older);
    this.#reads.push(read);
  }

  /** Counts a row that pages showed and that the service answered 404 for. */
  countGoneRow(): void {
    this.#retiredFaults.gone.rows++;
  }

  /** Retires reads that no longer matter and counts the others against the order. O(rows of the reads that are kept). */
  recount(order: Order<Row>): void {
    const matters = (read: Read<Row>) =>
      !this.#superseded.has(read) &&
      (read.chain.some(({ index, gone }) => index >= order.frozen || (index === UNPLACED && !gone)) ||
        (read.claimsEnd && read.chain.findLast(({ gone }) => !gone) === order.list.at(-1)));
    const retired = this.#reads.filter((read) => !matters(read));
    this.#reads = this.#reads.filter(matters);
    const retiredCount =
      retired.length === 0 ? undefined : new EvidenceCount(order, retired, this.#cursorlessVotes);
    this.#count = new EvidenceCount(order, this.#reads, this.#cursorlessVotes);
    if (retiredCount !== undefined) {
      // A pair of reads is counted when the first of the two retires.
      countPairs(retiredCount.faults.kinds, retiredCount.faultyReads, this.#count.faultyReads);
      addFaults(this.#retiredFaults, retiredCount.faults);
    }
    this.#sumFaults();
  }

  #sumFaults(): void {
    this.#faults = noFaults();
    addFaults(this.#faults, this.#retiredFaults);
    addFaults(this.#faults, this.#auditFaults);
    if (this.#count !== undefined) addFaults(this.#faults, this.#count.faults);
  }
}
