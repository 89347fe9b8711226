// Counts a set of reads against the known order: votes, rivals, wrong claims, claims about both ends, signs of stale answers.
import { LIST_START, type Entry, type Order } from '../order/order.ts';
import { noEvidence, type AdjacencyEvidence, type ClaimCounts } from './claims.ts';
import {
  BESIDE_BOTH,
  hasMisplacedRows,
  isShuffled,
  neighboursIn,
  sidesShown,
  type Neighbours,
} from './neighbours.ts';
import { requestKey, type Read, type Surface } from './read.ts';
import { looksStale, StaleAnswers, type StaleSigns } from './stale-answers.ts';

/** Rows between two neighbours of a read up to which they count as omitted; beyond it the page came from elsewhere. */
const MAX_OMITTED_SPAN = 32;
/** Reads that must omit a row for each read that shows it before the row loses its place. */
const MISPLACED_RATIO = 4;
/** Two indexes are stored as one number: left × this + right. */
const PAIR_KEY_FACTOR = 0x400000;

/** How reads without a cursor vote for the start of the list: once together, or once for each different request. */
export type StartVotes = 'one' | 'one a request';

/** One count of a set of reads. It is made anew after each read and not changed. */
export class EvidenceCount<Row> {
  /** One for each adjacency from the frontier on: the first is between the frontier and the row after it. */
  readonly adjacencies: AdjacencyEvidence[];
  readonly claims: ClaimCounts;
  /** Reads that say that the list starts with its first known row. */
  startVotes = 0;
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
  readonly #stale = new StaleAnswers<Row>();
  readonly #sides: Uint8Array;
  readonly #cursorlessReads = new Set<string>();
  readonly #cursorlessVotes: StartVotes;

  /**
   * Counts `reads` and adds their claims to `claims`. `cursorlessVotes`: reads without a cursor count as one vote for the
   * start together, or one for each different request.
   */
  constructor(
    order: Order<Row>,
    reads: readonly Read<Row>[],
    claims: ClaimCounts,
    cursorlessVotes: StartVotes,
  ) {
    this.#order = order;
    this.#cursorlessVotes = cursorlessVotes;
    this.claims = claims;
    this.#shown = new Int32Array(order.list.length);
    this.adjacencies = [];
    for (let index = order.frozen; index < order.list.length; index++)
      this.adjacencies.push(noEvidence(hasConsecutivePosition(order, index)));
    const usable = reads.filter((read) => !isShuffled(read));
    this.#sides = sidesShown(usable, order.list.length);
    this.#stale.otherFaultyReads += reads.length - usable.length;
    for (const read of usable) this.#count(read);
    this.startVotes += this.#cursorlessReads.size;
  }

  get staleSigns(): StaleSigns {
    return this.#stale.signs;
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

  #count(read: Read<Row>): void {
    const { chain } = read;
    const shown = this.#shown.fill(-1);
    for (let position = 0; position < chain.length; position++)
      if (chain[position]!.index >= 0) shown[chain[position]!.index] = position;
    const pairs = neighboursIn(read);
    const omitted = this.#omittedRows(pairs);
    const isSuspect = looksStale(omitted);
    this.#stale.add(read, omitted, read.repeatedRows.size > 0 || hasMisplacedRows(pairs));
    for (let pair = 0; pair < pairs.lefts.length; pair++) {
      const atCursor = pair === pairs.atStart || pair === pairs.atEnd;
      this.#countPair(read, pairs.lefts[pair]!, pairs.rights[pair]!, atCursor, isSuspect);
    }
    const { frozen } = this.#order;
    for (let position = 0; position < chain.length; position++) {
      const { index } = chain[position]!;
      // A row that the page shows twice counts where it stands last.
      if (index >= frozen && index > 0 && shown[index] === position && position < shown[index - 1]!)
        this.adjacencies[index - frozen]!.reversedReads++;
    }
    if (read.claimsEnd) this.#countEnd(read);
  }

  #countPair(
    read: Read<Row>,
    left: Entry<Row>,
    right: Entry<Row>,
    atCursor: boolean,
    isSuspect: boolean,
  ): void {
    const { frozen } = this.#order;
    const isCrossCheck = read.surface === 'cross-check';
    const inPage = isSuspect ? 'suspect' : 'inside';
    const claims =
      this.claims[
        isCrossCheck ? 'crossCheck' : !atCursor ? inPage : left.id === LIST_START ? 'edge' : 'cursor'
      ];
    claims.claims++;
    if (right.index < left.index) {
      if (atCursor) claims.wrong++;
      return;
    }
    const adjacency = this.adjacencies[left.index - frozen + 1];
    if (right.index > left.index + 1) {
      if (this.#omitsBetween(left, right)) claims.wrong++;
      this.#countRival(read.surface, left, right, adjacency);
      return;
    }
    if (adjacency !== undefined && isCrossCheck) adjacency.confirmations++;
    if (left.id !== LIST_START) {
      if (adjacency === undefined) return;
      if (isSuspect) adjacency.suspectVotes++;
      else if (atCursor) adjacency.cursorVotes++;
      else if (isCrossCheck) adjacency.crossCheckVotes++;
      else adjacency.insideVotes++;
    } else if (read.query.before === undefined)
      this.#cursorlessReads.add(
        this.#cursorlessVotes === 'one' ? read.surface : requestKey(read.query, read.surface),
      );
    else this.startVotes++;
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
    for (const denied of [afterLeft, this.adjacencies[right.index - this.#order.frozen]])
      if (denied !== undefined) denied.rivalVotes = Math.max(denied.rivalVotes, reads);
  }

  #countEnd(read: Read<Row>): void {
    const claims = this.claims[read.surface === 'cross-check' ? 'crossCheck' : 'edge'];
    claims.claims++;
    if (read.chain.findLast(({ gone }) => !gone) !== this.#order.list.at(-1)) {
      claims.wrong++;
      return;
    }
    this.endReads.add(requestKey(read.query, read.surface));
    if (read.surface === 'cross-check') this.endConfirmations++;
    if (read.isFinalCheck) this.finalEndChecks++;
  }

  /** Returns false where the rows between are in the page at another place: then they were reordered, not omitted. */
  #omitsBetween(left: Entry<Row>, right: Entry<Row>): boolean {
    return this.#shown[left.index + 1]! < 0 || this.#shown[right.index - 1]! < 0;
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
