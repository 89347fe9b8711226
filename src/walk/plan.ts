// Which read to make next: the frontier, the first gaps short of votes, the end; never the same request twice.
import type { Evidence } from './evidence.ts';
import { OVERLAP } from './intake.ts';
import { START, type Order, type Place } from './order.ts';
import { forward, keyOf, type Direction } from './read.ts';
import { isSettled, type Bar } from './settle.ts';
import type { PageQuery } from './source.ts';

/** `covers` are the first and the last row whose gaps the read is to vouch for. */
export type Planned<Row> = {
  query: PageQuery;
  kind: 'frontier' | 'verify' | 'end';
  covers?: [Place<Row>, Place<Row>];
  drained: boolean;
};

/** Rows known ahead of the frontier, in reads, before the walk stops reading on. */
const MOST_AHEAD = 48;
/** Reads of the first open gap after which nothing further ahead is asked for. */
const PATIENCE = 12;
/** Passed over so often, a row is asked for as a cursor: 404 says it is gone. */
const OFTEN = 2;
/** Request keys kept; older ones are of anchors far behind. */
const MOST_KEYS = 8192;
/** Nothing else speaks for an empty list than its own empty pages. */
export const EMPTY_VOTES = 7;
const STYLES: Direction[] = ['backward', 'closed', 'forward'];
const MOST_SIZES = 12;
/** Rows between the anchors of reads that ask for the end. */
const STRIDE = 3;
const TURNS = 216;

export class Plan<Row> {
  readonly #order: Order<Row>;
  readonly #evidence: Evidence<Row>;
  /** The most rows of a read: a service may give fewer than asked for. */
  room: number;
  readonly #stop: string | undefined;
  readonly #made = new Set<string>();
  readonly #probed = new Set<Place<Row>>();
  #suspects: Place<Row>[] = [];
  #style = 0;

  constructor(order: Order<Row>, evidence: Evidence<Row>, room: number, stop: string | undefined) {
    this.#order = order;
    this.#evidence = evidence;
    this.room = room;
    this.#stop = stop;
  }

