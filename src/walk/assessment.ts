// What the evidence of a walk amounts to: the criteria for the next rows, and the verdict about all that is frozen.
import { Fault } from '../faults.ts';
import { criteriaFor, MAX_VOTES, type Criteria } from './decide/criteria.ts';
import { faultModel } from './decide/fault-model.ts';
import { FrozenClaims } from './decide/frozen-claims.ts';
import { verdictOf, type Verdict, type WalkEvidence } from './decide/verdict.ts';
import { LARGER_PAGES } from './evidence/disagreement.ts';
import type { Evidence } from './evidence/evidence.ts';
import { extrapolated } from './evidence/fault-counts.ts';
import type { Order } from './order/order.ts';

/** Accepted probability of any wrong row. */
const DEFAULT_EPSILON = 0.001;
/** Requests before the first window is frozen, unless all is decided earlier: the fault rate is hardly known before. */
const MIN_REQUESTS_BEFORE_FREEZING = 32;
/** Pages known ahead from which on a walk with faulty reads freezes rows before the end is known. */
const PAGES_BEFORE_FREEZING = 24;
/** Requests for each page known ahead above which a walk does not read on any more. */
const MAX_REQUESTS_PER_PAGE = 6;
/** Reads after which few more would change what is known about the faults. */
const READS_TO_PLAN_FOR = 128;

/** What an assessment needs to know of the walk besides its evidence. */
export type WalkProgress = {
  requests: number;
  /** Rows and windows frozen so far. */
  rows: number;
  windows: number;
  /** Rows that one read asks for. */
  pageRows: number;
  /** Whether the walk reached the row at which the caller wants it to end. */
  isAtRangeEnd: boolean;
  /** Whether the end of the list, or of the walk, was seen. */
  isEndKnown: boolean;
};

/** Derives criteria and verdict from the evidence. */
export class Assessment<Row> {
  readonly frozenClaims = new FrozenClaims();
  readonly epsilon: number;
  readonly #order: Order<Row>;
  readonly #evidence: Evidence<Row>;
  readonly #progress: () => WalkProgress;
  /** What a claim must reach now. */
  criteria: Criteria;
  /** The criteria as they will be after some more reads with as many faults: no more votes are asked for before. */
  expectedCriteria: Criteria;
  /** Probability that anything frozen is wrong, by the fault rates as they are known now. */
  #frozenError = 0;

  constructor(
    order: Order<Row>,
    evidence: Evidence<Row>,
    epsilon: number | undefined,
    progress: () => WalkProgress,
  ) {
    this.epsilon = epsilon ?? DEFAULT_EPSILON;
    this.#order = order;
    this.#evidence = evidence;
    this.#progress = progress;
    [this.criteria, this.expectedCriteria] = this.#currentCriteria();
  }

  /** Brings the criteria in step with the evidence. */
  update(): void {
    [this.criteria, this.expectedCriteria] = this.#currentCriteria();
  }

  /** Whether so few requests were made that the fault rates are hardly known. */
  get isEarly(): boolean {
    return this.#progress().requests < MIN_REQUESTS_BEFORE_FREEZING;
  }

  /**
   * Whether the fault rates are going to be better known before rows must be frozen: some reads were faulty, the end is not
   * reached, and the walk still reads on.
   */
  get mayLearnMore(): boolean {
    const { requests, pageRows, isEndKnown } = this.#progress();
    const { any } = this.#evidence.faults;
    const openPages = (this.#order.list.length - this.#order.frozen) / pageRows;
    return (
      any.faulty > 0 &&
      2 * any.faulty < any.reads &&
      !isEndKnown &&
      openPages < PAGES_BEFORE_FREEZING &&
      requests < MIN_REQUESTS_BEFORE_FREEZING + MAX_REQUESTS_PER_PAGE * openPages
    );
  }

  /** Throws Fault `unstable` where so many answers are wrong alike that no number of votes settles the order. */
  checkFaultRate(): void {
    if (this.criteria.votesNeeded >= MAX_VOTES && this.#progress().requests >= READS_TO_PLAN_FOR)
      throw new Fault('unstable', 'too many answers are wrong in the same way to settle the order', {
        hint: LARGER_PAGES,
      });
  }

  /** Returns the verdict about what is frozen now. */
  verdict(
    about: {
      contradictedWindows?: ReadonlySet<number>;
      changes?: WalkEvidence['changes'];
      hasBackwardReads?: boolean;
      isCrossChecked?: boolean;
      hasEarlierRuns?: boolean;
    } = {},
  ): Verdict {
    const { pageRows, isAtRangeEnd } = this.#progress();
    return verdictOf({
      faults: this.#evidence.faults,
      frozenClaims: this.frozenClaims,
      pageRows,
      endReads: isAtRangeEnd ? undefined : this.#evidence.endReads.size,
      epsilon: this.epsilon,
      contradictedWindows: [...(about.contradictedWindows ?? [])],
      changes: about.changes ?? { rows: new Set(), readRows: 0 },
      hasBackwardReads: about.hasBackwardReads ?? true,
      isCrossChecked: about.isCrossChecked ?? true,
      hasEarlierRuns: about.hasEarlierRuns ?? false,
    });
  }

  /** Throws Fault `unstable` where the verdict is not what was asked for. */
  checkVerdict(contradicted: ReadonlySet<number>, { isMet, confidence, doubtedWindows }: Verdict): void {
    if (isMet) return;
    const named = `${doubtedWindows.length === 1 ? 'window' : 'windows'} ${doubtedWindows.join(', ')}`;
    throw new Fault(
      'unstable',
      contradicted.size > 0
        ? `later answers contradict ${named}`
        : `confidence ${confidence} is below the ${1 - this.epsilon} asked for: more answers were wrong after ${named} had been frozen`,
    );
  }

  #currentCriteria(): [now: Criteria, expected: Criteria] {
    const { list, frozen } = this.#order;
    const { faults, adjacencies } = this.#evidence;
    const { rows, windows, pageRows, isEndKnown } = this.#progress();
    const model = faultModel(faults);
    this.#frozenError = this.frozenClaims.errorProbability(model, pageRows);
    const size = {
      epsilon: this.epsilon,
      pageRows,
      frozenRows: rows,
      openRows: list.length - frozen,
      isEndKnown,
      spent: this.#frozenError,
    };
    const isEmpty = list.length === 1 && windows === 0;
    const expected = faultModel(extrapolated(faults, READS_TO_PLAN_FOR));
    return [
      criteriaFor(model, size, adjacencies, isEmpty),
      criteriaFor(expected, size, adjacencies, isEmpty),
    ];
  }
}
