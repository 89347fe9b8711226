// One count of reads against the known order: votes, rivals, and signs of answers that are stale or share one state.
import { START, type Order, type Place } from '../order/order.ts';
import { keyOf, type Read, type Surface } from './read.ts';
import { isTainted, StaleAnswers, type Suspicion } from './stale-answers.ts';

/**
 * Evidence for one gap, the pair (u, v) of neighbours. `inside` and `cursor` count the reads that showed v right after
 * u, by what vouches for it: both rows in the page, or one of them as its cursor; `tainted` those that passed over two
 * rows or more elsewhere, as a stale answer does. `witness` counts answers of the second witness that list both, `told`
 * those that name the pair at all. `rival` counts the reads behind the strongest claim of another
 * neighbour, `reversed` those that showed v before u, `omitted` those that passed over v. `dense`: by the positions that
 * rows show nothing can stand between the two.
 */
export type Gap = {
  dense: boolean;
  inside: number;
  cursor: number;
  tainted: number;
  witness: number;
  told: number;
  rival: number;
  reversed: number;
  omitted: number;
};

/** Claims by kind and how many of them the known order contradicts. */
export type Claims = { claims: number; wrong: number };
export type Rates = { inside: Claims; cursor: Claims; edge: Claims; tainted: Claims; witness: Claims };
export const noClaims = (): Rates => ({
  inside: { claims: 0, wrong: 0 },
  cursor: { claims: 0, wrong: 0 },
  edge: { claims: 0, wrong: 0 },
  tainted: { claims: 0, wrong: 0 },
  witness: { claims: 0, wrong: 0 },
});

/** Rows further apart than this were not passed over: the page came from elsewhere. */
const NEAR = 32;
/** Share of neighbours in the wrong order from which on a page is shuffled and says nothing. */
const SHUFFLED = 0.25;
const BOTH_SIDES = 3;
/** Reads that pass over a row, for each that shows it, before it loses its place. */
const MANY = 4;
/** Two indexes as one key. */
const WIDE = 0x400000;

export class Count<Row> {
  readonly gaps: Gap[];
  readonly rates: Rates;
  start = 0;
  readonly ends = new Set<string>();
  endsTold = 0;
  drained = 0;
  readonly #order: Order<Row>;
  /** Index of each place in the page at hand, -1 where it is not in it. */
  readonly #shown: Int32Array;
  /** Pairs of rows that are no neighbours in the known order, and how often each surface shows them as such. */
  readonly #claims: Record<Surface, Map<number, number>> = { list: new Map(), witness: new Map() };
  readonly #stale = new StaleAnswers<Row>();
  /** 1: some read shows it right after its neighbour, 2: right before its other one, 3: both. */
  readonly #vouched: Uint8Array;
  readonly #cursorless = new Set<string>();
  readonly #counts: 'once' | 'each';

  /** Adds to `rates`. */
  constructor(order: Order<Row>, reads: readonly Read<Row>[], rates: Rates, cursorless: 'once' | 'each') {
    this.#order = order;
    this.#counts = cursorless;
    this.rates = rates;
    this.#shown = new Int32Array(order.list.length);
    this.gaps = [];
    for (let at = order.frozen; at < order.list.length; at++) this.gaps.push(gapOf(isDense(order, at)));
    const sound = reads.filter((read) => !isShuffled(read));
    this.#vouched = vouchedFor(sound, order.list.length);
    this.#stale.others += reads.length - sound.length;
    for (const read of sound) this.#read(read);
    this.start += this.#cursorless.size;
  }

  get suspicion(): Suspicion {
    return this.#stale.suspicion;
  }