  /** The next useful read beside those in flight; undefined where it is better to wait. */
  next(bar: Bar, flights: readonly Planned<Row>[], tries: number): Planned<Row> | undefined {
    const planned =
      this.#frontier(flights, tries) ?? this.#verify(bar, flights, tries) ?? this.#end(bar, flights);
    if (planned === undefined) return undefined;
    this.#made.add(keyOf(planned.query));
    if (this.#made.size > MOST_KEYS)
      for (const key of [...this.#made].slice(0, MOST_KEYS / 2)) this.#made.delete(key);
    return planned;
  }

  /** Reads of the end when nothing else is left to prove: one may lie where others were seen to. */
  get drainedNeeded(): number {
    const { rates, suspicion } = this.#evidence;
    const lies =
      rates.inside.wrong + rates.cursor.wrong + rates.edge.wrong + suspicion.stale + suspicion.others;
    return lies > 0 ? 2 : 1;
  }

  /** Whether the last known row is where the list was seen to end. */
  get #ended(): boolean {
    return this.#evidence.ends.size > 0 || this.#stopped;
  }

  get #stopped(): boolean {
    return this.#stop !== undefined && this.#order.list.at(-1)?.id === this.#stop;
  }

  #frontier(flights: readonly Planned<Row>[], tries: number): Planned<Row> | undefined {
    const { list, frozen } = this.#order;
    if (this.#ended || flights.some(({ kind }) => kind === 'frontier')) return undefined;
    const ahead = list.length - frozen;
    if (ahead > 0 && (ahead > MOST_AHEAD * this.room || tries > PATIENCE)) return undefined;
    const overlaps = [OVERLAP, 0, 1, ...Array.from({ length: OVERLAP }, (_, n) => OVERLAP + 1 + n)];
    const query = this.#fresh((turn) => {
      const back = overlaps[turn % overlaps.length]!;
      const anchor = list[Math.max(0, list.length - 1 - back)]!;
      const size = this.room - Math.floor(turn / overlaps.length);
      // With an end of the walk's own the first read asks the service whether the ends are in order (409).
      if (list.length === 1 && this.#stop !== undefined)
        return anchor.id === START && turn === 0
          ? { before: this.#stop, limit: size }
          : anchor.id === START
            ? { limit: size }
            : { after: anchor.id, before: this.#stop, limit: size };
      return size > back + 1 ? forward(anchor.id, size) : undefined;
    });
    return query === undefined ? undefined : { query, kind: 'frontier', drained: false };
  }

  #verify(bar: Bar, flights: readonly Planned<Row>[], tries: number): Planned<Row> | undefined {
    const { list, frozen } = this.#order;
    const { gaps } = this.#evidence;
    const suspected = this.#suspects.pop();
    const asked = suspected === undefined ? undefined : this.whereabouts(suspected);
    if (asked !== undefined) return asked;
    const pending = this.#pending(flights);
    const open = !this.#ended && flights.some(({ kind }) => kind === 'frontier');
    const reach = tries > PATIENCE ? Math.min(gaps.length, this.room) : gaps.length;
    for (let index = 0; index < reach; index++) {
      const left = frozen - 1 + index;
      if (this.settles(index, bar, pending[index])) continue;
      if (open && list.length - 1 - left < this.room - 1) return undefined;
      const place = list[left + 1]!;
      const gap = gaps[index]!;
      // A row that was deleted is passed over ever after; the frozen one at the frontier too.
      const denied = gap.rival >= OFTEN && gap.inside <= gap.rival;
      const probe =
        this.#probe(place, denied && gap.omitted >= OFTEN) ??
        this.#probe(list[left]!, denied && gap.omitted < OFTEN);
      const order = gap.reversed > 0 && gap.inside + gap.reversed > 2 ? this.#askOrder(left) : undefined;
      const query = probe ?? order ?? this.#window(left);
      if (query === undefined) continue;
      return { query, kind: 'verify', covers: this.#rowsOf(query), drained: false };
    }
    return undefined;
  }

  /** Whether the gap behind the frontier with this index is settled, counting `more` votes still on their way. */
  settles(index: number, bar: Bar, more = 0): boolean {
    const { list, frozen } = this.#order;
    const left = list[frozen - 1 + index]!;
    const right = list[frozen + index]!;
    const gap = this.#evidence.gaps[index]!;
    if (left.id === START) {
      const votes = this.#evidence.start + more;
      // Where positions are dense the first one tells as well.
      const first = right.rank !== undefined && right.rank <= 1 && list[2]?.rank === right.rank + 1;
      return votes >= Math.max(first ? 1 : bar.votes + 1, gap.rival + 1);
    }
    const consecutive = left.rank !== undefined && right.rank === left.rank + 1;
    return isSettled(gap, bar, consecutive, more);
  }

  #end(bar: Bar, flights: readonly Planned<Row>[]): Planned<Row> | undefined {
    const { list } = this.#order;
    if (!this.#ended || this.#stopped) return undefined;
    const { ends, drained, gaps } = this.#evidence;
    const asked = flights.filter(({ kind }) => kind === 'end').length;
    const open = gaps.some((_, index) => !this.settles(index, bar));

    const least = list.length === 1 ? EMPTY_VOTES : bar.ends;
    const wanted = open ? least - 1 : least;
    const last = this.drainedNeeded;
    const missing = Math.max(wanted - ends.size, open ? 0 : last - drained);
    const backs = Math.max(1, Math.min(list.length, this.room - OVERLAP));
    // The last read of all is made when nothing else is on its way.
    const spare = missing - Math.max(0, last - drained);
    const lasting = flights.every((flight) => flight.drained) && flights.length < last - drained;
    if (asked >= spare && !(!open && lasting)) return undefined;
    const query = this.#fresh((turn) => {
      const back = (turn * STRIDE) % backs;
      const size = this.room - Math.floor(turn / backs);
      return size > back ? forward(list[list.length - 1 - back]!.id, size) : undefined;
    });
    return query === undefined ? undefined : { query, kind: 'end', drained: asked >= spare };
  }

