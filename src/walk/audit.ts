// The audit at the end of a walk: reads frozen rows again, first a sample of them, then those whose evidence has become too weak.
import { Fault } from '../faults.ts';
import type { Claim } from './decide/claim.ts';
import { EDGE_SHARE } from './decide/error-budget.ts';
import type { FaultModel } from './decide/fault-model.ts';
import type { FrozenClaims } from './decide/frozen-claims.ts';
import { FORGING_KINDS, type AdjacencyEvidence } from './evidence/claims.ts';
import { EvidenceCount, type StartVotes } from './evidence/count.ts';
import { addFaults, noFaults, type FaultStatistics } from './evidence/fault-counts.ts';
import { isShuffled } from './evidence/neighbours.ts';
import { readPage, type WalkRange } from './evidence/read-page.ts';
import type { Read } from './evidence/read.ts';
import type { CursorQuestions } from './cursor-questions.ts';
import type { WalkOptions } from './options.ts';
import type { IdList } from './order/id-list.ts';
import type { IdSet } from './order/id-set.ts';
import { LIST_START, Order, type Entry } from './order/order.ts';
import type { Identified, PageQuery, Source } from './source.ts';

/** Share of the parts that a common cause would have to leave right for one read of the sample to miss it. */
const MISSED_SHARE = 0.1;
/** Rows at one place of a page, left out or out of order, that the service is asked about; more of them came from elsewhere. */
const MAX_ASKED_ROWS = 4;
/** Rows before a part that its reads show as well, so that they hold both rows of its first adjacency. */
const OVERLAP_ROWS = 2;
/** Times that a part is read again before its evidence counts as too weak for good. */
const MAX_READS_OF_PART = 16;

/** Consecutive frozen rows, about one page, with what reads at the end say about them. */
type Part<Row> = {
  /** Number of the first row among all that were frozen. */
  first: number;
  /** These rows with their neighbours. */
  order: Order<Row>;
  entries: Entry<Row>[];
  /** The claims before the first read of the part. */
  claims: Claim[];
  reads: Read<Row>[];
  faults: FaultStatistics;
  tries: number;
};

/** What the audit needs of the walk. */
export type AuditedWalk<Row extends Identified> = {
  source: Source<Row>;
  options: Pick<WalkOptions<Row>, 'after' | 'before' | 'signal'>;
  /** Reads in flight at once. */
  concurrency: number;
  /** The rows that this run froze, and the row before them; LIST_START where there is none. */
  ids: IdList;
  claims: FrozenClaims;
  previousId: string;
  frozenIds: IdSet;
  questions: CursorQuestions<Row>;
  spendRequest: () => void;
  /** Returns a request for these rows that was not made before. The first, or one of the last, is its cursor. */
  freshQuery: (ids: readonly string[]) => PageQuery | undefined;
  rangeFor: (query: PageQuery) => WalkRange;
  /** Rows of a page. */
  pageRows: () => number;
  /** What is known of the service's faults now, those that the audit saw included. */
  model: () => FaultModel;
  /** Is called with the faults of all reads of the audit whenever they change. */
  onFaults: (faults: FaultStatistics) => void;
  epsilon: number;
};

/** Reads frozen rows again, adds what it finds to their claims, and collects what contradicts them. */
export class Audit<Row extends Identified> {
  /** Reads, and how many of them showed the rows as they were frozen. */
  readonly counts = { reads: 0, agreed: 0 };
  /** Windows whose rows stand in another order, as the service says (409). */
  readonly contradictedWindows = new Set<number>();
  /** Frozen rows that are gone (404) or follow on a row that is not frozen: written since, or frozen in error. */
  readonly changedRows = new Set<number>();
  /** Frozen rows that reads of the audit could have shown as changed. */
  readRows = 0;
  readonly #walk: AuditedWalk<Row>;
  readonly #startVotes: StartVotes;
  readonly #parts = new Map<number, Part<Row>>();
  /** Faults of the reads of all parts. */
  readonly #faults = noFaults();
  /** Rows of a part; it does not change once the first part was read. */
  #partRows = 0;

  constructor(walk: AuditedWalk<Row>) {
    this.#walk = walk;
    // Forward reads from the start may all be given one answer, which the claims count already.
    this.#startVotes = walk.source.directions?.has('backward') === false ? 'one a request' : 'none';
  }

  /** Notes that the service denies a frozen row (404). */
  addGoneRow(id: string): void {
    const row = this.#walk.ids.lastIndexOf(id);
    if (row >= 0) this.changedRows.add(row);
  }

