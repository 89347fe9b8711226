// Where a walk stands: takes in pages as they come, says what to ask next, freezes what is settled.
import { Fault } from '../faults.ts';
import type { WalkReport } from '../contract/reports/walk.ts';
import { settleContest } from './order/majority-order.ts';
import { Evidence } from './evidence/evidence.ts';
import { intake } from './evidence/read-page.ts';
import { Ledger } from './statistics.ts';
import { Order, START, type Place } from './order/order.ts';
import { EMPTY_VOTES, Plan } from './plan/next-read.ts';
import { Questions } from './plan/pending-checks.ts';
import type { Read } from './evidence/read.ts';
import { Requests, type Planned } from './plan/requests.ts';
import { Seen } from './order/id-set.ts';
import { barOf, weightFor, type Bar } from './decide/adjacency.ts';
import type { Identified, Page, Source } from './source.ts';
import { Testimony } from './plan/cross-check.ts';
import { denialOf, nameOf, shortfallOf, stuckAt } from './evidence/disagreement.ts';
import type { WalkOptions } from './walk.ts';
import type { FrozenWindow } from './log/window.ts';

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
/** Short pages that say there is more before a service that never says otherwise is not believed. */
const SHORT_PAGES = 6;
/** Positions of frozen pairs one apart leave so little doubt (nats). */
const DENSE_WEIGHT = 18;

export class Course<Row extends Identified> {
  readonly #source: Source<Row>;
  readonly #options: WalkOptions<Row>;
  readonly #order = new Order<Row>();
  readonly #evidence: Evidence<Row>;
  readonly #testimony: Testimony<Row>;
  readonly #questions: Questions<Row>;
  readonly #plan: Plan<Row>;
  readonly #seen = new Seen();
  readonly #ledger: Ledger<Row>;
  readonly #room: number;
  /** Rows without a place that were asked for by their cursor. */
  readonly #lost = new Set<string>();
  /** Rows that lost the place they had. */
  readonly #displaced = new WeakSet<Place<Row>>();
  #bar: Bar;
  #largest = 0;
  /** Short pages that say there is more, as long as no page said anything else. */
  #shortPages = 0;
  #saidEnough = false;
  #tries = 0;
  #firstOpen: Place<Row> | undefined;

