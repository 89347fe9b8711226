// The state of a walk: takes answers as they come, says which read is next, freezes the rows that are decided.
import type { RequestPurposes, WalkReport } from '../contract/reports/walk.ts';
import { Fault } from '../faults.ts';
import { Assessment } from './assessment.ts';
import { Audit } from './audit.ts';
import { CursorQuestions } from './cursor-questions.ts';
import type { Verdict } from './decide/verdict.ts';
import { contradictionIn, falseEndIn, nameOfEntry, type Problem } from './evidence/disagreement.ts';
import { Evidence } from './evidence/evidence.ts';
import { readPage, type WalkRange } from './evidence/read-page.ts';
import type { Read } from './evidence/read.ts';
import { FinalChecks } from './final-checks.ts';
import { Freezer } from './freezer.ts';
import type { FrozenWindow } from './log/window.ts';
import { MIN_PAGE_ROWS, ObservedPaging } from './observed-paging.ts';
import { DEFAULT_CONCURRENCY, type WalkOptions } from './options.ts';
import { IdList } from './order/id-list.ts';
import { IdSet } from './order/id-set.ts';
import { LIST_START, Order } from './order/order.ts';
import { CrossCheck } from './plan/cross-check.ts';
import { PendingChecks } from './plan/pending-checks.ts';
import { ReadPlanner } from './plan/read-planner.ts';
import { FreshRequests, type PlannedRead } from './plan/requests.ts';
import { Progress } from './progress.ts';
import { Refusals } from './refusals.ts';
import { RowPlacement } from './row-placement.ts';
import type { Identified, Page, PageQuery, Source } from './source.ts';
import { WalkStatistics } from './statistics.ts';

/** Rows that lost their place at once and are asked for as cursors. */
const MAX_PROBED_ROWS = 4;

/** One walk. {@link walk} calls it: it makes the reads and passes the answers on. */
export class WalkState<Row extends Identified> {
  readonly #source: Source<Row>;
  readonly #options: WalkOptions<Row>;
  readonly #order = new Order<Row>();
  readonly #evidence: Evidence<Row>;
  readonly #crossCheck: CrossCheck<Row>;
  readonly #checks: PendingChecks<Row>;
  readonly #planner: ReadPlanner<Row>;
  readonly #placement: RowPlacement<Row>;
  readonly #paging = new ObservedPaging<Row>();
  /** Ids of all frozen rows. */
  readonly #frozenIds = new IdSet();
  readonly #statistics: WalkStatistics<Row>;
  readonly #freezer: Freezer<Row>;
  readonly #questions: CursorQuestions<Row>;
  readonly #finalChecks: FinalChecks<Row>;
  readonly #audit: Audit<Row>;
  readonly #refusals: Refusals<Row>;
  readonly #assessment: Assessment<Row>;
  readonly #progress: Progress<Row>;
  /** Rows without a place that were asked for as a cursor. */
  readonly #located = new Set<string>();

