// One count of reads against the known order: votes, rivals, and signs of answers that are stale or share one state.
import { START, type Order, type Place } from './order.ts';
import { keyOf, type Read } from './read.ts';

/**
 * Evidence for one gap, the pair (u, v) of neighbours. `inside` and `cursor` count the reads that showed v right after
 * u, by what vouches for it: both rows in the page, or one of them as its cursor; `tainted` those that passed over two
 * rows or more elsewhere, as a stale answer does. `rival` counts the reads behind the strongest claim of another
 * neighbour, `reversed` those that showed v before u, `omitted` those that passed over v.
 */
export type Gap = {
  inside: number;
  cursor: number;
  tainted: number;
  rival: number;
  reversed: number;
  omitted: number;
};

/** Claims by kind and how many of them the known order contradicts. */
export type Claims = { claims: number; wrong: number };
export type Rates = { inside: Claims; cursor: Claims; edge: Claims };
export const noClaims = (): Rates => ({
  inside: { claims: 0, wrong: 0 },
  cursor: { claims: 0, wrong: 0 },
  edge: { claims: 0, wrong: 0 },
});

/**
 * `stale` counts tainted reads, `others` those with faults of another kind. Of the rows that one of them passed over, `chances` counts how often another tainted
 * read might have shown them, `shared` how often it passed over the same row: rarely, unless both share one state.
 */
export type Suspicion = { stale: number; others: number; shared: number; chances: number };
export const noSuspicion = (): Suspicion => ({ stale: 0, others: 0, shared: 0, chances: 0 });

/** Rows further apart than this were not passed over: the page came from elsewhere. */
const NEAR = 32;
/** Rows that a page passes over when one was dropped by chance; more look like a stale answer. */
const BY_CHANCE = 1;
/** Share of neighbours in the wrong order from which on a page is shuffled and says nothing. */
const SHUFFLED = 0.25;
const BOTH_SIDES = 3;
/** Two indexes as one key. */
const WIDE = 0x400000;

export class Count<Row> {
  readonly gaps: Gap[];
  readonly rates: Rates;
  readonly suspicion = noSuspicion();
  start = 0;
  readonly ends = new Set<string>();
  drained = 0;
  readonly #order: Order<Row>;
  /** Index of each place in the page at hand, -1 where it is not in it. */
  readonly #shown: Int32Array;
  readonly #claims = new Map<number, number>();
  readonly #passed = new Map<Place<Row>, number>();
  readonly #spans: [number, number][] = [];
  /** 1: some read shows it right after its neighbour, 2: right before its other one, 3: both. */
  readonly #vouched: Uint8Array;
  #cursorless = false;

  /** Adds to `rates`. */
  constructor(order: Order<Row>, reads: readonly Read<Row>[], rates: Rates) {
    this.#order = order;
    this.rates = rates;
    this.#shown = new Int32Array(order.list.length);
    this.gaps = Array.from({ length: Math.max(0, order.list.length - order.frozen) }, () => ({
      inside: 0,
      cursor: 0,
      tainted: 0,
      rival: 0,
      reversed: 0,
      omitted: 0,
    }));
    const sound = reads.filter((read) => !isShuffled(read));
    this.#vouched = vouchedFor(sound, order.list.length);
    this.suspicion.others += reads.length - sound.length;
    for (const read of sound) this.#read(read);
    if (this.#cursorless) this.start++;
    this.#suspect();
  }

  #read(read: Read<Row>): void {
    const shown = this.#shown.fill(-1);
    read.chain.forEach(({ at }, n) => at >= 0 && (shown[at] = n));
    const passed = this.#passedOver(read);
    const tainted = passed.length > BY_CHANCE;
    if (tainted) this.#taint(read);
    else if (read.doubled.size > 0 || outOfPlace(read)) this.suspicion.others++;
    for (const place of passed) this.#passed.set(place, (this.#passed.get(place) ?? 0) + 1);
    for (const [left, right, atCursor] of pairs(read)) this.#pair(read, left, right, atCursor, tainted);
    const { frozen, list } = this.#order;
    for (let at = Math.max(1, frozen); at < list.length; at++)
      if (shown[at]! >= 0 && shown[at]! < shown[at - 1]!) this.gaps[at - frozen]!.reversed++;
    if (read.ends) this.#end(read);
  }

