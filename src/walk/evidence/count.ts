// Counts a set of reads against the known order: votes, rivals, claims about both ends, and the faults of each read.
import { LIST_START, type Entry, type Order } from '../order/order.ts';
import { noEvidence, type AdjacencyEvidence } from './claims.ts';
import {
  countPairsWithin,
  FAULT_KINDS,
  noFaults,
  type FaultKind,
  type FaultStatistics,
  type FaultyRead,
} from './fault-counts.ts';
import {
  BESIDE_BOTH,
  isShuffled,
  neighboursIn,
  reversedNeighbours,
  sidesShown,
  type Neighbours,
} from './neighbours.ts';
import { Numbering } from './numbering.ts';
import { requestKey, type Read, type Surface } from './read.ts';

/** Rows between two neighbours of a read up to which they count as omitted; beyond it the page came from elsewhere. */
const MAX_OMITTED_SPAN = 32;
/** Rows from one neighbour of a read to the other up to which those between are in doubt; more of them were shifted, not omitted. */
const MAX_DOUBTED_SPAN = 3;
/** Reads that must show a row more than leave it out; else the service is asked for the row. */
const MIN_LEAD_OF_SHOWN = 3;
/** Rows that a read may omit before it looks stale: one may have been dropped by chance. */
const MAX_CHANCE_OMISSIONS = 1;
/** Reads that must omit a row for each read that shows it before the row loses its place. */
const MISPLACED_RATIO = 4;
/** Share of adjacencies with consecutive positions from which on another position is a gap. */
const MIN_DENSE_SHARE = 0.75;
/** Two indexes are stored as one number: left × this + right. */
const PAIR_KEY_FACTOR = 0x400000;

/** How reads without a cursor vote for the start of the list: once together, once for each different request, or not. */
export type StartVotes = 'one' | 'one a request' | 'none';

/** The wrong claims of one read by kind, each with the index where it stands. */
type WrongClaims = Map<FaultKind, Map<unknown, number>>;

/** One count of a set of reads. It is made anew after each read and not changed. */
export class EvidenceCount<Row> {
  /** One for each adjacency from the frontier on: the first is between the frontier and the row after it. */
  readonly adjacencies: AdjacencyEvidence[];
  /** Faults of these reads, pairs within them included. */
  readonly faults: FaultStatistics = noFaults();
  readonly faultyReads: FaultyRead[] = [];
  /** Reads that say that the list starts with its first known row, and the most that name another one. */
  startVotes = 0;
  startRivals = 0;
  /** Keys of the requests whose answers say that the list ends with its last known row. */
  readonly endReads = new Set<string>();
  /** Answers of the cross-check source among {@link endReads}. */
  endConfirmations = 0;
  /** Reads among {@link endReads} that were made when only the end was left to prove. */
  finalEndChecks = 0;
  readonly #order: Order<Row>;
  /** For each index of the order, where the read at hand shows the row; -1 where it does not. */
  readonly #shown: Int32Array;
  /** How often each surface shows two rows as neighbours that are none in the known order. */
  readonly #rivals: Record<Surface, Map<number, number>> = { list: new Map(), 'cross-check': new Map() };
  /** For each index of the order, the reads that show the row, less those that leave it out between two others. */
  readonly #leads: Int32Array;
  /** Indexes of rows that some read leaves out, also beside its cursor. */
  readonly #leftOut = new Set<number>();
  readonly #sides: Uint8Array;
  readonly #cursorlessReads = new Set<string>();
  readonly #cursorlessVotes: StartVotes;
  readonly #otherStarts = new Map<Entry<Row>, number>();
  /** What each answer that looks stale omits. */
  readonly #staleOmissions: Record<Surface, (readonly Entry<Row>[])[]> = { list: [], 'cross-check': [] };