  constructor(source: Source<Row>, options: WalkOptions<Row>) {
    const { frozen, after, before, limit, crossCheck } = options;
    const pageRows = Math.max(MIN_PAGE_ROWS, limit);
    this.#source = source;
    this.#options = options;
    const keptRows = 2 * pageRows;
    this.#crossCheck = new CrossCheck(crossCheck, source.crossCheck !== undefined);
    // Where no backward read can confirm the start, every different read from it counts.
    this.#evidence = new Evidence(source.directions?.has('backward') === false ? 'one a request' : 'one');
    const requests = new FreshRequests(this.#order, pageRows, before, source.directions);
    this.#checks = new PendingChecks(this.#order, this.#evidence, this.#crossCheck, requests, before);
    this.#planner = new ReadPlanner(this.#order, this.#evidence, requests, this.#checks, before);
    this.#placement = new RowPlacement(this.#order, this.#evidence, before);
    this.#statistics = new WalkStatistics(frozen, after ?? null);
    this.#assessment = new Assessment(this.#order, this.#evidence, options.epsilon, () => ({
      requests: this.#statistics.requests,
      rows: this.#statistics.rows,
      windows: this.#statistics.windows,
      pageRows: this.#planner.pageRows,
      isAtRangeEnd: this.#planner.isAtRangeEnd,
      isEndKnown: this.#planner.isEndKnown,
    }));
    this.#progress = new Progress({
      order: this.#order,
      assessment: this.#assessment,
      statistics: this.#statistics,
      checks: this.#checks,
      crossCheck: this.#crossCheck,
      endless: options.endless,
    });
    this.#questions = new CursorQuestions({
      source,
      options,
      spendRequest: () => this.#spendRequest('single_rows'),
      cursorQuery: (first, second) => this.#planner.cursorQuery(first, second),
    });
    this.#finalChecks = new FinalChecks(
      this.#questions,
      this.#frozenIds,
      (id) => this.#frozenIds.has(id) || this.#order.get(id)?.gone === true || id === after || id === before,
    );
    const ids = new IdList();
    this.#audit = new Audit({
      source,
      options,
      concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
      ids,
      claims: this.#assessment.frozenClaims,
      previousId: frozen?.ids.at(-1) ?? after ?? LIST_START,
      frozenIds: this.#frozenIds,
      questions: this.#questions,
      spendRequest: () => this.#spendRequest('audit'),
      freshQuery: (rows) => this.#planner.auditQuery(rows),
      rangeFor: (query) => this.#rangeFor(query),
      pageRows: () => this.#planner.pageRows,
      model: () => this.#assessment.criteria.model,
      onFaults: (faults) => {
        this.#evidence.setAuditFaults(faults);
        this.#assessment.update();
      },
      epsilon: this.#assessment.epsilon,
    });
    this.#freezer = new Freezer(
      {
        order: this.#order,
        evidence: this.#evidence,
        planner: this.#planner,
        crossCheck: this.#crossCheck,
        statistics: this.#statistics,
        frozenClaims: this.#assessment.frozenClaims,
        frozenIds: this.#frozenIds,
        ids,
      },
      options,
      keptRows,
    );
    this.#refusals = new Refusals(
      {
        order: this.#order,
        evidence: this.#evidence,
        planner: this.#planner,
        checks: this.#checks,
        placement: this.#placement,
        audit: this.#audit,
        statistics: this.#statistics,
      },
      options,
    );
    const earlierIds = frozen?.ids ?? [];
    for (const id of earlierIds) this.#frozenIds.add(id);
    if (after !== undefined) this.#frozenIds.add(after);
    const lastIds = earlierIds.slice(-keptRows);
    for (const id of earlierIds.length > keptRows ? lastIds : [after ?? LIST_START, ...lastIds])
      this.#order.push(this.#order.entryFor(id));
    if (frozen?.last !== undefined) this.#order.entryFor(frozen.last.id).row = frozen.last;
    this.#order.frozen = this.#order.list.length;
    this.#recount();
  }

  /** Returns the next read to make beside those in flight; undefined when it is better to wait for them. */
  nextRead(inFlight: readonly PlannedRead<Row>[]): PlannedRead<Row> | undefined {
    if (this.isSpent) return undefined;
    const planned = this.#planner.next(
      this.#assessment.expectedCriteria,
      this.#assessment.criteria,
      inFlight,
      this.#progress.readsWithout,
    );
    if (planned === undefined) return undefined;
    this.#statistics.countRequest(purposeOf(planned), planned.kind === 'verify');
    if (planned.isProbe || (planned.covers?.[0].index ?? Infinity) <= this.#order.frozen)
      this.#progress.addRead();
    return planned;
  }

  /** Whether the budget of requests is spent. */
  get isSpent(): boolean {
    return this.#statistics.requests >= (this.#options.maxRequests ?? Infinity);
  }

  /** Takes a page of the list. */
  takePage(planned: PlannedRead<Row>, page: Page<Row>): void {
    const { query, kind } = planned;
    this.#refusals.reset();
    for (const id of [query.after, query.before]) {
      const entry = id === undefined ? undefined : this.#order.get(id);
      if (entry !== undefined) entry.exists = true;
    }
    const knownRows = this.#order.list.length;
    const end = this.#planner.isEndKnown && !this.#planner.isAtRangeEnd ? this.#order.list.at(-1) : undefined;
    const { read, problem } = this.#addRead(planned, page);
    this.#paging.addHasMore(query, page, read?.chain);
    // Other rows may follow a new one, so the end is not proved by this read.
    if (read !== undefined && this.#order.list.length > knownRows) read.isFinalCheck = false;
    else if (read !== undefined && kind === 'frontier') this.#progress.addRead();
    this.#planner.pageRows = this.#paging.addRows(
      page.rows.length,
      this.#planner.pageRows,
      this.#statistics.rows + this.#order.list.length,
    );
    const falseEnd = falseEndIn(query, page, read, this.#order, this.#paging.maxRows);
    this.#recount();
    if (end !== undefined && this.#order.list.at(-1) !== end)
      this.#progress.addMovedEnd(this.#planner.pageRows);
    this.#note(planned, page.rows.length, problem ?? falseEnd, page.drift_ratio, read);
  }

  /** Takes the ids of a cross-check; undefined when its source cannot tell. Throws Fault `unstable`. */
  takeCrossCheck(planned: PlannedRead<Row>, ids: readonly string[] | undefined): void {
    this.#crossCheck.record(planned.cursor, ids);
    if (ids === undefined)
      return this.#note(planned, 0, { text: 'no cross-check with this cursor' }, undefined);
    const goneId = ids.find((id) => this.#order.get(id)?.gone === true);
    if (goneId !== undefined) {
      this.#crossCheck.recordMissingRow(goneId);
      this.#checks.recheckAfter(planned.cursor ?? this.#order.entryFor(LIST_START));
    }
    const { read, problem } = this.#addRead(planned, { rows: ids.map((id) => ({ id })) });
    this.#recount();
    this.#note(planned, ids.length, problem, undefined, read);
  }

  /** Takes a refused request. Throws the error where no other request would help. */
  takeRefusal(planned: PlannedRead<Row>, error: unknown): void {
    const text = this.#refusals.take(planned, error);
    this.#recount();
    this.#note(planned, 0, { text }, undefined);
  }

  /**
   * Freezes the next rows and returns them as a window; undefined when none is accepted ({@link Freezer.next}).
   * `isLastChance`: does not wait until the fault rate is known.
   */
  freezeNext(
    isLastChance: boolean,
    inFlight: readonly PlannedRead<Row>[] = [],
  ): FrozenWindow<Row> | undefined {
    const isTooEarly = this.#assessment.isEarly || this.#assessment.mayLearnMore;
    if (!isLastChance && isTooEarly && !this.#freezer.isAllAccepted(this.#assessment.criteria))
      return undefined;
    // A row that lost its place may belong between the next rows.
    if (!isLastChance && this.#planner.isProbing(inFlight)) return undefined;
    const { frozen } = this.#order;
    const window = this.#freezer.next(this.#assessment.criteria, inFlight);
    if (window === undefined) {
      // The end of the range was passed.
      if (this.#order.frozen !== frozen) this.#recount();
      return undefined;
    }
    this.#progress.reset();
    this.#recount();
    return window;
  }

  /**
   * Returns whether all rows are frozen, the end is proved, and every row that was seen is placed, gone or named as late. Asks
   * for unplaced rows itself, unless no new request is left for one. Throws Fault `unstable`.
   */
  async isComplete(): Promise<boolean> {
    const { list, frozen } = this.#order;
    if (frozen < list.length || !this.#isEndProved) return false;
    if (!(await this.#areAllPlaced())) return this.isComplete();
    if (!this.#planner.isAtRangeEnd && this.#options.before !== undefined)
      throw new Fault('unstable', `the list ended before row ${this.#options.before}`);
    await this.#finalChecks.checkLateRows(this.#statistics.late);
    await this.#audit.run(this.#statistics.late);
    // Faults that the audit saw may ask for more reads of the end.
    if (!this.#isEndProved) return false;
    this.#assessment.checkVerdict(this.#audit.contradictedWindows, this.#verdict);
    return true;
  }

  /** Whether enough reads show the end of the list, or the walk ends at a row that the caller gave. */
  get #isEndProved(): boolean {
    const { endReads, finalEndChecks } = this.#evidence;
    const { endReadsNeeded, finalEndChecksNeeded } = this.#assessment.criteria;
    return (
      this.#planner.isAtRangeEnd ||
      (endReads.size >= endReadsNeeded &&
        finalEndChecks >= finalEndChecksNeeded &&
        !this.#checks.isEndUnconfirmed)
    );
  }

  /** Counts a request beside those that were planned. Throws Fault `unstable` when the budget is spent. */
  #spendRequest(purpose: 'single_rows' | 'audit'): void {
    if (this.isSpent) throw this.#budgetFault();
    this.#statistics.countRequest(purpose);
    this.#statistics.countAnswer(undefined, undefined, undefined);
  }

  /** Throws Fault `unstable` or `protocol` when no further read helps, or the budget of requests is spent. */
  checkProgress(isIdle: boolean): void {
    if (isIdle && this.isSpent) throw this.#budgetFault();
    this.#progress.check(isIdle);
  }

  report(fault?: Fault): WalkReport {
    const { frontier, list, frozen } = this.#order;
    const gap = {
      after: frontier.id === LIST_START ? null : frontier.id,
      before: list[frozen]?.id ?? this.#options.before ?? null,
      reads: this.#statistics.reads,
    };
    const { mode, tally } = this.#crossCheck;
    const unstable = fault === undefined ? undefined : gap;
    const crossCheck = { mode, ...tally };
    return this.#statistics.report(
      this.#options.limit,
      unstable,
      this.#frozenIds,
      crossCheck,
      this.#verdict,
      this.#audit.counts,
    );
  }

  /** Returns the ids of rows that were seen and have no place. */
  unplaced(): string[] {
    return this.#order.unplaced().map(({ id }) => id);
  }

  /** Adds a page or a cross-check to the evidence and merges it into the order. */
  #addRead(
    planned: PlannedRead<Row>,
    page: Page<Identified>,
  ): { read?: Read<Row>; problem?: Problem | undefined } {
    const known = this.#rangeFor(planned.query);
    const range = { ...known, maxRows: Math.max(known.maxRows, page.rows.length) };
    const reading = readPage(planned.query, page, this.#order, this.#frozenIds, range, planned);
    this.#statistics.duplicates += reading.repeated;
    const { read } = reading;
    if (read === undefined) {
      this.#finalChecks.rememberAhead(page.rows.map(({ id }) => id));
      return reading;
    }
    let problem = reading.problem ?? contradictionIn(read, this.#order);
    this.#evidence.add(read);
    const { late, unordered } = this.#placement.merge(read);
    for (const id of late) this.#statistics.late.add(id);
    this.#finalChecks.rememberAhead(unordered);
    if (late[0] !== undefined)
      problem ??= { text: `row ${late[0]} among rows that are frozen`, breaks: 'cursor and limit' };
    return { read, problem };
  }

  /** Returns what is known about the list that the answer to a request is read with. */
  #rangeFor(query: PageQuery): WalkRange {
    const { after, before } = this.#options;
    return {
      start: after ?? LIST_START,
      end: before,
      hasMore: this.#paging.hasMore(this.#order, query),
      maxRows: this.#paging.maxRows,
    };
  }

  /** Counts the evidence against the order as it is now, and assesses it. */
  #recount(): void {
    this.#evidence.recount(this.#order);
    const displaced = this.#placement.displaceMisplaced();
    if (displaced.length > 0) {
      // Many rows at once came from another part of the list; a few may have been inserted.
      if (displaced.length <= MAX_PROBED_ROWS) this.#planner.probe(displaced);
      this.#evidence.recount(this.#order);
    }
    this.#assessment.update();
    this.#progress.update();
  }

  /** Asks for a row without a place as a cursor: it is gone, or outside of the walk, or the rows after it give it a place. */
  async #areAllPlaced(): Promise<boolean> {
    const { after, before } = this.#options;
    const entry = this.#order.unplaced().find(({ id }) => id !== before);
    if (entry === undefined) return true;
    const hasEnds = after !== undefined || before !== undefined;
    if (hasEnds && !(await this.#questions.isInRange(entry.id))) {
      this.#order.forget(entry);
      return false;
    }
    const planned = this.#located.has(entry.id) ? undefined : this.#planner.locate(entry);
    this.#located.add(entry.id);
    if (planned === undefined)
      throw new Fault('unstable', `row ${entry.id} was seen but its place in the list is undecided`);
    await this.#readNow(planned);
    return false;
  }

  /** Makes a read while no other is in flight. */
  async #readNow(planned: PlannedRead<Row>): Promise<void> {
    if (this.isSpent) throw this.#budgetFault();
    this.#statistics.countRequest('single_rows');
    try {
      this.takePage(planned, await this.#source.page(planned.query, this.#options.signal));
    } catch (error) {
      this.takeRefusal(planned, error);
    }
  }

  get #verdict(): Verdict {
    return this.#assessment.verdict({
      contradictedWindows: this.#audit.contradictedWindows,
      changes: { rows: this.#audit.changedRows, readRows: this.#audit.readRows },
      hasBackwardReads: this.#source.directions?.has('backward') !== false,
      isCrossChecked: this.#crossCheck.isAvailable || this.#options.crossCheck === 'off',
      hasEarlierRuns: this.#options.frozen !== undefined,
    });
  }

  #note(
    { query, surface }: PlannedRead<Row>,
    rows: number,
    problem: Problem | undefined,
    driftRatio: number | undefined,
    read?: Read<Row>,
  ): void {
    this.#statistics.countAnswer(driftRatio, problem, read?.chain[read.startsAtCursor ? 1 : 0]);
    this.#options.log?.({
      number: this.#statistics.requests,
      surface,
      query,
      rows,
      ...(driftRatio === undefined ? {} : { drift_ratio: driftRatio }),
      ...(problem === undefined ? {} : { problem: problem.text }),
    });
  }

  #budgetFault(): Fault {
    const { maxRequests } = this.#options;
    const budget = `the budget of ${maxRequests} ${maxRequests === 1 ? 'request' : 'requests'}`;
    return new SpentFault('unstable', `${budget} is spent after ${nameOfEntry(this.#order.frontier)}`);
  }
}

/** The Fault of a walk that ended because its budget of requests was spent. */
export class SpentFault extends Fault {}

/** Returns what a planned read is made for. */
function purposeOf({ surface, kind }: Pick<PlannedRead<unknown>, 'surface' | 'kind'>): keyof RequestPurposes {
  if (surface === 'cross-check') return 'cross_check';
  return ({ frontier: 'new_rows', verify: 'known_rows', end: 'end' } as const)[kind];
}
