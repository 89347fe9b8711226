// All evidence of a walk: the reads that still matter, counted anew after each read, and what older reads left behind.
import { UNPLACED, type Entry, type Order } from '../order/order.ts';
import { noClaims, type AdjacencyEvidence, type ClaimCounts } from './claims.ts';
import { EvidenceCount, type StartVotes } from './count.ts';
import type { Read } from './read.ts';
import { noStaleSigns, type StaleSigns } from './stale-answers.ts';

/** Adjacencies needed before the share of consecutive positions says anything about the list. */
const MIN_ADJACENCIES_FOR_DENSITY = 8;
/** Share of adjacencies with consecutive positions from which on the positions of the list are dense. */
const MIN_DENSE_SHARE = 0.75;
/** Votes that make an adjacency with a gap in its positions worth counting. */
const MIN_VOTES_FOR_POSITION_GAP = 2;

/**
 * Reads that show nothing after the frontier are retired: their rows are dropped, their fault counts stay. So memory
 * depends on the rows ahead of the frontier, not on the length of the list.
 */
export class Evidence<Row> {
  #reads: Read<Row>[] = [];
  readonly #retiredClaims = noClaims();
  #retiredSigns = noStaleSigns();
  /** The highest signs so far: with a read that retires, the pairs that it made with other stale reads are lost. */
  #highestSigns = noStaleSigns();
  readonly #cursorlessVotes: StartVotes;
  #count: EvidenceCount<Row> | undefined;
  #hasDensePositions = false;
  #positionGaps = 0;

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

  get claims(): ClaimCounts {
    return this.#count?.claims ?? this.#retiredClaims;
  }

  /** Adjacencies that reads agree on although their positions are not consecutive. */
  get positionGaps(): number {
    return this.#positionGaps;
  }

  /** Whether nearly all rows show the position after their neighbour's. */
  get hasDensePositions(): boolean {
    return this.#hasDensePositions;
  }

  get startVotes(): number {
    return this.#count?.startVotes ?? 0;
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

  get staleSigns(): StaleSigns {
    return this.#highestSigns;
  }

  /** Returns the rows that stand where hardly a read shows them. */
  misplacedRows(): Entry<Row>[] {
    return this.#count?.misplacedRows() ?? [];
  }

  add(read: Read<Row>): void {
    this.#reads.push(read);
  }

  /** Retires reads that no longer matter and counts the others against the order. O(rows of the reads that are kept). */
  recount(order: Order<Row>): void {
    const matters = ({ chain, claimsEnd }: Read<Row>) =>
      chain.some(({ index }) => index >= order.frozen || index === UNPLACED) ||
      (claimsEnd && chain.findLast(({ gone }) => !gone) === order.list.at(-1));
    const retired = this.#reads.filter((read) => !matters(read));
    if (retired.length > 0) {
      const count = new EvidenceCount(order, retired, this.#retiredClaims, this.#cursorlessVotes);
      this.#retiredSigns = sum(this.#retiredSigns, count.staleSigns);
      this.#reads = this.#reads.filter(matters);
    }
    const claims = structuredClone(this.#retiredClaims);
    this.#count = new EvidenceCount(order, this.#reads, claims, this.#cursorlessVotes);
    this.#inspectPositions();
    const signs = sum(this.#count.staleSigns, this.#retiredSigns);
    const { sharedOmissions, sharingChances, crossCheckMatches } = this.#highestSigns;
    this.#highestSigns = {
      staleReads: signs.staleReads,
      otherFaultyReads: signs.otherFaultyReads,
      sharedOmissions: Math.max(signs.sharedOmissions, sharedOmissions),
      sharingChances: Math.max(signs.sharingChances, sharingChances),
      crossCheckMatches: Math.max(signs.crossCheckMatches, crossCheckMatches),
    };
  }

  #inspectPositions(): void {
    const { adjacencies } = this;
    this.#positionGaps = adjacencies.filter(
      ({ isConsecutive, insideVotes }) => !isConsecutive && insideVotes >= MIN_VOTES_FOR_POSITION_GAP,
    ).length;
    if (adjacencies.length < MIN_ADJACENCIES_FOR_DENSITY) return;
    const consecutive = adjacencies.filter(({ isConsecutive }) => isConsecutive).length;
    this.#hasDensePositions = consecutive > MIN_DENSE_SHARE * adjacencies.length;
  }
}

const sum = (a: StaleSigns, b: StaleSigns): StaleSigns => ({
  staleReads: a.staleReads + b.staleReads,
  otherFaultyReads: a.otherFaultyReads + b.otherFaultyReads,
  sharedOmissions: a.sharedOmissions + b.sharedOmissions,
  sharingChances: a.sharingChances + b.sharingChances,
  crossCheckMatches: a.crossCheckMatches + b.crossCheckMatches,
});
