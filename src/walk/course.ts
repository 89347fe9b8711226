// Where a walk stands between two reads: what it asks next, freezes, checks and counts.
import { Fault } from '../faults.ts';
import type { WalkReport } from '../contract/report.ts';
import { Confidence } from './confidence.ts';
import { CrossCheck } from './cross-check.ts';
import { EDGE, Evidence, type Finding } from './evidence.ts';
import { keyOf, nextRead } from './reads.ts';
import type { Identified, PageQuery, Source } from './source.ts';
import { Tally } from './tally.ts';
import type { WalkOptions } from './walk.ts';
import { CHAIN_START, freeze, type FrozenWindow } from './window.ts';

/** Reads spent at one frontier before the gap behind it counts as unstable. */
const MOST_READS_IN_PLACE = 40;
/** A window of one row shows no pair inside a page. */
const LEAST_WIDTH = 2;
/** Anchors kept: an end is confirmed from several of them. */
const ANCHORS = 4;
/** Rows without a place that are looked up one by one at the end. */
const MOST_PROBES = 32;
/** Times the witness may list a row after the end before it counts as a disagreement. */
const MOST_DENIED_ENDS = 3;

export class Course<Row extends Identified> {
  readonly #source: Source<Row>;
  readonly #options: WalkOptions<Row>;
  readonly #evidence: Evidence<Row>;
  readonly #tally = new Tally();
  readonly #confidence = new Confidence();
  readonly #check: CrossCheck<Row>;
  readonly #made = new Set<string>();
  readonly #anchors: string[];
  #troubles: string[] = [];
  #readsInPlace = 0;
  #endsDenied = 0;
  #width: number;
  #windows: number;
  #head: string;
  #last: Row | undefined;

  constructor(source: Source<Row>, options: WalkOptions<Row>) {
    const { frozen, after, limit } = options;
    this.#source = source;
    this.#options = options;
    this.#evidence = new Evidence<Row>(after ?? EDGE, options.before, frozen?.ids ?? []);
    this.#check = new CrossCheck(source, options.signal);
    this.#anchors = [...(after === undefined ? [] : [after]), ...(frozen?.ids ?? [])].slice(-ANCHORS);
    this.#width = Math.max(LEAST_WIDTH, limit);
    this.#windows = frozen?.windows ?? 0;
    this.#head = frozen?.head ?? CHAIN_START;
    this.#last = frozen?.last;
  }