  /**
   * Reads the sample, once, where any read was faulty, and then parts whose claims are too weak, until all claims together are
   * good enough or no further read helps. Adds rows that are in the list and not frozen to `late`.
   */
  async run(late: Set<string>): Promise<void> {
    const { ids, concurrency, pageRows, model } = this.#walk;
    if (ids.length === 0) return;
    if (this.#partRows === 0) {
      this.#partRows = Math.max(1, pageRows() - 1);
      const { hasFaults, showsGoneRows } = model();
      const sample = hasFaults || showsGoneRows ? this.#sample() : [];
      await Promise.all(sample.map((number) => this.#readPart(number, late)));
    }
    for (;;) {
      const weakest = this.#weakestParts().slice(0, concurrency);
      if (weakest.length === 0) return;
      await Promise.all(weakest.map((number) => this.#readPart(number, late)));
    }
  }

  /** Returns the numbers of the first and the last part, and of others at random; how many follows from the accepted error. */
  #sample(): number[] {
    const parts = Math.ceil(this.#walk.ids.length / this.#partRows);
    const wanted = Math.min(parts, 2 + Math.ceil(Math.log(this.#walk.epsilon) / Math.log(MISSED_SHARE)));
    const sample = new Set([0, parts - 1]);
    // A fixed sequence: which parts are read must not depend on the service.
    for (let random = 1; sample.size < wanted;) {
      random = (Math.imul(random, 1_103_515_245) + 12_345) & 0x7fffffff;
      sample.add((random >>> 8) % parts);
    }
    return [...sample];
  }

  /** Returns the numbers of the parts without which the others are good enough, the weakest first. */
  #weakestParts(): number[] {
    const { claims, model, pageRows, epsilon } = this.#walk;
    const errors = claims.errorsOfParts(this.#partRows, model(), pageRows());
    const accepted = (1 - EDGE_SHARE) * epsilon;
    let left = errors.reduce((sum, error) => sum + error, 0);
    if (left <= accepted) return [];
    const byError = [...errors.keys()].sort((a, b) => errors[b]! - errors[a]!);
    const weakest: number[] = [];
    for (const number of byError) {
      if (left <= accepted / 2) break;
      left -= errors[number]!;
      if ((this.#parts.get(number)?.tries ?? 0) < MAX_READS_OF_PART) weakest.push(number);
    }
    return weakest;
  }

  #partOf(number: number): Part<Row> {
    const known = this.#parts.get(number);
    if (known !== undefined) return known;
    const { ids, claims, previousId, options } = this.#walk;
    const first = number * this.#partRows;
    const end = Math.min(ids.length, first + this.#partRows);
    const start = Math.max(0, first - OVERLAP_ROWS);
    const names = [
      ...(start === 0 ? [previousId] : []),
      ...ids.slice(start, Math.min(ids.length, end + 1)),
      ...(end === ids.length && options.before !== undefined ? [options.before] : []),
    ];
    const order = new Order<Row>();
    order.push(...names.map((id) => order.entryFor(id)));
    order.frozen = 1;
    const entries = ids.slice(first, end).map((id) => order.entryFor(id));
    const part: Part<Row> = {
      first,
      order,
      entries,
      claims: entries.map((_, row) => claims.of(first + row)),
      reads: [],
      faults: noFaults(),
      tries: 0,
    };
    this.#parts.set(number, part);
    return part;
  }

  async #readPart(number: number, late: Set<string>): Promise<void> {
    const part = this.#partOf(number);
    part.tries++;
    const { order } = part;
    const { options, source, spendRequest, freshQuery, rangeFor, frozenIds } = this.#walk;
    const query = freshQuery(order.list.map(({ id }) => id));
    if (query === undefined) {
      part.tries = MAX_READS_OF_PART;
      return;
    }
    spendRequest();
    let page;
    try {
      page = await source.page(query, options.signal);
    } catch (error) {
      if (!(error instanceof Fault) || options.signal.aborted) throw error;
      const cursor = query.after ?? query.before;
      if (error.kind === 'not_found' && cursor !== undefined) this.addGoneRow(cursor);
      return;
    }
    this.counts.reads++;
    const surface = { surface: 'list', isFinalCheck: false } as const;
    const { read } = readPage(query, page, order, frozenIds, rangeFor(query), surface);
    if (read === undefined) return;
    // Positions of so few rows say nothing about the rows before them.
    delete read.positions;
    for (const id of [query.after, query.before]) {
      const entry = id === undefined ? undefined : order.get(id);
      if (entry !== undefined) entry.exists = true;
    }
    const agrees = await this.#ask(part, read, late);
    if (agrees) this.counts.agreed++;
    part.reads.push(read);
    this.#count(part);
  }

  /** Asks the service about all rows that the page shows otherwise than they were frozen. Returns whether there are none. */
  async #ask(part: Part<Row>, read: Read<Row>, late: Set<string>): Promise<boolean> {
    const { questions, frozenIds } = this.#walk;
    const { order } = part;
    let agrees = true;
    const shown = new Set(read.chain);
    const isUsable = !isShuffled(read);
    let previous: Entry<Row> | undefined;
    let unknown: Entry<Row>[] = [];
    for (const entry of read.chain) {
      if (entry.index < 0) {
        if (!frozenIds.has(entry.id)) unknown.push(entry);
        continue;
      }
      for (const { id } of unknown) {
        agrees = false;
        if (await questions.isGone(id)) Object.assign(order.entryFor(id), { gone: true, isPhantom: true });
        else if (isUsable && (await questions.isInRange(id))) {
          late.add(id);
          if (previous !== undefined && entry.index === previous.index + 1) this.#addChange(part, entry);
        }
      }
      unknown = [];
      if (previous !== undefined && entry.index !== previous.index + 1) {
        agrees = false;
        const omitted = order.list
          .slice(previous.index + 1, entry.index)
          .filter((other) => !shown.has(other));
        if (entry.index > previous.index && omitted.length <= MAX_ASKED_ROWS)
          for (const other of omitted) await this.#askForOmitted(part, other);
        else if (entry.index < previous.index && isUsable) await this.#askForOrder(entry, previous);
      }
      previous = entry;
    }
    return agrees && unknown.length === 0;
  }

  async #askForOmitted(part: Part<Row>, entry: Entry<Row>): Promise<void> {
    if (entry.exists || entry.gone || entry.id === LIST_START) return;
    if (await this.#walk.questions.isGone(entry.id)) {
      entry.gone = true;
      this.#addChange(part, entry);
      part.order.remove(entry);
    } else entry.exists = true;
  }

  async #askForOrder(first: Entry<Row>, second: Entry<Row>): Promise<void> {
    if (first.id === LIST_START || !(await this.#walk.questions.isReversed(first.id, second.id))) return;
    const row = this.#walk.ids.lastIndexOf(second.id);
    if (row >= 0) this.contradictedWindows.add(this.#walk.claims.windowOf(row));
  }

  #addChange(part: Part<Row>, entry: Entry<Row>): void {
    const row = part.entries.indexOf(entry);
    if (row >= 0) this.changedRows.add(part.first + row);
    else this.addGoneRow(entry.id);
  }

  /** Adds what all reads of a part say to the claims of its rows. */
  #count(part: Part<Row>): void {
    const { claims, onFaults } = this.#walk;
    const count = new EvidenceCount(part.order, part.reads, this.#startVotes);
    part.entries.forEach(({ index }, row) => {
      const claim = part.claims[row]!;
      // Reads after a row is gone say nothing about the time when it was frozen.
      claims.revise(part.first + row, index >= 1 ? withMore(claim, count, index - 1) : claim);
    });
    addFaults(this.#faults, part.faults, -1);
    addFaults(this.#faults, count.faults);
    part.faults = count.faults;
    this.readRows += part.reads.at(-1)!.chain.length;
    onFaults(this.#faults);
  }
}

/** Returns a claim with the evidence of more reads. What they say about positions is left out. */
function withMore(claim: Claim, count: EvidenceCount<unknown>, number: number): Claim {
  if (claim.what === 'end') return claim;
  if (claim.what === 'start')
    return { ...claim, votes: claim.votes + count.startVotes, rivals: claim.rivals + count.startRivals };
  const more = count.adjacencies[number]!;
  const taintedVotes = { ...claim.taintedVotes };
  for (const kind of FORGING_KINDS) taintedVotes[kind] += more.taintedVotes[kind];
  const sum: AdjacencyEvidence = {
    ...claim,
    taintedVotes,
    insideVotes: claim.insideVotes + more.insideVotes,
    cursorVotes: claim.cursorVotes + more.cursorVotes,
    rivalVotes: claim.rivalVotes + more.rivalVotes,
    reversedReads: claim.reversedReads + more.reversedReads,
  };
  return { what: 'adjacency', ...sum };
}