  constructor(source: Source<Row>, options: WalkOptions<Row>) {
    const { frozen, after, before, limit } = options;
    this.#source = source;
    this.#options = options;
    this.#testimony = new Testimony(options.crossCheck, source.witness !== undefined);
    this.#room = Math.max(LEAST_ROOM, limit);
    // Where nothing else can speak for the start, every read from it counts.
    this.#evidence = new Evidence(source.directions?.has('backward') === false ? 'each' : 'once');
    const requests = new Requests(this.#order, this.#room, before, source.directions);
    this.#questions = new Questions(this.#order, this.#evidence, this.#testimony, requests, before);
    this.#plan = new Plan(this.#order, this.#evidence, requests, this.#questions, before);
    this.#ledger = new Ledger(frozen);
    const ids = frozen?.ids ?? [];
    for (const id of ids) this.#seen.add(id);
    if (after !== undefined) this.#seen.add(after);
    const tail = ids.slice(-this.#tail);
    for (const id of ids.length > this.#tail ? tail : [after ?? START, ...tail])
      this.#order.push(this.#order.intern(id));
    if (frozen?.last !== undefined) this.#order.intern(frozen.last.id).row = frozen.last;
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
    const planned = this.#plan.next(this.#bar, flights, this.#patience);
    if (planned === undefined) return undefined;
    this.#ledger.asked(planned.kind === 'verify');
    if ((planned.covers?.[0].at ?? Infinity) <= this.#order.frozen) this.#tries++;
    return planned;
  }

  /** Reads in vain of the first open gap; before the first window nothing is in vain. */
  get #patience(): number {
    return this.#ledger.requests < FIRST_LOOK ? 0 : this.#tries;
  }

  /** Whether the budget allows no further read. */
  get isSpent(): boolean {
    return this.#ledger.requests >= (this.#options.maxRequests ?? Infinity);
  }

  /** Keeps what a page says. */
  take(planned: Planned<Row>, page: Page<Row>): void {
    const { query, kind } = planned;
    const known = this.#order.list.length;
    this.#hearOfMore(page, query.limit);
    const { read, trouble } = this.#takeIn(planned, page);
    // A row that is new may have others behind it.
    if (read !== undefined && this.#order.list.length > known) read.drained = false;
    else if (read !== undefined && kind === 'frontier') this.#tries++;
    this.#fit(page.rows.length);
    const short = shortfallOf(query, page, read, this.#order, this.#largest);
    this.#bar = this.#survey();
    this.#note(planned, page.rows.length, trouble ?? short, page.drift_ratio);
  }

  /** Keeps what the witness lists; undefined: it cannot tell. */
  hear(planned: Planned<Row>, ids: readonly string[] | undefined): void {
    this.#testimony.hear(planned.cursor, ids);
    if (ids === undefined) return this.#note(planned, 0, 'the witness cannot tell', undefined);
    const gone = ids.find((id) => this.#order.find(id)?.gone === true);
    if (gone !== undefined) {
      this.#testimony.deny(gone);
      this.#questions.dispute(planned.cursor ?? this.#order.intern(START));
    }
    const { trouble } = this.#takeIn(planned, { rows: ids.map((id) => ({ id })) });
    this.#bar = this.#survey();
    this.#note(planned, ids.length, trouble, undefined);
  }

  #takeIn(planned: Planned<Row>, page: Page<Identified>): { read?: Read<Row>; trouble?: string } {
    const { query } = planned;
    const { after, before } = this.#options;
    const range = { origin: after ?? START, stop: before, hasMore: this.#hasMore };
    const { read, repeated, ...told } = intake(query, page, this.#order, this.#seen, range, planned);
    this.#ledger.duplicates += repeated;
    if (read === undefined) return told;
    const trouble = told.trouble ?? denialOf(read, this.#order);
    this.#evidence.add(read);
    const nearEnd = query.before === undefined || query.before === before;
    const { contested, late } = this.#order.merge(read.chain, nearEnd);
    settleContest(this.#order, this.#evidence.reads, contested);
    for (const place of late) {
      this.#ledger.late.add(place.id);
      // What was known before its neighbours froze did not come late: it stays without a place until the end.
      if (!this.#displaced.has(place)) this.#order.drop(place);
    }
    this.#cut();
    if (trouble !== undefined) return { read, trouble };
    return late[0] === undefined
      ? { read }
      : { read, trouble: `row ${late[0].id} among rows that are frozen` };
  }

  #hearOfMore({ rows, has_more }: Page<Row>, limit: number): void {
    if (has_more !== true) this.#saidEnough = true;
    else if (rows.length > 0 && rows.length < Math.min(limit, this.#largest)) this.#shortPages++;
  }

  /** A service whose short pages all say that there is more says nothing with it. */
  get #hasMore(): 'telling' | 'empty' {
    return !this.#saidEnough && this.#shortPages > SHORT_PAGES ? 'empty' : 'telling';
  }

  /** A service that gives fewer rows a page than asked for is asked for no more than it gives. */
  #fit(rows: number): void {
    this.#largest = Math.max(this.#largest, rows);
    const known = this.#ledger.conversations + this.#order.list.length;
    if (
      this.#ledger.requests < FITTING ||
      this.#largest >= this.#plan.room ||
      known < 2 * this.#largest + LEAST_ROOM
    )
      return;
    this.#plan.room = Math.max(LEAST_PAGE, this.#largest);
  }

  /** A cursor was refused: its row is gone, or stands elsewhere. The caller's own cursors are the caller's. */
  refuse(planned: Planned<Row>, error: unknown): void {
    const { query } = planned;
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
      return this.#note(planned, 0, `row ${suspects.join(' or ')} is gone`, undefined);
    }
    if (!foreign(query.after) && !foreign(query.before)) throw error;
    const left = this.#order.find(query.after ?? START);
    const right = this.#order.find(query.before ?? START);
    if (left !== undefined && right !== undefined) this.#turn(left, right);
    this.#bar = this.#survey();
    this.#note(planned, 0, `row ${query.before} is not after ${query.after}`, undefined);
  }

  /**
   * Freezes the longest settled prefix, a window at most, but nothing that a read under way is about to show; `hurry`
   * does not wait for the fault rate to be known.
   */
  settle(hurry: boolean, flights: readonly Planned<Row>[] = []): FrozenWindow<Row> | undefined {
    if (!hurry && this.#ledger.requests < FIRST_LOOK && !this.#everySettled) return undefined;
    const { list, frozen } = this.#order;
    const rows: Row[] = [];
    const bar = this.#toFreeze;
    for (let index = 0; index < this.#evidence.gaps.length && rows.length < this.#options.limit; index++) {
      const { at, row } = list[frozen + index]!;
      const expected = flights.some(
        ({ covers }) => covers !== undefined && covers[0].at <= at && at <= covers[1].at,
      );
      if (expected || row === undefined || !this.#plan.settles(index, bar)) break;
      rows.push(row);
    }
    if (rows.length === 0) {
      this.#freezeStop();
      return undefined;
    }
    const after = this.#order.frontier.id;
    const weights = rows.map((_, index) => this.#weight(index));
    rows.forEach(({ id }, index) => {
      this.#testimony.count(this.#evidence.gaps[index]!, list[frozen - 1 + index]!, this.#bar);
      this.#seen.add(id);
    });
    const window = this.#ledger.freeze(after === START ? null : after, rows, weights);
    this.#order.frozen += rows.length;
    this.#order.trim(this.#tail);
    this.#tries = 0;
    this.#bar = this.#survey();
    return window;
  }

  /** Whether all is frozen, the end is proved and no row that was ever seen is without a place. */
  async isOver(): Promise<boolean> {
    const { list, frozen } = this.#order;
    if (frozen < list.length) return false;
    const stopped = this.#isStopped;
    const { ends, drained } = this.#evidence;
    const least = list.length === 1 && this.#ledger.windows === 0 ? EMPTY_VOTES : this.#bar.ends;
    if (!stopped && (ends.size < least || drained < this.#plan.drainedNeeded || this.#questions.isEndUntold))
      return false;
    if (!(await this.#allPlaced())) return this.isOver();
    if (!stopped && this.#options.before !== undefined)
      throw new Fault('unstable', `the list ended before row ${this.#options.before}`);
    return true;
  }

  /** Throws where reads no longer help: the budget is spent, or the first open gap would not settle. */
  checkProgress(idle: boolean): void {
    if (idle && this.isSpent) {
      const where = nameOf(this.#order.frontier);
      throw new Fault(
        'unstable',
        `the budget of ${this.#options.maxRequests} requests is spent after ${where}`,
      );
    }
    if (idle || this.#patience > MOST_TRIES + 4 * this.#bar.votes) throw this.#stuck();
  }

  report(fault?: Fault): WalkReport {
    const { frontier, list, frozen } = this.#order;
    const gap = {
      after: frontier.id === START ? null : frontier.id,
      before: list[frozen]?.id ?? this.#options.before ?? null,
      reads: this.#ledger.reads,
    };
    const unstable = fault === undefined ? undefined : gap;
    return this.#ledger.report(this.#options.limit, unstable, this.#seen, this.#testimony);
  }

  /** Rows that were seen and have no place yet. */
  unplaced(): string[] {
    return [...this.#order.homeless()].map(({ id }) => id);
  }

  withKept(fault: Fault): Fault {
    const kept = `${this.#ledger.conversations} ${this.#options.noun ?? 'conversations'} in frozen windows`;
    return new Fault(fault.kind, fault.message, { kept, ...fault.detail });
  }

  /** Whether the last known row is the end that the walk was given. */
  get #isStopped(): boolean {
    return this.#options.before !== undefined && this.#order.list.at(-1)?.id === this.#options.before;
  }

  get #everySettled(): boolean {
    const isEnded = this.#isStopped || this.#evidence.ends.size >= this.#bar.ends;
    const bar = this.#toFreeze;
    return isEnded && this.#evidence.gaps.every((_, index) => this.#plan.settles(index, bar));
  }

  #survey(): Bar {
    this.#evidence.survey(this.#order);
    this.#displace();
    const rows = this.#ledger.conversations + this.#order.list.length;
    const epsilon = this.#options.epsilon ?? USUAL_EPSILON;
    const open = this.#order.list[this.#order.frozen];
    if (open !== this.#firstOpen) this.#tries = 0;
    this.#firstOpen = open;
    return barOf(this.#evidence, rows, this.#ledger.requests, epsilon);
  }

  #weight(index: number): number {
    const { list, frozen } = this.#order;
    const gap = this.#evidence.gaps[index]!;
    if (list[frozen - 1 + index]!.id === START) return (this.#evidence.start + 1) * this.#bar.cursor;
    return gap.dense ? DENSE_WEIGHT : weightFor(gap, this.#bar);
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
    const left = this.#order.list[place.at - 1];
    if (place.at < 0 || place.at >= this.#order.frozen) place.gone = true;
    this.#order.remove(place);
    // Only the witness has named the row.
    if (place.row === undefined && place.gone && left !== undefined) this.#questions.dispute(left);
  }

  /** Rows that stand where one read in many saw them lose their place, once; the next read that shows one gives it another. */
  #displace(): void {
    const isMovable = (place: Place<Row>) => place.at >= this.#order.frozen && !this.#displaced.has(place);
    const misfits = this.#evidence.misfits().filter(isMovable);
    for (const place of misfits) {
      this.#order.remove(place);
      this.#displaced.add(place);
    }
    if (misfits.length > 0) this.#evidence.survey(this.#order);
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
      if (this.#lost.has(place.id))
        throw new Fault('unstable', `row ${place.id} was seen but has no settled place`);
      this.#lost.add(place.id);
      const planned = this.#plan.whereabouts(place);
      if (planned === undefined) return true;
      this.#ledger.requests++;
      try {
        this.take(planned, await this.#source.page(planned.query, this.#options.signal));
      } catch (error) {
        this.refuse(planned, error);
      }
      return false;
    }
    return true;
  }

  #note(
    { query, surface }: Planned<Row>,
    rows: number,
    trouble: string | undefined,
    drift: number | undefined,
  ): void {
    this.#ledger.read(drift, trouble);
    this.#options.log?.({
      number: this.#ledger.requests,
      surface,
      query,
      rows,
      ...(drift === undefined ? {} : { drift_ratio: drift }),
      ...(trouble === undefined ? {} : { trouble }),
    });
  }

  #stuck(): Fault {
    const { frontier, list, frozen } = this.#order;
    const silent =
      frozen < list.length ? this.#questions.isUntold(0, this.#bar) : this.#questions.isEndUntold;
    const ids = list.slice(frozen).map(({ id }) => id);
    const stuck = stuckAt(frontier, this.#ledger.reads, this.#ledger.troubles);
    return silent && stuck.kind === 'unstable' ? this.#testimony.disagreement(nameOf(frontier), ids) : stuck;
  }
}
