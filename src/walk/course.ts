// Where a walk stands: takes in pages as they come, says what to ask next, freezes what is settled, and counts.
import { Fault } from '../faults.ts';
import type { WalkReport } from '../contract/report.ts';
import { Confidence } from './confidence.ts';
import { settleContest } from './contest.ts';
import { CrossCheck } from './cross-check.ts';
import { Evidence } from './evidence.ts';
import { intake } from './intake.ts';
import { Order, START, type Place } from './order.ts';
import { EMPTY_VOTES, Plan, type Planned } from './plan.ts';
import { Seen } from './seen.ts';
import { barOf, weightFor, type Bar } from './settle.ts';
import type { Identified, Page, PageQuery, Source } from './source.ts';
import { Tally } from './tally.ts';
import type { WalkOptions } from './walk.ts';
import { CHAIN_START, freeze, type FrozenWindow } from './window.ts';

/** Chance of any wrong gap that a walk aims below, unless asked for another. */
const USUAL_EPSILON = 0.001;
/** Reads before the first window is frozen: the fault rate is not known earlier. */
const FIRST_LOOK = 32;
/** Fewer rows a read would leave nothing but cursors to vouch for a gap. */
const LEAST_ROOM = 8;
/** Reads after which the largest page shows what the service gives at most. */
const FITTING = 6;
/** Fewer rows than that in every page leave no room for an overlap. */
const LEAST_PAGE = 4;
/** Reads of the first open gap, or without any progress, before it counts as unstable. */
const MOST_TRIES = 22;
/** Times the witness may list a row after the end before it counts as a disagreement. */
const MOST_DENIED_ENDS = 3;
/** Positions of frozen pairs one apart leave so little doubt (nats). */
const CONSECUTIVE_WEIGHT = 18;

export class Course<Row extends Identified> {
  readonly #source: Source<Row>;
  readonly #options: WalkOptions<Row>;
  readonly #order = new Order<Row>();
  readonly #evidence = new Evidence<Row>();
  readonly #plan: Plan<Row>;
  readonly #seen = new Seen();
  readonly #tally = new Tally();
  readonly #confidence = new Confidence();
  readonly #check: CrossCheck<Row>;
  readonly #room: number;
  readonly #lost = new Set<string>();
  readonly #late = new Set<string>();
  #bar: Bar;
  #largest = 0;
  #troubles: string[] = [];
  #reads = 0;
  #tries = 0;
  #firstOpen: Place<Row> | undefined;
  #troubled = false;
  #endsDenied = 0;
  #windows: number;
  #head: string;
  #last: Row | undefined;