  /** Freezes the longest settled prefix, where there is one. */
  async settle(): Promise<FrozenWindow<Row> | undefined> {
    const { ids, votes } = this.#evidence.settled(this.#tally.votesNeeded(), this.#options.limit);
    if (ids.length === 0) return undefined;
    const agreed = this.#asksAbout() ? await this.#crossCheck(ids) : ids.length;
    for (const vote of votes.slice(0, agreed)) this.#confidence.add(vote);
    const after = this.#evidence.frontier;
    const rows = this.#evidence.advance(ids.slice(0, agreed));
    const cost = {
      reads: this.#readsInPlace,
      disagreements: this.#troubles.length,
      drift_ratio: this.#tally.drift.last,
    };
    const window = freeze(this.#windows + 1, after === EDGE ? null : after, rows, cost, this.#head);
    this.#windows++;
    this.#head = window.head;
    this.#last = rows.at(-1);
    this.#anchors.push(...rows.map((row) => row.id));
    this.#anchors.splice(0, this.#anchors.length - ANCHORS);
    this.#tally.conversations += rows.length;
    this.#arrive();
    return window;
  }

  /** Makes one read and keeps what it says. */
  async read(): Promise<void> {
    const { frontier } = this.#evidence;
    const lead = this.#evidence.lead(this.#width);
    const standing = {
      anchors: this.#anchors,
      lead,
      limit: this.#options.limit,
      width: this.#width,
      stop: this.#options.before,
      endClaimed: this.#evidence.end(this.#tally.votesNeeded()).votes > 0,
      troubled: this.#troubles.length > 0,
    };
    const query = nextRead(standing, this.#made);
    if (query === undefined || this.#readsInPlace >= MOST_READS_IN_PLACE) throw this.#stuck();
    this.#spend();
    this.#made.add(keyOf(query));
    this.#readsInPlace++;
    this.#tally.requests++;
    if (lead.length > 0 && this.#readsInPlace > 2) this.#tally.rereads++;
    try {
      const page = await this.#source.page(query, this.#options.signal);
      const finding = this.#evidence.record(query, page);
      this.#tally.page(page.rows.length, page.drift_ratio, finding.repeated);
      this.#note(query, page.rows.length, finding, page.drift_ratio);
    } catch (error) {
      this.#note(query, 0, this.#onRefusedCursor(error, query, frontier), undefined);
    }
  }

  /** Whether the list ends at the frontier and no row that was ever seen is without a place. */
  async isOver(): Promise<boolean> {
    if (!this.#evidence.end(this.#tally.votesNeeded()).settled) return false;
    const lost: string[] = [];
    for (const id of [...this.#evidence.rows.keys()].slice(0, MOST_PROBES)) {
      const place = await this.#probe(id);
      if (place === 'later') this.#evidence.denyEnd();
      if (place === 'later') return false;
      if (place === 'earlier') lost.push(id);
    }
    if (lost.length > 0)
      throw new Fault(
        'unstable',
        `row ${lost[0]} was seen but has no settled place (${lost.length} such rows)`,
      );
    return (await this.#endAgreed()) ? true : (this.#evidence.denyEnd(), false);
  }

  report(fault?: Fault): WalkReport {
    const { tally } = this.#check;
    const gap = {
      after: this.#evidence.frontier === EDGE ? null : this.#evidence.frontier,
      before: this.#evidence.lead(2)[1] ?? this.#options.before ?? null,
      reads: this.#readsInPlace,
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
      confidence: this.#confidence.value(
        this.#tally.requests,
        this.#tally.rowsRead,
        this.#tally.disagreements,
      ),
      cross_check: {
        mode: this.#options.crossCheck,
        asked: tally.asked,
        agreed: tally.agreed,
        unavailable: tally.unavailable,
      },
      duplicates_removed: this.#tally.duplicates,
      frozen: { head: this.#windows === 0 ? null : this.#head, file: null },
      unstable: fault === undefined ? [] : [gap],
    };
  }

  withKept(fault: Fault): Fault {
    const kept = `${this.#tally.conversations} conversations in frozen windows`;
    return new Fault(fault.kind, fault.message, { kept, ...fault.detail });
  }

  #asksAbout(): boolean {
    const { crossCheck } = this.#options;
    // Where the walk began at a bare cursor there is no row to ask the witness with.
    if (this.#last === undefined && this.#evidence.frontier !== EDGE) return false;
    if (crossCheck === 'boundary') return this.#evidence.frontier === EDGE || this.#troubles.length > 0;
    return crossCheck === 'full';
  }

  /** A row that the witness lists after the end sends the walk back to reading; it may be a new one. */
  async #endAgreed(): Promise<boolean> {
    const { crossCheck, before } = this.#options;
    if (crossCheck === 'off' || before !== undefined) return true;
    if (this.#last === undefined && this.#evidence.frontier !== EDGE) return true;
    this.#spend();
    const further = (await this.#check.after(this.#last)).find((id) => !this.#evidence.isFrozen(id));
    if (further !== undefined && ++this.#endsDenied >= MOST_DENIED_ENDS)
      throw new Fault('unstable', `messages list ${further} after the end of the list`);
    return further === undefined;
  }

  async #crossCheck(ids: readonly string[]): Promise<number> {
    const before = this.#check.tally.requests;
    this.#spend();
    const { rows, hashes } = await this.#check.agreed(ids, this.#last);
    this.#tally.disagreements += Math.max(0, this.#check.tally.requests - before - 1);
    if (hashes === undefined || rows > 0) return rows;
    const where =
      ids.length === 0 ? 'the end of the list' : `the window after ${this.#last?.id ?? 'the start'}`;
    throw new Fault('unstable', `messages disagree about ${where}: ids ${hashes[0]}, messages ${hashes[1]}`);
  }

  /** Where a row without a place stands against the frontier: asked with it as a cursor (interface 4.7, rule 2). */
  async #probe(id: string): Promise<'gone' | 'later' | 'earlier'> {
    this.#spend();
    this.#tally.requests++;
    const before = this.#anchors.at(-1);
    const query = { after: id, ...(before === undefined ? {} : { before }), limit: 1 };
    try {
      await this.#source.page(query, this.#options.signal);
      return before === undefined ? 'later' : 'earlier';
    } catch (error) {
      if (error instanceof Fault && error.kind === 'conflict') return 'later';
      if (!(error instanceof Fault) || error.kind !== 'not_found') throw error;
      this.#evidence.forget(id);
      return 'gone';
    }
  }

  /** A cursor of ours was refused: its row is gone, or stands elsewhere. The caller's own cursors are the caller's. */
  #onRefusedCursor(error: unknown, query: PageQuery, frontier: string): Finding {
    if (!(error instanceof Fault) || !['conflict', 'not_found'].includes(error.kind)) throw error;
    const ours = query.before !== undefined && query.before !== this.#options.before;
    if (error.kind === 'conflict' && ours) {
      this.#evidence.misplaced(query.before!);
      return { trouble: `row ${query.before} is not after ${frontier}`, repeated: 0 };
    }
    if (error.kind === 'not_found' && ours && query.after === undefined) {
      this.#evidence.forget(query.before!);
      return { trouble: `row ${query.before} is gone`, repeated: 0 };
    }
    const index = this.#anchors.indexOf(query.after ?? '');
    if (error.kind === 'conflict' || index <= 0 || this.#anchors.length < 2) throw error;
    this.#anchors.splice(index, 1);
    this.#evidence.retreat(this.#anchors.at(-1)!);
    return { trouble: `row ${query.after} is gone`, repeated: 0 };
  }

  #note(query: PageQuery, rows: number, finding: Finding, drift: number | undefined): void {
    if (finding.trouble !== undefined) {
      this.#troubles.push(finding.trouble);
      this.#tally.disagreements++;
      if (this.#troubles.length > 1) this.#width = Math.max(LEAST_WIDTH, Math.floor(this.#width / 2));
    }
    this.#options.log?.({
      number: this.#tally.requests,
      query,
      rows,
      ...(drift === undefined ? {} : { drift_ratio: drift }),
      ...(finding.trouble === undefined ? {} : { trouble: finding.trouble }),
    });
  }

  #arrive(): void {
    this.#made.clear();
    this.#troubles = [];
    this.#readsInPlace = 0;
    this.#width = Math.max(LEAST_WIDTH, this.#options.limit);
  }

  #spend(): void {
    const spent = this.#tally.requests + this.#check.tally.requests;
    if (spent < (this.#options.maxRequests ?? Infinity)) return;
    throw new Fault('unstable', `the budget of ${this.#options.maxRequests} requests is spent`);
  }

  /** Where most reads in place fail the same way, the service breaks the rules rather than drifts. */
  #stuck(): Fault {
    const where = this.#evidence.frontier === EDGE ? 'the start' : this.#evidence.frontier;
    const mostly = (pattern: RegExp) =>
      2 * this.#troubles.filter((trouble) => pattern.test(trouble)).length > this.#readsInPlace;
    if (mostly(/^empty page/))
      return new Fault('protocol', `empty pages after ${where} that say there is more`);
    if (mostly(/again$|frozen$|own cursor|rows for a limit/))
      return new Fault('protocol', `pages after ${where} follow neither cursor nor limit`);
    return new Fault('unstable', `the list after ${where} would not settle in ${this.#readsInPlace} reads`);
  }
}
