// Plans which read is next: the frontier, the first adjacencies short of evidence, the end. No remembered request is made again.
import { isSettled, isStartSettled, type Criteria } from '../decide/criteria.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { Surface } from '../evidence/read.ts';
import { LIST_START, type Entry, type Order } from '../order/order.ts';
import type { PageQuery } from '../source.ts';
import type { PendingChecks } from './pending-checks.ts';
import type { FreshRequests, PlannedRead } from './requests.ts';

/** Pages known ahead of the frontier from which on the walk stops reading forward. */
const MAX_PAGES_AHEAD = 48;
/** Reads without progress after which only the first page after the frontier is read again. */
const MAX_READS_WITHOUT_FOCUS = 12;

/** Requests with one row as the cursor, to learn whether it is in the list. */
const MAX_PROBES = 3;
/** Votes for which reads are planned while the frontier is read: how many are needed is better known later. */
const MAX_VOTES_WHILE_READING_ON = 3;

/** Pages between the last known row and the rows that are verified meanwhile, more than reads are in flight: reads at one time may share a fault. */
const PAGES_BEHIND = 8;

/** For each adjacency, reads in flight that are expected to show it. */
type PendingVotes = Record<Surface, Uint8Array>;

/** What a plan depends on besides the evidence. `isReadingOn`: a read beyond the last known row is in flight. */
type Situation = { isReadingOn: boolean; pending: PendingVotes; readsWithoutProgress: number };

/** Plans one read at a time, with regard to those in flight. */
export class ReadPlanner<Row> {
  readonly #order: Order<Row>;
  readonly #evidence: Evidence<Row>;
  readonly #rangeEnd: string | undefined;
  readonly #requests: FreshRequests<Row>;
  readonly #checks: PendingChecks<Row>;
  readonly #probes = new Map<Entry<Row>, number>();
  #toProbe: Entry<Row>[] = [];

  constructor(
    order: Order<Row>,
    evidence: Evidence<Row>,
    requests: FreshRequests<Row>,
    checks: PendingChecks<Row>,
    rangeEnd: string | undefined,
  ) {
    this.#order = order;
    this.#evidence = evidence;
    this.#requests = requests;
    this.#checks = checks;
    this.#rangeEnd = rangeEnd;
  }

  /** Rows that a read asks for. */
  get pageRows(): number {
    return this.#requests.pageRows;
  }

  set pageRows(rows: number) {
    this.#requests.pageRows = rows;
  }

  /**
   * Returns the next useful read beside those in flight; undefined when it is better to wait for them. `expected`: the criteria
   * after some more reads. Rows are first read as often as these ask for, since each read makes the fault rates better known.
   * `readsWithoutProgress`: reads of the first open adjacency without progress.
   */
  next(
    expected: Criteria,
    criteria: Criteria,
    inFlight: readonly PlannedRead<Row>[],
    readsWithoutProgress: number,
  ): PlannedRead<Row> | undefined {
    const situation: Situation = {
      isReadingOn: !this.isEndKnown && inFlight.some(({ kind }) => kind === 'frontier'),
      pending: this.#pendingVotes(inFlight),
      readsWithoutProgress,
    };
    const suspect = this.#toProbe.pop();
    const read =
      (suspect === undefined ? undefined : this.locate(suspect)) ??
      this.#frontier(inFlight, readsWithoutProgress) ??
      this.#checks.nextRecheck() ??
      this.#verifyEvenly(expected, situation) ??
      this.#confirmEnd(inFlight) ??
      this.#end(expected, inFlight) ??
      (situation.isReadingOn ? undefined : this.#verifyEvenly(criteria, situation)) ??
      this.#end(criteria, inFlight);
    if (read !== undefined) this.#requests.markMade(read.query, read.surface);
    return read;
  }

  /** Returns whether the adjacency with this number after the frontier is accepted, and confirmed where it must be. */
  isAccepted(number: number, criteria: Criteria): boolean {
    return this.#hasEvidence(number, criteria, 0, 0) && !this.#checks.isUnconfirmed(number);
  }

  /** Asks for each of these rows as a cursor by itself: one of two cursors is gone, or the rows lost their place. */
  probe(entries: readonly Entry<Row>[]): void {
    this.#toProbe.push(...entries);
  }

  /** Returns whether a row is about to be asked for as a cursor. */
  isProbing(inFlight: readonly PlannedRead<Row>[]): boolean {
    return this.#toProbe.length > 0 || inFlight.some(({ isProbe }) => isProbe);
  }

  /** Returns a read of what follows a row, to give the row a place or to learn that it is gone. */
  locate(entry: Entry<Row>): PlannedRead<Row> | undefined {
    const query = this.#requests.rowsAfter(entry);
    if (query === undefined) return undefined;
    this.#requests.markMade(query, 'list');
    return { query, surface: 'list', kind: 'verify', isFinalCheck: false, isProbe: true };
  }

  /** Returns a read of frozen rows, with those beside them, that was not made before. */
  auditQuery(ids: readonly string[]): PageQuery | undefined {
    const query = this.#requests.audit(ids);
    if (query !== undefined) this.#requests.markMade(query, 'list');
    return query;
  }

  /** Returns a request with these cursors for few rows, to learn whether the service takes them. */
  cursorQuery(after: string, before: string | undefined): PageQuery {
    const query = this.#requests.withCursors(after, before);
    this.#requests.markMade(query, 'list');
    return query;
  }

  /** Whether the end of the list, or of the walk, was seen. */
  get isEndKnown(): boolean {
    return this.#evidence.endReads.size > 0 || this.isAtRangeEnd;
  }

  /** Whether the last known row is the end that the caller gave. */
  get isAtRangeEnd(): boolean {
    return this.#rangeEnd !== undefined && this.#order.list.at(-1)?.id === this.#rangeEnd;
  }

  #frontier(
    inFlight: readonly PlannedRead<Row>[],
    readsWithoutProgress: number,
  ): PlannedRead<Row> | undefined {
    const { list, frozen } = this.#order;
    if (this.isEndKnown || inFlight.some(({ kind }) => kind === 'frontier')) return undefined;
    const ahead = list.length - frozen;
    if (
      ahead > 0 &&
      (ahead > MAX_PAGES_AHEAD * this.pageRows || readsWithoutProgress > MAX_READS_WITHOUT_FOCUS)
    )
      return undefined;
    const query = this.#requests.frontier();
    return query === undefined
      ? undefined
      : { query, surface: 'list', kind: 'frontier', isFinalCheck: false };
  }