  /**
   * Counts `reads`. `cursorlessVotes`: reads without a cursor count as one vote for the start together, or one for each
   * different request.
   */
  constructor(order: Order<Row>, reads: readonly Read<Row>[], cursorlessVotes: StartVotes) {
    this.#order = order;
    this.#cursorlessVotes = cursorlessVotes;
    this.#shown = new Int32Array(order.list.length);
    this.#leads = new Int32Array(order.list.length);
    this.adjacencies = Array.from({ length: order.list.length - order.frozen }, noEvidence);
    const usable = reads.filter((read) => !isShuffled(read));
    const numbering = new Numbering(order, usable);
    this.#sides = sidesShown(usable, order.list.length);
    for (const read of reads) if (isShuffled(read)) this.#addShuffled(read);
    for (const read of usable) this.#count(read, numbering);
    this.#addNumbering(numbering);
    this.#addDoubts();
    if (cursorlessVotes !== 'none') this.startVotes += this.#cursorlessReads.size;
    for (const votes of this.#otherStarts.values()) this.startRivals = Math.max(this.startRivals, votes);
    countPairsWithin(this.faults.kinds, this.faultyReads);
    this.faults.crossCheck.matches = this.#crossCheckMatches;
  }

  /** Returns the rows that many reads omit between the same two neighbours, while hardly a read shows them there. */
  misplacedRows(): Entry<Row>[] {
    const { frozen, list } = this.#order;
    const votesFor = (index: number): number => {
      const { insideVotes, cursorVotes, crossCheckVotes } = this.adjacencies[index - frozen]!;
      return list[index - 1]!.id === LIST_START
        ? this.startVotes
        : insideVotes + cursorVotes + crossCheckVotes;
    };
    return [...this.#rivals.list].flatMap(([key, reads]) => {
      const [left, right] = [Math.floor(key / PAIR_KEY_FACTOR), key % PAIR_KEY_FACTOR];
      if (left + 1 < frozen || reads < MISPLACED_RATIO) return [];
      return reads > MISPLACED_RATIO * Math.max(votesFor(left + 1), votesFor(right))
        ? list.slice(left + 1, right)
        : [];
    });
  }

  #count(read: Read<Row>, numbering: Numbering<Row>): void {
    const { chain } = read;
    const shown = this.#shown.fill(-1);
    for (let position = 0; position < chain.length; position++)
      if (chain[position]!.index >= 0) shown[chain[position]!.index] = position;
    if (read.surface === 'list') for (const { index } of chain) if (index >= 0) this.#leads[index]!++;
    const pairs = neighboursIn(read);
    const omitted = this.#omittedRows(pairs);
    const reversed = reversedNeighbours(pairs);
    const showsGoneRow = read.showsGoneRow || chain.some(({ isPhantom }) => isPhantom);
    const looksStale = omitted.length > MAX_CHANCE_OMISSIONS || showsGoneRow;
    const wrong: WrongClaims = new Map();
    const addWrong = (kind: FaultKind, claim: unknown, index: number) =>
      (wrong.get(kind) ?? wrong.set(kind, new Map()).get(kind)!).set(claim, index);
    for (const entry of omitted) {
      addWrong('omission', entry, entry.index);
      if (looksStale) addWrong('stale', entry, entry.index);
    }
    if (showsGoneRow)
      chain.forEach((entry, at) => {
        if (entry.gone) addWrong('stale', entry, Math.max(0, chain[Math.max(0, at - 1)]!.index));
      });
    for (const { left, right } of reversed)
      addWrong('order', left * PAIR_KEY_FACTOR + right, Math.min(left, right));
    if (looksStale) this.#staleOmissions[read.surface].push(omitted);
    for (let pair = 0; pair < pairs.lefts.length; pair++) {
      const atCursor = pair === pairs.atStart || pair === pairs.atEnd;
      const [left, right] = [pairs.lefts[pair]!, pairs.rights[pair]!];
      const isWrongCursor = atCursor && (right.index < left.index || this.#skips(left, right));
      if (isWrongCursor)
        addWrong(
          left.id === LIST_START ? 'edge' : 'cursor',
          left.index * PAIR_KEY_FACTOR + right.index,
          left.index,
        );
      const tainted = {
        omission: omitted.length > 0,
        stale: looksStale,
        order: reversed.length > 0,
      };
      this.#countPair(read, left, right, atCursor, tainted);
    }
    const { frozen } = this.#order;
    for (let position = 0; position < chain.length; position++) {
      const { index } = chain[position]!;
      // A row that the page shows twice counts where it stands last.
      if (index >= frozen && index > 0 && shown[index] === position && position < shown[index - 1]!)
        this.adjacencies[index - frozen]!.reversedReads++;
    }
    if (read.claimsEnd && !this.#countEnd(read))
      addWrong('edge', chain.at(-1), Math.max(0, chain.at(-1)?.index ?? 0));
    const deviating = numbering.deviating.get(read);
    if (deviating !== undefined) wrong.set('numbering', deviating.claims);
    this.#addFaults(read, pairs, wrong);
  }

  #countPair(
    read: Read<Row>,
    left: Entry<Row>,
    right: Entry<Row>,
    atCursor: boolean,
    tainted: Record<'omission' | 'stale' | 'order', boolean>,
  ): void {
    const { frozen } = this.#order;
    const isCrossCheck = read.surface === 'cross-check';
    const adjacency = this.adjacencies[left.index - frozen + 1];
    if (right.index < left.index) return;
    if (right.index > left.index + 1) {
      if (left.id === LIST_START && !this.#omitsExistingRow(left, right))
        this.#otherStarts.set(right, (this.#otherStarts.get(right) ?? 0) + 1);
      this.#countRival(read.surface, left, right, adjacency);
      return;
    }
    if (adjacency !== undefined && isCrossCheck) adjacency.confirmations++;
    if (left.id === LIST_START) {
      if (read.query.before !== undefined) this.startVotes++;
      else
        this.#cursorlessReads.add(
          this.#cursorlessVotes === 'one' ? read.surface : requestKey(read.query, read.surface),
        );
      return;
    }
    if (adjacency === undefined) return;
    if (atCursor) {
      if (!tainted.stale) adjacency.cursorVotes++;
    } else if (isCrossCheck) {
      if (!tainted.stale) adjacency.crossCheckVotes++;
    } else {
      adjacency.insideVotes++;
      for (const kind of ['omission', 'stale', 'order'] as const)
        if (tainted[kind]) adjacency.taintedVotes[kind]++;
    }
  }