  /** A read over the rows from `left` on, in a direction and of a size that were not asked for yet. */
  #window(left: number): PageQuery | undefined {
    const { list } = this.#order;
    const start = this.#style++;
    const toEnd = this.#ended && !this.#stopped && left + this.room >= list.length;
    const fromStart = list[left]!.id === START;
    const whole = list[0]!.id === START;
    const sizes = Math.max(1, Math.min(MOST_SIZES, this.room - OVERLAP));
    return this.#fresh((turn) => {
      const round = Math.floor(turn / STYLES.length);
      const size = this.room - (round % sizes);
      const further = Math.floor(round / sizes);
      // Toward the end a forward page is short and vouches for the end too; so does a backward one for the start.
      const style =
        turn === 0 && toEnd
          ? 'forward'
          : fromStart && turn % 4 < 3
            ? 'backward'
            : STYLES[(start + turn) % STYLES.length]!;
      const after = list[Math.max(0, left - 1 - further - Math.floor(round / 2))]!;
      const far = left + size - (fromStart || style === 'closed' ? 1 : 0) - 2 * further;
      const before = list[Math.max(left + 1, Math.min(list.length - 1, far))]!;
      if (style === 'forward') return forward(after.id, size);
      if (style === 'closed' && after.id !== START)
        return { after: after.id, before: before.id, limit: size };
      // Nothing before the origin of the walk is asked for.
      return { before: before.id, limit: whole ? size : Math.min(size, Math.max(1, before.at - 1)) };
    });
  }

  /** Of two cursors of a read one is gone: each is asked for by itself. */
  suspect(places: readonly Place<Row>[]): void {
    this.#suspects.push(...places);
  }

  /** Asks for what stands behind a row without a place. */
  whereabouts(place: Place<Row>): Planned<Row> | undefined {
    const query = this.#fresh((turn) => forward(place.id, this.room - turn));
    if (query === undefined) return undefined;
    this.#made.add(keyOf(query));
    return { query, kind: 'verify', drained: false };
  }

  #probe(place: Place<Row>, often: boolean): PageQuery | undefined {
    if (!often || place.id === START || this.#probed.has(place)) return undefined;
    this.#probed.add(place);
    return this.#fresh((turn) => forward(place.id, this.room - turn));
  }

  /** A closed read between two rows: 409 where they are the other way round, and that answer does not lie. */
  #askOrder(left: number): PageQuery | undefined {
    const [after, before] = [this.#order.list[left]!.id, this.#order.list[left + 1]!.id];
    const query = { after, before, limit: OVERLAP };
    return after === START || this.#made.has(keyOf(query)) ? undefined : query;
  }

  /** The first and the last row that an honest answer would show. */
  #rowsOf({ after, before, limit }: PageQuery): [Place<Row>, Place<Row>] {
    const { list } = this.#order;
    const from = this.#order.find(after ?? START)?.at ?? -1;
    const to = before === undefined ? list.length : this.#order.find(before)!.at;
    const backward = before !== undefined && after === undefined;
    const first = backward ? Math.max(0, to - limit) : after === undefined ? 0 : from + 1;
    const last = Math.max(first, backward ? to - 1 : Math.min(to - 1, from + limit));
    return [list[first] ?? list.at(-1)!, list[last] ?? list.at(-1)!];
  }

  /** Votes on their way for each gap. */
  #pending(flights: readonly Planned<Row>[]): Uint8Array {
    const { frozen } = this.#order;
    const pending = new Uint8Array(this.#evidence.gaps.length);
    for (const { covers } of flights) {
      if (covers === undefined || covers[0].at < 0 || covers[1].at < 0) continue;
      for (let at = Math.max(covers[0].at, frozen - 1); at < covers[1].at; at++) pending[at - frozen + 1]!++;
    }
    return pending;
  }

  #fresh(make: (turn: number) => PageQuery | undefined): PageQuery | undefined {
    for (let turn = 0; turn < TURNS; turn++) {
      const query = make(turn);
      if (query !== undefined && query.limit >= 1 && !this.#made.has(keyOf(query))) return query;
    }
    return undefined;
  }
}
