// A list in memory whose pages are faulty as a judged case says: the second generator of faults, on which no threshold is tuned.
import { setImmediate } from 'node:timers';
import { Fault } from '../../src/faults.ts';
import type { Direction, Page, PageQuery, Source } from '../../src/walk/source.ts';
import { applyFault, draftPage, type Draft } from './judged-faults.ts';
import type { FaultName, JudgedCase } from './judged-case.ts';
import { ListStates, type JudgedRow } from './judged-states.ts';
import { randomFrom, type Random } from './random.ts';

/** A row of a page. */
export type JudgedListRow = { id: string; sequence?: number };

/** One answer of the list, for tests and for the log of a walk. */
export type Answer = {
  number: number;
  surface: 'list' | 'cross-check';
  query: PageQuery;
  /** Ids in the order of the page; undefined for a refusal. */
  ids?: string[];
  /** The status of a refusal. */
  status?: 400 | 404 | 409;
  /** The fault that changed the page. */
  fault?: FaultName;
  /** Whether the case made this read faulty, whether or not that changed its page. */
  isMeantFaulty: boolean;
};

/** Share of the reads in a burst that are faulty. */
const BURST_DENSITY = 0.95;
const DIRECTIONS: Record<JudgedCase['directions'], readonly Direction[]> = {
  all: ['forward', 'backward', 'closed'],
  'forward only': ['forward'],
  'no backward': ['forward', 'closed'],
  'no closed': ['forward', 'backward'],
};

/** The list of a case and its second list, if it has one. Answers come in an order that the seed decides, without time. */
export class JudgedList implements Source<JudgedListRow> {
  readonly directions: ReadonlySet<Direction>;
  readonly crossCheck?: (
    query: { after?: JudgedListRow; limit: number },
    signal: AbortSignal,
  ) => Promise<string[] | undefined>;
  /** Every answer so far. */
  readonly answers: Answer[] = [];
  readonly states: ListStates;
  readonly #case: JudgedCase;
  readonly #order: Random;
  readonly #waiting: (() => void)[] = [];
  #isBurst = false;

  constructor(judged: JudgedCase) {
    this.#case = judged;
    this.states = new ListStates(judged);
    this.#order = randomFrom(`judged order ${judged.seed}`);
    this.directions = new Set(DIRECTIONS[judged.directions]);
    if (judged.crossCheckSource !== 'missing')
      this.crossCheck = async ({ after, limit }) => this.#inTurn(() => this.#confirm(after, limit));
  }

  page(query: PageQuery): Promise<Page<JudgedListRow>> {
    return this.#inTurn(() => this.#answer(query));
  }