  constructor(source: Source<Row>, options: WalkOptions<Row>) {
    const { frozen, after, before, limit } = options;
    this.#source = source;
    this.#options = options;
    this.#check = new CrossCheck(source, options.signal);
    this.#room = Math.max(LEAST_ROOM, limit);
    this.#plan = new Plan(this.#order, this.#evidence, this.#room, before);
    this.#windows = frozen?.windows ?? 0;
    this.#head = frozen?.head ?? CHAIN_START;
    this.#last = frozen?.last;
    const ids = frozen?.ids ?? [];
    for (const id of ids) this.#seen.add(id);
    if (after !== undefined) this.#seen.add(after);
    const tail = ids.slice(-this.#tail);
    for (const id of ids.length > this.#tail ? tail : [after ?? START, ...tail])
      this.#order.push(this.#order.intern(id));
    this.#order.frozen = this.#order.list.length;
    this.#bar = this.#survey();
  }

  get #toFreeze(): Bar {
    return { ...this.#bar, votes: this.#bar.toFreeze };
  }

  get #tail(): number {
    return 2 * this.#room;
  }

  /** The next read to make beside those in flight; undefined where it is better to wait for them. */
  next(flights: readonly Planned<Row>[]): Planned<Row> | undefined {
    if (this.isSpent) return undefined;
    const planned = this.#plan.next(this.#bar, flights, this.#tries);
    if (planned === undefined) return undefined;
    this.#tally.requests++;
    this.#reads++;
    if (planned.kind === 'verify') this.#tally.rereads++;
    if ((planned.covers?.[0].at ?? Infinity) <= this.#order.frozen) this.#tries++;
    return planned;
  }

  /** Whether the budget allows no further read; questions to the witness about what is read already are kept back. */
  get isSpent(): boolean {
    const { crossCheck, maxRequests = Infinity, limit } = this.#options;
    const ahead = Math.ceil((this.#order.list.length - this.#order.frozen) / limit);
    const questions =
      crossCheck === 'full' ? ahead : crossCheck === 'boundary' && this.#windows === 0 ? 1 : 0;
    return this.#spent + (this.#source.witness === undefined ? 0 : questions) >= maxRequests;
  }

  get #spent(): number {
    return this.#tally.requests + this.#check.tally.requests;
  }

  /** Keeps what a page says. */
  take({ query, drained, kind }: Planned<Row>, page: Page<Row>): void {
    const range = { origin: this.#options.after ?? START, stop: this.#options.before, drained };
    const taken = intake(query, page, this.#order, this.#seen, range);
    this.#tally.page(page.drift_ratio, taken.repeated);
    let { trouble } = taken;
    if (taken.read !== undefined) {
      const known = this.#order.list.length;
      trouble ??= this.#denies(taken.read.chain);
      this.#evidence.add(taken.read);
      const nearEnd = query.before === undefined || query.before === this.#options.before;
      const { contested, late } = this.#order.merge(taken.read.chain, nearEnd);
      settleContest(this.#order, this.#evidence.reads, contested);
      for (const place of late) {
        this.#late.add(place.id);
        this.#order.drop(place);
      }
      if (late.length > 0) trouble ??= `row ${late[0]!.id} among rows that are frozen`;
      this.#cut();
      // A row that is new may have others behind it.
      if (this.#order.list.length > known) taken.read.drained = false;
      else if (kind === 'frontier') this.#tries++;
    }
    this.#fit(page.rows.length);
    if (
      page.rows.length < Math.min(query.limit, this.#largest) &&
      page.has_more === true &&
      page.rows.length > 0
    )
      trouble ??= `${page.rows.length} rows where ${Math.min(query.limit, this.#largest)} were to be had`;
    if (taken.read?.ends === true && taken.read.chain.at(-1) !== this.#order.list.at(-1))
      trouble ??= `an end after ${taken.read.chain.at(-1)?.id}`;
    this.#bar = this.#survey();
    this.#note(query, page.rows.length, trouble, page.drift_ratio);
  }

  /** A service that gives fewer rows a page than asked for is asked for no more than it gives. */
  #fit(rows: number): void {
    this.#largest = Math.max(this.#largest, rows);
    const known = this.#tally.conversations + this.#order.list.length;
    if (
      this.#tally.requests < FITTING ||
      this.#largest >= this.#plan.room ||
      known < 2 * this.#largest + LEAST_ROOM
    )
      return;
    this.#plan.room = Math.max(LEAST_PAGE, this.#largest);
  }

  /** A cursor was refused: its row is gone, or stands elsewhere. The caller's own cursors are the caller's. */
  refuse({ query }: Planned<Row>, error: unknown): void {
    if (!(error instanceof Fault) || !['conflict', 'not_found'].includes(error.kind)) throw error;
    const { after, before } = this.#options;
    const foreign = (id: string | undefined) => id !== undefined && id !== after && id !== before;
    if (error.kind === 'not_found') {
      const suspects = [query.after, query.before].filter(foreign) as string[];
      if (suspects.length === 0) throw error;
      const places = suspects.flatMap((id) => this.#order.find(id) ?? []);
      if (suspects.length === 1 && places[0] !== undefined) this.#gone(places[0]);
      else this.#plan.suspect(places);
      this.#bar = this.#survey();
      return this.#note(query, 0, `row ${suspects.join(' or ')} is gone`, undefined);
    }
    if (!foreign(query.after) && !foreign(query.before)) throw error;
    const left = this.#order.find(query.after ?? START);
    const right = this.#order.find(query.before ?? START);
    if (left !== undefined && right !== undefined) this.#turn(left, right);
    this.#bar = this.#survey();
    this.#note(query, 0, `row ${query.before} is not after ${query.after}`, undefined);
  }

  /**
   * Freezes the longest settled prefix, a window at most, but nothing that a read under way is about to show; `hurry`
   * does not wait for the fault rate to be known.
   */
  async settle(
    hurry: boolean,
    flights: readonly Planned<Row>[] = [],
  ): Promise<FrozenWindow<Row> | undefined> {
    if (!hurry && this.#tally.requests < FIRST_LOOK && !this.#everySettled) return undefined;
    const { list, frozen } = this.#order;
    const places: Place<Row>[] = [];
    for (let index = 0; index < this.#evidence.gaps.length && places.length < this.#options.limit; index++) {
      const place = list[frozen + index]!;
      if (
        flights.some(
          ({ covers }) => covers !== undefined && covers[0].at <= place.at && place.at <= covers[1].at,
        )
      )
        break;
      if (place.row === undefined || !this.#plan.settles(index, this.#toFreeze)) break;
      const gap = this.#evidence.gaps[index]!;
      if (gap.reversed > 0 || gap.omitted > 1) this.#troubled = true;
      places.push(place);
    }
    if (places.length === 0) {
      this.#freezeStop();
      return undefined;
    }
    const ids = places.map(({ id }) => id);
    const agreed = this.#asksAbout() ? await this.#crossCheck(ids) : ids.length;
    const after = this.#order.frontier.id;
    const rows = places.slice(0, agreed).map(({ row }) => row!);
    rows.forEach((_, index) => this.#confidence.add(this.#weight(index)));
    for (const row of rows) this.#seen.add(row.id);
    const cost = {
      reads: this.#reads,
      disagreements: this.#troubles.length,
      drift_ratio: this.#tally.drift.last,
    };
    const window = freeze(this.#windows + 1, after === START ? null : after, rows, cost, this.#head);
    this.#windows++;
    this.#head = window.head;
    this.#last = rows.at(-1);
    this.#tally.conversations += rows.length;
    this.#order.frozen += rows.length;
    this.#order.trim(this.#tail);
    this.#troubles = [];
    this.#reads = 0;
    this.#tries = 0;
    this.#troubled = false;
    this.#bar = this.#survey();
    return window;
  }

  /** After a failure: windows that are settled already and need no further request. */
  async salvage(): Promise<FrozenWindow<Row> | undefined> {
    return this.#asksAbout() ? undefined : this.settle(true);
  }

  /** Whether all is frozen, the end is proved and no row that was ever seen is without a place. */
  async isOver(): Promise<boolean> {
    const { list, frozen } = this.#order;
    if (frozen < list.length) return false;
    const stopped = this.#isStopped;
    const { ends, drained } = this.#evidence;
    const least = list.length === 1 && this.#windows === 0 ? EMPTY_VOTES : this.#bar.ends;
    if (!stopped && (ends.size < least || drained < this.#plan.drainedNeeded)) return false;
    if (!(await this.#allPlaced())) return false;
    if (!stopped && this.#options.before !== undefined)
      throw new Fault('unstable', `the list ended before row ${this.#options.before}`);
    return stopped || (await this.#endAgreed());
  }

  /** Throws where reads no longer help: the budget is spent, or the first open gap would not settle. */
  checkProgress(idle: boolean): void {
    if (idle && this.isSpent)
      throw new Fault('unstable', `the budget of ${this.#options.maxRequests} requests is spent`);
    if (this.#tries > MOST_TRIES + 4 * this.#bar.votes || idle) throw this.#stuck();
  }

  report(fault?: Fault): WalkReport {
    const { tally } = this.#check;
    const { frontier, list, frozen } = this.#order;
    const gap = {
      after: frontier.id === START ? null : frontier.id,
      before: list[frozen]?.id ?? this.#options.before ?? null,
      reads: this.#reads,
    };
    return {
      version: 1,
      verdict: fault === undefined ? 'complete' : 'incomplete',
      conversations: this.#tally.conversations + (this.#options.frozen?.ids.length ?? 0),
      windows: this.#windows,
      requests: this.#tally.requests + tally.requests,
      minimum_requests: Math.max(1, Math.ceil(this.#tally.conversations / this.#options.limit)),
      rereads: this.#tally.rereads,
      disagreements: this.#tally.disagreements,
      drift: { ...this.#tally.drift },
      confidence:
        fault !== undefined && this.#windows === 0
          ? 0
          : this.#confidence.value(this.#tally.requests, this.#tally.disagreements),
      cross_check: {
        mode: this.#options.crossCheck,
        asked: tally.asked,
        agreed: tally.agreed,
        unavailable: tally.unavailable,
      },
      duplicates_removed: this.#tally.duplicates,
      // A page in another order altogether may have named rows that found their place later.
      late: [...this.#late].filter((id) => !this.#seen.has(id)),
      frozen: { head: this.#windows === 0 ? null : this.#head, file: null },
      unstable: fault === undefined ? [] : [gap],
    };
  }

  /** Rows that were seen and have no place yet. */
  unplaced(): string[] {
    return [...this.#order.homeless()].map(({ id }) => id);
  }

  withKept(fault: Fault): Fault {
    const kept = `${this.#tally.conversations} conversations in frozen windows`;
    return new Fault(fault.kind, fault.message, { kept, ...fault.detail });
  }

  /** Whether the last known row is the end that the walk was given. */
  get #isStopped(): boolean {
    return this.#options.before !== undefined && this.#order.list.at(-1)?.id === this.#options.before;
  }

  get #everySettled(): boolean {
    return (
      this.#evidence.gaps.every((_, index) => this.#plan.settles(index, this.#toFreeze)) &&
      (this.#isStopped || this.#evidence.ends.size >= this.#bar.ends)
    );
  }

  #survey(): Bar {
    this.#evidence.survey(this.#order);
    const rows = this.#tally.conversations + this.#order.list.length;
    const epsilon = this.#options.epsilon ?? USUAL_EPSILON;
    const open = this.#order.list[this.#order.frozen];
    if (open !== this.#firstOpen) this.#tries = 0;
    this.#firstOpen = open;
    return barOf(this.#evidence, rows, this.#tally.requests, epsilon);
  }

  #weight(index: number): number {
    const { list, frozen } = this.#order;
    const [left, right] = [list[frozen - 1 + index]!, list[frozen + index]!];
    if (left.rank !== undefined && right.rank === left.rank + 1) return CONSECUTIVE_WEIGHT;
    if (left.id === START) return (this.#evidence.start + 1) * this.#bar.cursor;
    return weightFor(this.#evidence.gaps[index]!, this.#bar);
  }

  /** What a page says against the known order, in words for the log. */
  #denies(chain: readonly Place<Row>[]): string | undefined {
    for (let index = 1; index < chain.length; index++) {
      const [left, right] = [chain[index - 1]!, chain[index]!];
      if (left.at >= 0 && left.at < this.#order.list.length - 1 && right.at !== left.at + 1 && !right.gone)
        return `another row after ${left.id === START ? 'the start' : left.id}`;
    }
    return undefined;
  }

  /** The end of the walk's range stands in the order like a row; what comes after it is none of ours. */
  #cut(): void {
    const stop = this.#options.before === undefined ? undefined : this.#order.find(this.#options.before);
    if (stop === undefined || stop.at < 0) return;
    for (const place of this.#order.list.slice(stop.at + 1)) this.#order.drop(place);
  }

  #freezeStop(): void {
    const { list, frozen } = this.#order;
    if (list[frozen] === undefined || list[frozen].id !== this.#options.before) return;
    if (this.#plan.settles(0, this.#toFreeze)) this.#order.frozen++;
  }

  #gone(place: Place<Row>): void {
    if (place.at >= 0 && place.at < this.#order.frozen) return this.#order.remove(place);
    place.gone = true;
    this.#order.remove(place);
  }

  /** Two rows are the other way round. One that is frozen or an end stays; the other one goes where it belongs. */
  #turn(left: Place<Row>, right: Place<Row>): void {
    if (left.at < 0 || right.at < 0 || left.at > right.at) return;
    const fixed = left.at < this.#order.frozen;
    if (fixed) return this.#order.remove(right);
    if (right.id === this.#options.before) return this.#order.drop(left);
    this.#order.move(right, left.at);
  }

  /** Asks for every row without a place by its cursor: gone, or the rows behind it give it one. */
  async #allPlaced(): Promise<boolean> {
    for (const place of this.#order.homeless()) {
      if (place.id === this.#options.before) continue;
      if (this.#lost.has(`${place.id} asked`))
        throw new Fault('unstable', `row ${place.id} was seen but has no settled place`);
      this.#lost.add(`${place.id} asked`);
      const planned = this.#plan.whereabouts(place);
      if (planned === undefined) return true;
      this.#tally.requests++;
      try {
        this.take(planned, await this.#source.page(planned.query, this.#options.signal));
      } catch (error) {
        this.refuse(planned, error);
      }
      return false;
    }
    return true;
  }

  #asksAbout(): boolean {
    const { crossCheck } = this.#options;
    // Where the walk began at a bare cursor there is no row to ask the witness with.
    const atStart = this.#order.frontier.id === START;
    if (this.#last === undefined && !atStart) return false;
    return crossCheck === 'full' || (crossCheck === 'boundary' && (atStart || this.#troubled));
  }

  /** A row that the witness lists after the end sends the walk back to reading; it may be a new one. */
  async #endAgreed(): Promise<boolean> {
    const { crossCheck, before } = this.#options;
    if (crossCheck === 'off' || before !== undefined) return true;
    if (this.#last === undefined && this.#order.frontier.id !== START) return true;
    this.#spend();
    const further = (await this.#check.after(this.#last)).find((id) => !this.#seen.has(id));
    if (further === undefined) return true;
    if (++this.#endsDenied >= MOST_DENIED_ENDS)
      throw new Fault('unstable', `messages list ${further} after the end of the list`);
    this.#evidence.denyEnds();
    this.#bar = this.#survey();
    return false;
  }

  async #crossCheck(ids: readonly string[]): Promise<number> {
    const before = this.#check.tally.requests;
    this.#spend();
    const { rows, hashes } = await this.#check.agreed(ids, this.#last);
    this.#tally.disagreements += Math.max(0, this.#check.tally.requests - before - 1);
    if (hashes === undefined || rows > 0) return rows;
    const where = `the window after ${this.#last?.id ?? 'the start'}`;
    throw new Fault('unstable', `messages disagree about ${where}: ids ${hashes[0]}, messages ${hashes[1]}`);
  }

  #spend(): void {
    if (this.#spent >= (this.#options.maxRequests ?? Infinity))
      throw new Fault('unstable', `the budget of ${this.#options.maxRequests} requests is spent`);
  }

  #note(query: PageQuery, rows: number, trouble: string | undefined, drift: number | undefined): void {
    if (trouble !== undefined) {
      this.#troubles.push(trouble);
      this.#tally.disagreements++;
    }
    this.#options.log?.({
      number: this.#tally.requests,
      query,
      rows,
      ...(drift === undefined ? {} : { drift_ratio: drift }),
      ...(trouble === undefined ? {} : { trouble }),
    });
  }

  /** Where most reads in place fail the same way, the service breaks the rules rather than drifts. */
  #stuck(): Fault {
    const where = this.#order.frontier.id === START ? 'the start' : this.#order.frontier.id;
    const mostly = (pattern: RegExp) =>
      2 * this.#troubles.filter((trouble) => pattern.test(trouble)).length > this.#reads;
    if (mostly(/^empty page/))
      return new Fault('protocol', `empty pages after ${where} that say there is more`);
    if (mostly(/frozen$|own cursor|rows for a limit/))
      return new Fault('protocol', `pages after ${where} follow neither cursor nor limit`);
    return new Fault('unstable', `the list after ${where} would not settle in ${this.#reads} reads`);
  }
}