  /** Rows that many reads pass over between the same two neighbours, while hardly one shows them there. */
  misfits(): Place<Row>[] {
    const { frozen, list } = this.#order;
    const votes = (at: number): number => {
      const gap = this.gaps[at - frozen]!;
      return list[at - 1]!.id === START ? this.start : gap.inside + gap.cursor + gap.witness;
    };
    return [...this.#claims.list].flatMap(([key, claims]) => {
      const [left, right] = [Math.floor(key / WIDE), key % WIDE];
      if (left + 1 < frozen || claims < MANY) return [];
      return claims > MANY * Math.max(votes(left + 1), votes(right)) ? list.slice(left + 1, right) : [];
    });
  }

  #read(read: Read<Row>): void {
    const { chain } = read;
    const shown = this.#shown.fill(-1);
    for (let index = 0; index < chain.length; index++)
      if (chain[index]!.at >= 0) shown[chain[index]!.at] = index;
    const pairs = pairsOf(read);
    const passed = this.#passedOver(pairs);
    const tainted = isTainted(passed);
    this.#stale.add(read, passed, read.doubled.size > 0 || outOfPlace(pairs));
    for (let at = 0; at < pairs.lefts.length; at++)
      this.#pair(read, pairs.lefts[at]!, pairs.rights[at]!, at === pairs.head || at === pairs.foot, tainted);
    const { frozen } = this.#order;
    for (let index = 0; index < chain.length; index++) {
      const { at } = chain[index]!;
      // A place that comes twice counts where it comes last.
      if (at >= frozen && at > 0 && shown[at] === index && index < shown[at - 1]!)
        this.gaps[at - frozen]!.reversed++;
    }
    if (read.ends) this.#end(read);
  }

  #pair(read: Read<Row>, left: Place<Row>, right: Place<Row>, atCursor: boolean, tainted: boolean): void {
    const { frozen } = this.#order;
    const told = read.surface === 'witness';
    const page = tainted ? 'tainted' : 'inside';
    const rate = this.rates[told ? 'witness' : !atCursor ? page : left.id === START ? 'edge' : 'cursor'];
    rate.claims++;
    if (right.at < left.at) {
      if (atCursor) rate.wrong++;
      return;
    }
    const gap = this.gaps[left.at - frozen + 1];
    if (right.at > left.at + 1) {
      if (this.#skips(left, right)) rate.wrong++;
      const key = left.at * WIDE + right.at;
      const claims = (this.#claims[read.surface].get(key) ?? 0) + 1;
      this.#claims[read.surface].set(key, claims);
      for (const rival of [gap, this.gaps[right.at - frozen]])
        if (rival !== undefined) rival.rival = Math.max(rival.rival, claims);
      return;
    }
    if (gap !== undefined && told) gap.told++;
    if (left.id !== START) {
      if (gap !== undefined) gap[tainted ? 'tainted' : atCursor ? 'cursor' : told ? 'witness' : 'inside']++;
    } else if (read.query.before === undefined)
      this.#cursorless.add(this.#counts === 'each' ? keyOf(read.query, read.surface) : read.surface);
    else this.start++;
  }

  #end(read: Read<Row>): void {
    const rate = this.rates[read.surface === 'witness' ? 'witness' : 'edge'];
    rate.claims++;
    if (read.chain.findLast(({ gone }) => !gone) !== this.#order.list.at(-1)) rate.wrong++;
    else {
      this.ends.add(keyOf(read.query, read.surface));
      if (read.surface === 'witness') this.endsTold++;
      if (read.drained) this.drained++;
    }
  }

  /** Whether rows between are not in the page; where they are, they were permuted. */
  #skips(left: Place<Row>, right: Place<Row>): boolean {
    return this.#shown[left.at + 1]! < 0 || this.#shown[right.at - 1]! < 0;
  }

  /** Rows that the page passed over between two of its own. */
  #passedOver({ lefts, rights, head, foot }: Pairs<Row>): Place<Row>[] {
    const places: Place<Row>[] = [];
    for (let pair = 0; pair < lefts.length; pair++) {
      const [left, right] = [lefts[pair]!.at, rights[pair]!.at];
      if (right <= left + 1 || right - left > NEAR || pair === head || pair === foot) continue;
      for (let at = left + 1; at < right; at++)
        if (this.#shown[at]! < 0 && this.#vouched[at] === BOTH_SIDES) places.push(this.#order.list[at]!);
    }
    for (const place of places)
      if (place.at >= this.#order.frozen) this.gaps[place.at - this.#order.frozen]!.omitted++;
    return places;
  }
}

const gapOf = (dense: boolean): Gap => ({
  dense,
  inside: 0,
  cursor: 0,
  tainted: 0,
  witness: 0,
  told: 0,
  rival: 0,
  reversed: 0,
  omitted: 0,
});

/** Whether the row at this index shows the position after its neighbour's; the first one where those behind it go on so. */
function isDense<Row>({ list }: Order<Row>, at: number): boolean {
  const [left, right] = [list[at - 1]!, list[at]!];
  if (right.rank === undefined) return false;
  if (left.id === START) return right.rank <= 1 && list[at + 1]?.rank === right.rank + 1;
  return left.rank !== undefined && right.rank === left.rank + 1;
}

function isShuffled<Row>({ chain }: Read<Row>): boolean {
  let falls = 0;
  for (let index = 1; index < chain.length; index++)
    if (chain[index]!.at >= 0 && chain[index]!.at < chain[index - 1]!.at) falls++;
  return falls > 2 && falls > SHUFFLED * chain.length;
}

/** Whether rows are in another order than known, or the first or last one is not the neighbour of its cursor. */
function outOfPlace<Row>({ lefts, rights, head, foot }: Pairs<Row>): boolean {
  for (let pair = 0; pair < lefts.length; pair++) {
    const [left, right] = [lefts[pair]!.at, rights[pair]!.at];
    if (right < left || (right > left + 1 && (pair === head || pair === foot))) return true;
  }
  return false;
}

function vouchedFor<Row>(reads: readonly Read<Row>[], size: number): Uint8Array {
  const sides = new Uint8Array(size);
  for (const { chain } of reads)
    for (let index = 1; index < chain.length; index++) {
      const [left, right] = [chain[index - 1]!.at, chain[index]!.at];
      if (left < 0 || right !== left + 1) continue;
      sides[left]! |= 2;
      sides[right]! |= 1;
    }
  return sides;
}

/** Neighbours in a page; `head` and `foot` are the pairs of which one is the read's cursor, -1 where there are none. */
type Pairs<Row> = { lefts: Place<Row>[]; rights: Place<Row>[]; head: number; foot: number };

/** Rows without a place or of two places break the chain. */
function pairsOf<Row>({ chain, head, foot, doubled }: Read<Row>): Pairs<Row> {
  const pairs: Pairs<Row> = { lefts: [], rights: [], head: -1, foot: -1 };
  let left: Place<Row> | undefined;
  let atHead = false;
  for (let index = 0; index < chain.length; index++) {
    const right = chain[index]!;
    if (right.gone) continue;
    const broken = right.at < 0 || doubled.has(right);
    if (left !== undefined && !broken) {
      const pair = pairs.lefts.push(left) - 1;
      pairs.rights.push(right);
      if (atHead) pairs.head = pair;
      if (foot && index === chain.length - 1) pairs.foot = pair;
    }
    left = broken ? undefined : right;
    atHead = head && index === 0;
  }
  return pairs;
}