  #pair(read: Read<Row>, left: Place<Row>, right: Place<Row>, atCursor: boolean, tainted: boolean): void {
    const { frozen } = this.#order;
    const rate = this.rates[!atCursor ? 'inside' : left.id === START ? 'edge' : 'cursor'];
    // What a tainted read says is not counted, so neither are its faults.
    const counted = atCursor || !tainted;
    if (counted) rate.claims++;
    if (right.at < left.at) {
      if (atCursor) rate.wrong++;
      return;
    }
    const gap = this.gaps[left.at - frozen + 1];
    if (right.at > left.at + 1) {
      if (counted && this.#skips(left, right)) rate.wrong++;
      const key = left.at * WIDE + right.at;
      const claims = (this.#claims.get(key) ?? 0) + 1;
      this.#claims.set(key, claims);
      for (const rival of [gap, this.gaps[right.at - frozen]])
        if (rival !== undefined) rival.rival = Math.max(rival.rival, claims);
    } else if (left.id !== START) {
      if (gap !== undefined) gap[tainted ? 'tainted' : atCursor ? 'cursor' : 'inside']++;
    } else if (read.query.before === undefined) this.#cursorless = true;
    else this.start++;
  }

  #end(read: Read<Row>): void {
    this.rates.edge.claims++;
    if (read.chain.findLast(({ gone }) => !gone) !== this.#order.list.at(-1)) this.rates.edge.wrong++;
    else {
      this.ends.add(keyOf(read.query));
      if (read.drained) this.drained++;
    }
  }

  /** Whether rows between are not in the page; where they are, they were permuted. */
  #skips(left: Place<Row>, right: Place<Row>): boolean {
    return this.#shown[left.at + 1]! < 0 || this.#shown[right.at - 1]! < 0;
  }

  /** Rows that the page passed over between two of its own. */
  #passedOver(read: Read<Row>): Place<Row>[] {
    const places: Place<Row>[] = [];
    for (const [left, right, atCursor] of pairs(read)) {
      if (atCursor || right.at <= left.at + 1 || right.at - left.at > NEAR) continue;
      for (let at = left.at + 1; at < right.at; at++)
        if (this.#shown[at]! < 0 && this.#vouched[at] === BOTH_SIDES) places.push(this.#order.list[at]!);
    }
    for (const place of places)
      if (place.at >= this.#order.frozen) this.gaps[place.at - this.#order.frozen]!.omitted++;
    return places;
  }

  #taint({ chain }: Read<Row>): void {
    this.suspicion.stale++;
    const shown = chain.flatMap(({ at }) => (at >= 0 ? [at] : []));
    this.#spans.push([Math.min(...shown), Math.max(...shown)]);
  }

  #suspect(): void {
    if (this.#spans.length < 2) return;
    for (const [{ at }, count] of this.#passed) {
      const over = this.#spans.filter(([low, high]) => low < at && at < high).length;
      this.suspicion.chances += count * Math.max(0, over - 1);
      this.suspicion.shared += count * (count - 1);
    }
  }
}

function isShuffled<Row>({ chain }: Read<Row>): boolean {
  let falls = 0;
  for (let index = 1; index < chain.length; index++)
    if (chain[index]!.at >= 0 && chain[index]!.at < chain[index - 1]!.at) falls++;
  return falls > 2 && falls > SHUFFLED * chain.length;
}

/** Whether rows are in another order than known, or the first or last one is not the neighbour of its cursor. */
function outOfPlace<Row>(read: Read<Row>): boolean {
  for (const [left, right, atCursor] of pairs(read))
    if (right.at < left.at || (atCursor && right.at > left.at + 1)) return true;
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

/** Neighbours in a page, and whether one of them is its cursor; rows without a place or of two places break the chain. */
function* pairs<Row>({
  chain,
  head,
  foot,
  doubled,
}: Read<Row>): Generator<[Place<Row>, Place<Row>, boolean]> {
  let left: Place<Row> | undefined;
  let atHead = false;
  for (let index = 0; index < chain.length; index++) {
    const right = chain[index]!;
    if (right.gone) continue;
    const broken = right.at < 0 || doubled.has(right);
    if (left !== undefined && !broken) yield [left, right, atHead || (foot && index === chain.length - 1)];
    left = broken ? undefined : right;
    atHead = head && index === 0;
  }
}
