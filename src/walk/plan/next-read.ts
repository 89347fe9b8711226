// Which read to make next: the frontier, the first gaps short of votes, the end; never the same request twice.
import type { Evidence } from '../evidence/evidence.ts';
import { START, type Order, type Place } from '../order/order.ts';
import type { Questions } from './pending-checks.ts';
import type { Planned, Requests } from './requests.ts';
import { isSettled, type Bar } from '../decide/adjacency.ts';
import type { PageQuery } from '../source.ts';

/** Rows known ahead of the frontier, in reads, before the walk stops reading on. */
const MOST_AHEAD = 48;
/** Reads of the first open gap after which nothing further ahead is asked for. */
const PATIENCE = 12;
/** Passed over so often, a row is asked for as a cursor: 404 says it is gone. */
const OFTEN = 2;
/** Nothing else speaks for an empty list than its own empty pages. */
export const EMPTY_VOTES = 7;
type Pending = { list: Uint8Array; witness: Uint8Array };

export class Plan<Row> {
  readonly #order: Order<Row>;
  readonly #evidence: Evidence<Row>;
  readonly #stop: string | undefined;
  readonly #requests: Requests<Row>;
  readonly #questions: Questions<Row>;
  readonly #probed = new Set<Place<Row>>();
  #suspects: Place<Row>[] = [];

  constructor(
    order: Order<Row>,
    evidence: Evidence<Row>,
    requests: Requests<Row>,
    questions: Questions<Row>,
    stop: string | undefined,
  ) {
    this.#order = order;
    this.#evidence = evidence;
    this.#requests = requests;
    this.#questions = questions;
    this.#stop = stop;
  }

  get room(): number {
    return this.#requests.room;
  }

  set room(rows: number) {
    this.#requests.room = rows;
  }

  /** The next useful read beside those in flight; undefined where it is better to wait. */
  next(bar: Bar, flights: readonly Planned<Row>[], tries: number): Planned<Row> | undefined {
    const planned =
      this.#frontier(flights, tries) ??
      this.#questions.disputed() ??
      this.#verify(bar, flights, tries) ??
      this.#endTold(flights) ??
      this.#end(bar, flights);
    if (planned !== undefined) this.#requests.make(planned.query, planned.surface);
    return planned;
  }

  /** Reads of the end when nothing else is left to prove: one may lie where others were seen to. */
  get drainedNeeded(): number {
    const { rates, suspicion } = this.#evidence;
    const lies =
      rates.inside.wrong + rates.cursor.wrong + rates.edge.wrong + suspicion.stale + suspicion.others;
    return lies > 0 ? 2 : 1;
  }

  /** Whether the gap behind the frontier with this index is settled. */
  settles(index: number, bar: Bar): boolean {
    return this.#isSettled(index, bar, 0) && !this.#questions.isUntold(index, bar);
  }

  /** Of two cursors of a read one is gone: each is asked for by itself. */
  suspect(places: readonly Place<Row>[]): void {
    this.#suspects.push(...places);
  }

  /** Asks for what stands behind a row without a place. */
  whereabouts(place: Place<Row>): Planned<Row> | undefined {
    const query = this.#requests.behind(place);
    if (query === undefined) return undefined;
    this.#requests.make(query, 'list');
    return { query, surface: 'list', kind: 'verify', drained: false };
  }

  /** Whether the list was seen to end behind the last known row. */
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
    const query = this.#requests.frontier();
    return query === undefined ? undefined : { query, surface: 'list', kind: 'frontier', drained: false };
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
      const told = gaps[index]!.told + pending.witness[index]!;
      const place = list[left + 1]!;
      // What only the witness has named is still to be shown by a page.
      const shown = place.row !== undefined || place.id === this.#stop || pending.list[index]! > 0;
      const settled = shown && this.#isSettled(index, bar, pending.list[index]!, pending.witness[index]);
      const untold = told === 0 && this.#questions.isUntold(index, bar);
      if (settled && !untold) continue;
      if (open && list.length - 1 - left < this.room - 1) return undefined;
      const planned = this.#questions.about(index, told, bar) ?? (settled ? undefined : this.#read(index));
      // Nothing gets past a first gap that the witness keeps silent about.
      if (planned !== undefined || (index === 0 && settled)) return planned;
    }
    return undefined;
  }

  /** A read of the list over the gap with this index. */
  #read(index: number): Planned<Row> | undefined {
    const { list, frozen } = this.#order;
    const left = frozen - 1 + index;
    const place = list[left + 1]!;
    const gap = this.#evidence.gaps[index]!;
    // A row that was deleted is passed over ever after; the frozen one at the frontier too.
    const denied = gap.rival >= OFTEN && gap.inside <= gap.rival;
    const probe =
      this.#probe(place, denied && gap.omitted >= OFTEN) ??
      this.#probe(list[left]!, denied && gap.omitted < OFTEN);
    const order =
      gap.reversed > 0 && gap.inside + gap.reversed > 2
        ? this.#requests.between(list[left]!, place)
        : undefined;
    const query = probe ?? order ?? this.#requests.window(left, this.#ended && !this.#stopped);
    if (query === undefined) return undefined;
    return { query, surface: 'list', kind: 'verify', covers: this.#requests.covers(query), drained: false };
  }

  #isSettled(index: number, bar: Bar, read: number, told = 0): boolean {
    const gap = this.#evidence.gaps[index]!;
    if (this.#order.list[this.#order.frozen - 1 + index]!.id !== START)
      return isSettled(gap, bar, read, told);
    const votes = this.#evidence.start + read + told;
    return votes >= Math.max(gap.dense ? 1 : bar.votes + 1, gap.rival + 1);
  }

  #endTold(flights: readonly Planned<Row>[]): Planned<Row> | undefined {
    const isAsked = flights.some(({ kind, surface }) => kind === 'end' && surface === 'witness');
    return this.#ended && this.#questions.isEndUntold && !isAsked ? this.#questions.end() : undefined;
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
    // The last read of all is made when nothing else is on its way.
    const spare = missing - Math.max(0, last - drained);
    const lasting = flights.every((flight) => flight.drained) && flights.length < last - drained;
    if (asked >= spare && !(!open && lasting)) return undefined;
    const query = this.#requests.end();
    if (query === undefined) return undefined;
    return { query, surface: 'list', kind: 'end', drained: asked >= spare };
  }

  #probe(place: Place<Row>, often: boolean): PageQuery | undefined {
    if (!often || place.id === START || this.#probed.has(place)) return undefined;
    this.#probed.add(place);
    return this.#requests.behind(place);
  }

  /** Votes on their way for each gap. */
  #pending(flights: readonly Planned<Row>[]): Pending {
    const { frozen } = this.#order;
    const gaps = this.#evidence.gaps.length;
    const pending: Pending = { list: new Uint8Array(gaps), witness: new Uint8Array(gaps) };
    for (const { covers, surface } of flights) {
      if (covers === undefined || covers[0].at < 0 || covers[1].at < 0) continue;
      for (let at = Math.max(covers[0].at, frozen - 1); at < covers[1].at; at++)
        pending[surface][at - frozen + 1]!++;
    }
    return pending;
  }
}