  #countRival(
    surface: Surface,
    left: Entry<Row>,
    right: Entry<Row>,
    afterLeft: AdjacencyEvidence | undefined,
  ): void {
    const key = left.index * PAIR_KEY_FACTOR + right.index;
    const reads = (this.#rivals[surface].get(key) ?? 0) + 1;
    this.#rivals[surface].set(key, reads);
    if (surface === 'list' && right.index - left.index <= MAX_DOUBTED_SPAN)
      for (let index = left.index + 1; index < right.index; index++)
        if (this.#shown[index]! < 0) {
          this.#leads[index]!--;
          this.#leftOut.add(index);
        }
    // A row between that the service took as a cursor and that the page does not show: the page is wrong here.
    if (this.#omitsExistingRow(left, right)) return;
    for (const denied of [afterLeft, this.adjacencies[right.index - this.#order.frozen]])
      if (denied !== undefined) denied.rivalVotes = Math.max(denied.rivalVotes, reads);
  }

  /** Returns whether the read shows the end after the last known row. */
  #countEnd(read: Read<Row>): boolean {
    if (read.chain.findLast(({ gone }) => !gone) !== this.#order.list.at(-1)) return false;
    this.endReads.add(requestKey(read.query, read.surface));
    if (read.surface === 'cross-check') this.endConfirmations++;
    if (read.isFinalCheck) this.finalEndChecks++;
    return true;
  }

  /** Returns whether the page leaves out rows between these two; false where it shows them at another place. */
  #skips(left: Entry<Row>, right: Entry<Row>): boolean {
    return (
      right.index > left.index + 1 && (this.#shown[left.index + 1]! < 0 || this.#shown[right.index - 1]! < 0)
    );
  }

  #omitsExistingRow(left: Entry<Row>, right: Entry<Row>): boolean {
    if (right.index - left.index > MAX_OMITTED_SPAN) return false;
    for (let index = left.index + 1; index < right.index; index++)
      if (this.#shown[index]! < 0 && this.#order.list[index]!.exists) return true;
    return false;
  }

  /** Returns the rows that the page omits between two of its rows, and counts them. */
  #omittedRows({ lefts, rights, atStart, atEnd }: Neighbours<Row>): Entry<Row>[] {
    const { frozen, list } = this.#order;
    const omitted: Entry<Row>[] = [];
    for (let pair = 0; pair < lefts.length; pair++) {
      const [left, right] = [lefts[pair]!.index, rights[pair]!.index];
      if (right <= left + 1 || right - left > MAX_OMITTED_SPAN || pair === atStart || pair === atEnd)
        continue;
      for (let index = left + 1; index < right; index++)
        if (this.#shown[index]! < 0 && this.#sides[index] === BESIDE_BOTH) omitted.push(list[index]!);
    }
    for (const { index } of omitted) if (index >= frozen) this.adjacencies[index - frozen]!.omittingReads++;
    return omitted;
  }

  /** Adds a read to the fault counts: what it could have shown wrong, and what it did. */
  #addFaults(read: Read<Row>, pairs: Neighbours<Row>, wrong: WrongClaims): void {
    const { crossCheck, kinds, any } = this.faults;
    if (read.surface === 'cross-check') {
      crossCheck.reads++;
      if (wrong.size > 0 || read.repeatedRows.size > 0) crossCheck.faulty++;
      return;
    }
    any.reads++;
    if (wrong.size > 0 || read.repeatedRows.size > 0) any.faulty++;
    const hasInside = pairs.lefts.length > Number(pairs.atStart >= 0) + Number(pairs.atEnd >= 0);
    const startsList = pairs.atStart >= 0 && pairs.lefts[pairs.atStart]!.id === LIST_START;
    const possible: Record<FaultKind, boolean> = {
      omission: hasInside,
      // A row that is gone can be the only one of a page.
      stale: pairs.lefts.length > 0 || read.claimsEnd,
      order: hasInside,
      cursor: (pairs.atStart >= 0 && !startsList) || pairs.atEnd >= 0,
      edge: startsList || read.claimsEnd,
      numbering: read.positions !== undefined,
    };
    let [low, high] = [Infinity, -1];
    for (const { index } of wrong.size === 0 ? [] : read.chain) {
      if (index < 0) continue;
      low = Math.min(low, index);
      high = Math.max(high, index);
    }
    for (const kind of FAULT_KINDS) {
      const claims = wrong.get(kind);
      if (possible[kind] || claims !== undefined) kinds[kind].reads++;
      if (claims === undefined) continue;
      kinds[kind].faulty++;
      this.faultyReads.push({ kind, low, high, claims });
    }
  }

  /** A read in another order altogether says nothing but that. It makes no claim, so it is no measure of the claims of others. */
  #addShuffled(read: Read<Row>): void {
    if (read.surface === 'cross-check') {
      this.faults.crossCheck.reads++;
      this.faults.crossCheck.faulty++;
      return;
    }
    this.faults.any.reads++;
    this.faults.any.faulty++;
  }

  #addNumbering(numbering: Numbering<Row>): void {
    const { frozen, list } = this.#order;
    let consecutive = 0;
    this.adjacencies.forEach((adjacency, number) => {
      adjacency.isConsecutive = hasConsecutivePosition(this.#order, frozen + number);
      if (adjacency.isConsecutive) consecutive++;
      const { votes, rivals } = numbering.votesFrom(frozen + number);
      adjacency.numberingVotes = votes;
      adjacency.numberingRivals = rivals;
    });
    if (consecutive < MIN_DENSE_SHARE * this.adjacencies.length) return;
    this.adjacencies.forEach((adjacency, number) => {
      const [left, right] = [list[frozen + number - 1]!, list[frozen + number]!];
      adjacency.isGap =
        !adjacency.isConsecutive && left.position !== undefined && right.position !== undefined;
    });
  }

  /** A row is in doubt while hardly more reads show it than leave it out, and the service was not asked whether it is in the list. */
  #addDoubts(): void {
    const { frozen, list } = this.#order;
    this.adjacencies.forEach((adjacency, number) => {
      const { exists } = list[frozen + number]!;
      const isOmitted = adjacency.omittingReads > 0 || this.#leftOut.has(frozen + number);
      adjacency.isInDoubt = isOmitted && !exists && this.#leads[frozen + number]! < MIN_LEAD_OF_SHOWN;
    });
  }

  get #crossCheckMatches(): number {
    const inBoth = (a: readonly Entry<Row>[], b: readonly Entry<Row>[]) =>
      a.filter((entry) => b.includes(entry)).length;
    return this.#staleOmissions['cross-check'].reduce(
      (count, answer) =>
        count +
        this.#staleOmissions.list.filter((read) => inBoth(answer, read) > MAX_CHANCE_OMISSIONS).length,
      0,
    );
  }
}

/**
 * Returns whether the row at this index shows the position after its neighbour's. The first row of the list has no
 * neighbour: it must show position 0 or 1, and the row after it the next one.
 */
function hasConsecutivePosition<Row>({ list }: Order<Row>, index: number): boolean {
  const [left, right] = [list[index - 1]!, list[index]!];
  if (right.position === undefined) return false;
  if (left.id === LIST_START) return right.position <= 1 && list[index + 1]?.position === right.position + 1;
  return left.position !== undefined && right.position === left.position + 1;
}