  /** Answers one of the waiting requests at a time, when nothing else can run. */
  #inTurn<T>(answer: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const isAnsweredEarly = this.#order() < 0.5;
      const attempt = (): (() => void) => {
        try {
          const value = answer();
          return () => resolve(value);
        } catch (error) {
          return () => reject(error);
        }
      };
      // Some answers show the list as it was when the request came, others as it is when they are sent.
      const early = isAnsweredEarly ? attempt() : undefined;
      this.#waiting.push(() => (early ?? attempt())());
      if (this.#waiting.length === 1) setImmediate(() => this.#sendOne());
    });
  }

  #sendOne(): void {
    const [send] = this.#waiting.splice(Math.floor(this.#waiting.length * this.#order()), 1);
    if (this.#waiting.length > 0) setImmediate(() => this.#sendOne());
    send?.();
  }

  #answer(query: PageQuery): Page<JudgedListRow> {
    const number = this.#next();
    const { seed, refusals, hasMore } = this.#case;
    const own = randomFrom(`judged refusal ${seed} ${number}`);
    const refuse = (status: 400 | 404 | 409, fault: Fault): Fault => {
      this.answers.push({ number, surface: 'list', query, status, isMeantFaulty: false });
      return fault;
    };
    const { after, before } = query;
    if (!this.directions.has(directionOf(query)))
      throw refuse(400, new Fault('usage', 'this direction is not supported', { status: 400 }));
    if (own() < refusals)
      throw refuse(400, new Fault('usage', 'the service refused the request', { status: 400 }));
    const gone = [after, before].find((id) => id !== undefined && !this.states.isAlive(id));
    if (gone !== undefined) throw refuse(404, new Fault('not_found', `no row ${gone}`, { status: 404 }));
    const [first, last] = [this.#row(after), this.#row(before)];
    if (first !== undefined && last !== undefined && first.rank > last.rank)
      throw refuse(409, new Fault('conflict', `row ${after} is after row ${before}`, { status: 409 }));

    const { draft, fault, isMeantFaulty } = this.#draft(query, first, last, number, 'list');
    const rows = draft.rows.map((index) => this.#shown(draft.state[index]!, index));
    const ids = rows.map(({ id }) => id);
    this.answers.push({ number, surface: 'list', query, ids, isMeantFaulty, ...(fault && { fault }) });
    if (hasMore === 'absent') return { rows };
    const stated = {
      right: draft.hasMore,
      inverted: !draft.hasMore,
      'always true': true,
      'always false': false,
    };
    return { rows, has_more: stated[hasMore] };
  }

  #confirm(after: JudgedListRow | undefined, limit: number): string[] | undefined {
    const number = this.#next();
    const query = { ...(after && { after: after.id }), limit };
    if (after !== undefined && !this.states.isAlive(after.id)) {
      this.answers.push({ number, surface: 'cross-check', query, status: 404, isMeantFaulty: false });
      return undefined;
    }
    const first = this.#row(after?.id);
    const { draft, fault, isMeantFaulty } = this.#draft(query, first, undefined, number, 'cross-check');
    const ids = draft.rows.map((index) => draft.state[index]!.id);
    this.answers.push({ number, surface: 'cross-check', query, ids, isMeantFaulty, ...(fault && { fault }) });
    return ids;
  }

  /** Returns the page as it is sent, and the fault that changed it. */
  #draft(
    query: PageQuery,
    after: JudgedRow | undefined,
    before: JudgedRow | undefined,
    number: number,
    surface: Answer['surface'],
  ): { draft: Draft; fault?: FaultName; isMeantFaulty: boolean } {
    const { faults, maxPageRows } = this.#case;
    const capped = { ...query, limit: Math.min(query.limit, maxPageRows) };
    const honest = draftPage(this.states.now, capped, after, before);
    const random = this.#randomOfRead(query, number, surface);
    const isMeantFaulty = this.#isFaulty(random, surface);
    if (!isMeantFaulty) return { draft: honest, isMeantFaulty };
    const isStale = surface === 'cross-check' && this.#case.crossCheckSource !== 'faulty';
    const fault = isStale ? 'stale' : faults[Math.floor(faults.length * random())]!;
    const changed = applyFault(fault, honest, capped, {
      random,
      limit: capped.limit,
      isFaultyPlace: this.states.isFaultyPlace,
      oldState: (chosen) => this.states.oldState(chosen),
    });
    const draft = fault === 'stale' ? draftPage(changed.state, capped, after, before) : changed;
    const isChanged =
      draft.hasMore !== honest.hasMore ||
      draft.rows.length !== honest.rows.length ||
      draft.rows.some((row, index) => this.#differs(draft, row, honest, honest.rows[index]!));
    return { draft, isMeantFaulty, ...(isChanged && { fault }) };
  }

  #differs(draft: Draft, row: number, honest: Draft, honestRow: number): boolean {
    const [shown, right] = [draft.state[row]!, honest.state[honestRow]!];
    return (
      shown.id !== right.id || this.states.positionOf(shown, row) !== this.states.positionOf(right, honestRow)
    );
  }

  /** Returns random numbers that are the same for all reads that must fail in the same way. */
  #randomOfRead(query: PageQuery, number: number, surface: Answer['surface']): Random {
    const { seed, timing, timingReads } = this.#case;
    const key = `${surface} ${query.after} ${query.before} ${query.limit}`;
    const period = Math.floor(number / (5 * timingReads));
    if (timing === 'same request') return randomFrom(`judged ${seed} ${key}`);
    if (timing === 'sticky') return randomFrom(`judged ${seed} ${key} ${period}`);
    return randomFrom(`judged ${seed} read ${number}`);
  }

  #isFaulty(random: Random, surface: Answer['surface']): boolean {
    const { drift, timing, timingReads, crossCheckSource } = this.#case;
    const chance = random();
    if (surface === 'cross-check' && crossCheckSource === 'honest') return false;
    if (surface === 'cross-check' && crossCheckSource === 'lagging') return true;
    if (drift === 0) return false;
    if (timing !== 'bursts') return chance < drift;
    // A burst ends after `timingReads` reads on average, and the pauses are as long as the drift says.
    const share = drift / BURST_DENSITY;
    const ends = 1 / timingReads;
    const begins = Math.min(1, (ends * share) / (1 - share));
    this.#isBurst = this.#isBurst ? random() >= ends : random() < begins;
    return this.#isBurst && chance < BURST_DENSITY;
  }

  /** Returns the number of an answer, and makes a write when one is due. */
  #next(): number {
    const number = this.answers.length + 1;
    const { writes, writeCount, writeEvery } = this.#case;
    const made = this.states.writes.length;
    if (writes !== 'none' && made < writeCount && number >= (made + 1) * writeEvery) this.states.write();
    return number;
  }

  #row(id: string | undefined): JudgedRow | undefined {
    return id === undefined ? undefined : this.states.get(id);
  }

  #shown(row: JudgedRow, index: number): JudgedListRow {
    const position = this.states.positionOf(row, index);
    return position === undefined ? { id: row.id } : { id: row.id, sequence: position };
  }
}

function directionOf({ after, before }: PageQuery): Direction {
  if (before === undefined) return 'forward';
  return after === undefined ? 'backward' : 'closed';
}