  /** Returns a read of the first rows with the fewest votes among those that lack evidence. */
  #verifyEvenly(criteria: Criteria, situation: Situation): PlannedRead<Row> | undefined {
    const { isReadingOn } = situation;
    const most = isReadingOn ? MAX_VOTES_WHILE_READING_ON : criteria.votesNeeded;
    for (let votes = 2; votes <= most; votes++) {
      const read = this.#verify(criteria, situation, votes);
      if (read !== undefined) return read;
    }
    return isReadingOn ? undefined : this.#verify(criteria, situation, Infinity);
  }

  /** `maxVotes`: adjacencies with more votes, pending ones included, are left for later. */
  #verify(
    criteria: Criteria,
    { isReadingOn, pending, readsWithoutProgress }: Situation,
    maxVotes: number,
  ): PlannedRead<Row> | undefined {
    const { list, frozen } = this.#order;
    const { adjacencies } = this.#evidence;
    const count =
      readsWithoutProgress > MAX_READS_WITHOUT_FOCUS
        ? Math.min(adjacencies.length, this.pageRows)
        : adjacencies.length;
    for (let number = 0; number < count; number++) {
      const left = frozen - 1 + number;
      const { insideVotes, cursorVotes } = adjacencies[number]!;
      if (insideVotes + cursorVotes + pending.list[number]! >= maxVotes) continue;
      const confirmations = adjacencies[number]!.confirmations + pending['cross-check'][number]!;
      const entry = list[left + 1]!;
      // A row that only the cross-check source has named must still be shown by a page.
      const isShown = entry.row !== undefined || entry.id === this.#rangeEnd || pending.list[number]! > 0;
      const hasEvidence =
        isShown &&
        this.#hasEvidence(number, criteria, pending.list[number]!, pending['cross-check'][number]!);
      const isUnconfirmed = confirmations === 0 && this.#checks.isUnconfirmed(number);
      if (hasEvidence && !isUnconfirmed) continue;
      // Reads of the rows after it are going to number the row once more.
      if (isReadingOn && !isUnconfirmed && this.#awaitsNumbering(number)) continue;
      if (isReadingOn && list.length - 1 - left < PAGES_BEHIND * this.pageRows) return undefined;
      const planned =
        this.#checks.forAdjacency(number, confirmations, criteria) ??
        (hasEvidence ? undefined : this.#read(number));
      // Nothing further ahead is frozen before the first adjacency is confirmed.
      if (planned !== undefined || (number === 0 && hasEvidence)) return planned;
    }
    return undefined;
  }

  /** Returns whether an adjacency with consecutive positions lacks nothing but reads that number it as well. */
  #awaitsNumbering(number: number): boolean {
    const { isConsecutive, insideVotes, cursorVotes, numberingVotes, numberingRivals } =
      this.#evidence.adjacencies[number]!;
    const isStart = this.#order.list[this.#order.frozen - 1 + number]!.id === LIST_START;
    const votes = isStart ? this.#evidence.startVotes : insideVotes + cursorVotes;
    return isConsecutive && votes > (isStart ? 1 : 0) && numberingVotes > numberingRivals;
  }

  /** Returns a read of the list over the adjacency with this number. */
  #read(number: number): PlannedRead<Row> | undefined {
    const { list, frozen } = this.#order;
    const left = frozen - 1 + number;
    const entry = list[left + 1]!;
    const { insideVotes, rivalVotes, reversedReads, omittingReads, isInDoubt } =
      this.#evidence.adjacencies[number]!;
    // A row that reads omit is asked for as a cursor: 404 says that it is gone, a page that it is in the list. The frozen row
    // at the frontier may be gone as well.
    const isLeftDenied = number === 0 && omittingReads === 0 && rivalVotes >= insideVotes;
    const probe =
      this.#probe(entry, isInDoubt && insideVotes > 1) ??
      this.#probe(list[left]!, isLeftDenied && rivalVotes > 0);
    const orderProbe =
      reversedReads > 0 && insideVotes + reversedReads > 2
        ? this.#requests.orderProbe(list[left]!, entry)
        : undefined;
    const query =
      probe ?? orderProbe ?? this.#requests.verification(left, this.isEndKnown && !this.isAtRangeEnd);
    if (query === undefined) return undefined;
    const covers = this.#requests.covers(query);
    return { query, surface: 'list', kind: 'verify', covers, isFinalCheck: false };
  }

  #hasEvidence(number: number, criteria: Criteria, pendingReads: number, pendingChecks: number): boolean {
    const adjacency = this.#evidence.adjacencies[number]!;
    if (this.#order.list[this.#order.frozen - 1 + number]!.id !== LIST_START)
      return isSettled(adjacency, criteria, pendingReads, pendingChecks);
    const { startVotes, startRivals } = this.#evidence;
    const votes = startVotes + pendingReads + pendingChecks;
    const beginsAtZero = this.#order.list[this.#order.frozen + number]?.position === 0;
    return isStartSettled(votes, startRivals, adjacency, beginsAtZero, criteria);
  }

  #confirmEnd(inFlight: readonly PlannedRead<Row>[]): PlannedRead<Row> | undefined {
    const isAsked = inFlight.some(({ kind, surface }) => kind === 'end' && surface === 'cross-check');
    return this.isEndKnown && this.#checks.isEndUnconfirmed && !isAsked ? this.#checks.forEnd() : undefined;
  }

  #end(criteria: Criteria, inFlight: readonly PlannedRead<Row>[]): PlannedRead<Row> | undefined {
    if (!this.isEndKnown || this.isAtRangeEnd) return undefined;
    const { endReads, finalEndChecks, adjacencies } = this.#evidence;
    const asked = inFlight.filter(({ kind }) => kind === 'end').length;
    const isOpen = adjacencies.some((_, number) => !this.isAccepted(number, criteria));
    const needed = criteria.endReadsNeeded;
    const wanted = isOpen ? needed - 1 : needed;
    const finalMissing = criteria.finalEndChecksNeeded - finalEndChecks;
    const missing = Math.max(wanted - endReads.size, isOpen ? 0 : finalMissing);
    const missingBeforeFinal = missing - Math.max(0, finalMissing);
    // The final checks are made when no other read is in flight.
    const isTimeForFinal =
      inFlight.every(({ isFinalCheck }) => isFinalCheck) && inFlight.length < finalMissing;
    if (asked >= missingBeforeFinal && (isOpen || !isTimeForFinal)) return undefined;
    const isFinalCheck = asked >= missingBeforeFinal;
    const query = this.#requests.end(isFinalCheck);
    if (query === undefined) return undefined;
    const covers = this.#requests.covers(query);
    return { query, surface: 'list', kind: 'end', covers, isFinalCheck };
  }

  #probe(entry: Entry<Row>, isSuspect: boolean): PageQuery | undefined {
    if (!isSuspect || entry.id === LIST_START || entry.exists) return undefined;
    const probes = this.#probes.get(entry) ?? 0;
    if (probes >= MAX_PROBES) return undefined;
    this.#probes.set(entry, probes + 1);
    return this.#requests.rowsAfter(entry);
  }

  #pendingVotes(inFlight: readonly PlannedRead<Row>[]): PendingVotes {
    const { frozen } = this.#order;
    const count = this.#evidence.adjacencies.length;
    const pending: PendingVotes = { list: new Uint8Array(count), 'cross-check': new Uint8Array(count) };
    for (const { covers, surface } of inFlight) {
      if (covers === undefined || covers[0].index < 0 || covers[1].index < 0) continue;
      for (let index = Math.max(covers[0].index, frozen - 1); index < covers[1].index; index++)
        pending[surface][index - frozen + 1]!++;
    }
    return pending;
  }
}
