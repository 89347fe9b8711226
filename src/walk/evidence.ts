// What the reads of a walk say about each pair of neighbours, counted anew over the few reads that reach past the frontier.
import { NOWHERE, START, type Order, type Place } from './order.ts';
import { keyOf, type Read } from './read.ts';

/**
 * Evidence for one gap, the pair (u, v) of neighbours. `inside` and `cursor` count the reads that showed v right after
 * u, by what vouches for it: both rows in the page, or one of them as its cursor. `rival` counts the reads behind the
 * strongest claim of another neighbour, `reversed` those that showed v before u, `omitted` those that passed over v.
 */
export type Gap = { inside: number; cursor: number; rival: number; reversed: number; omitted: number };

/** Claims by kind and how many of them the known order contradicts. */
export type Claims = { claims: number; wrong: number };
export type Rates = { inside: Claims; cursor: Claims; edge: Claims };

/** Rows further apart than this were not passed over: the page came from elsewhere. */
const NEAR = 32;

const none = (): Rates => ({
  inside: { claims: 0, wrong: 0 },
  cursor: { claims: 0, wrong: 0 },
  edge: { claims: 0, wrong: 0 },
});

export class Evidence<Row> {
  #reads: Read<Row>[] = [];
  readonly #retired = none();
  /** Gaps after the frontier: the first is between it and the row behind it. */
  gaps: Gap[] = [];
  rates = none();
  /** Reads that say the list starts with its first known row, from cursors; cursorless ones count once. */
  start = 0;
  /** Keys of the reads that say the list ends with its last known row; `drained` ones among them. */
  ends = new Set<string>();
  drained = 0;
  /** Rows that two reads or more passed over, and reads that passed over two rows or more. */
  omittedTwice = 0;
  staleReads = 0;
  #retiredTwice = 0;
  #retiredStale = 0;

  get reads(): readonly Read<Row>[] {
    return this.#reads;
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
    const kept: Read<Row>[] = [];
    const retired: Read<Row>[] = [];
    for (const read of this.#reads)
      (this.#matters(read, order) ? kept : retired).push(read);
    this.#count(order, retired, this.#retired);
    this.#retiredStale += this.staleReads;
    this.#retiredTwice += this.omittedTwice;
    this.#reads = kept;
    this.rates = structuredClone(this.#retired);
    this.#count(order, kept, this.rates);
    this.staleReads += this.#retiredStale;
    this.omittedTwice += this.#retiredTwice;
  }

  #matters({ chain, ends }: Read<Row>, { list, frozen }: Order<Row>): boolean {
    if (chain.some(({ at }) => at >= frozen || at === NOWHERE)) return true;
    return ends && chain.findLast(({ gone }) => !gone) === list.at(-1);
  }

  #count(order: Order<Row>, reads: readonly Read<Row>[], rates: Rates): void {
    const { list, frozen } = order;
    const gaps = Array.from({ length: Math.max(0, list.length - frozen) }, () => ({
      inside: 0,
      cursor: 0,
      rival: 0,
      reversed: 0,
      omitted: 0,
    }));
    const claims = new Map<number, number>();
    const index = new Int32Array(list.length);
    const omitted = new Map<Place<Row>, number>();
    this.start = 0;
    this.staleReads = 0;
    this.ends = new Set();
    this.drained = 0;
    let cursorless = 0;
    for (const { query, chain, head, foot, ends, drained, doubled } of reads) {
      index.fill(-1);
      chain.forEach(({ at }, n) => at >= 0 && (index[at] = n));
      let left: Place<Row> | undefined;
      let passed = 0;
      const first = head ? 1 : 0;
      const last = chain.length - (foot ? 1 : 0) - 1;
      for (let n = 0; n < chain.length; n++) {
        const right = chain[n]!;
        if (right.gone) continue;
        const from = left;
        left = right.at < 0 || doubled.has(right) ? undefined : right;
        if (from === undefined || left === undefined) continue;
        const atCursor = n === first && head ? true : n > last;
        const rate = atCursor ? (from.id === START ? rates.edge : rates.cursor) : rates.inside;
        rate.claims++;
        const gap = gaps[from.at - frozen + 1];
        if (right.at === from.at + 1) {
          if (from.id === START) {
            if (query.before === undefined) cursorless = 1;
            else this.start++;
          } else if (gap !== undefined) gap[atCursor ? 'cursor' : 'inside']++;
          continue;
        }
        if (right.at < from.at) {
          if (atCursor) rate.wrong++;
          continue;
        }
        // Rows between that the page shows elsewhere were permuted, not passed over.
        const skips = index[from.at + 1]! < 0 || index[right.at - 1]! < 0;
        if (skips) rate.wrong++;
        const key = from.at * 0x400000 + right.at;
        const count = (claims.get(key) ?? 0) + 1;
        claims.set(key, count);
        if (gap !== undefined) gap.rival = Math.max(gap.rival, count);
        const end = gaps[right.at - frozen];
        if (end !== undefined) end.rival = Math.max(end.rival, count);
        if (!skips || right.at - from.at > NEAR) continue;
        for (let at = from.at + 1; at < right.at; at++) {
          if (index[at]! >= 0) continue;
          const place = list[at]!;
          if (!atCursor) passed++;
          omitted.set(place, (omitted.get(place) ?? 0) + 1);
        }
      }
      if (passed >= 2) this.staleReads++;
      for (let at = Math.max(1, frozen); at < list.length; at++)
        if (index[at]! >= 0 && index[at]! < index[at - 1]!) gaps[at - frozen]!.reversed++;
      if (!ends) continue;
      rates.edge.claims++;
      const lastShown = chain.findLast(({ gone }) => !gone);
      if (lastShown !== list.at(-1)) rates.edge.wrong++;
      else {
        this.ends.add(keyOf(query));
        if (drained) this.drained++;
      }
    }
    this.start += cursorless;
    this.omittedTwice = 0;
    for (const [{ at }, count] of omitted) {
      if (count >= 2) this.omittedTwice++;
      if (at >= frozen) gaps[at - frozen]!.omitted = count;
    }
    this.gaps = gaps;
  }
}
