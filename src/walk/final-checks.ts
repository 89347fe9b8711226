// What a walk checks when all rows are frozen: rows that got no place, and a sample of the frozen windows.
import { Fault } from '../faults.ts';
import type { IdSet } from './order/id-set.ts';
import type { WalkOptions } from './options.ts';
import type { Identified, PageQuery, Source } from './source.ts';

/** Share of the pages that a common cause would have to leave right for one read of the audit to miss it. */
const MISSED_SHARE = 0.1;
/** Rows without a place that are asked for as cursors; more of them end the walk. */
const MAX_ASKED_ROWS = 100;
/** Frozen rows that a page of the audit may leave out at one place and that are then asked for. */
const MAX_OMITTED_ROWS = 4;
/** Rows without a place that are remembered. */
const MAX_SEEN_AHEAD = 10_000;

/** Consecutive ids as they were frozen, in this window. The first is undefined at the start of the list. */
type Sample = { window: number; ids: readonly (string | undefined)[] };

/** What the checks need of the walk. */
export type CheckedWalk<Row extends Identified> = {
  source: Source<Row>;
  options: Pick<WalkOptions<Row>, 'after' | 'before' | 'signal'>;
  frozenIds: IdSet;
  /** Whether the service answered 404 for this id. */
  isGone: (id: string) => boolean;
  /** Counts one more request. */
  countRequest: () => void;
  /** Returns a request that was not made before: `rows` rows after `from`, or before `to`. */
  freshQuery: (from: string | undefined, to: string, rows: number) => PageQuery | undefined;
  /** Returns a request with these cursors that was not made before. */
  cursorQuery: (after: string, before: string | undefined) => PageQuery;
  /** Whether the service supports reads between two cursors. */
  hasClosedReads: boolean;
};

/**
 * Checks by answers that are never wrong: 404 for a cursor that is not in the list, and 409 for two cursors in the wrong
 * order. A page of the audit only says where to ask.
 */
export class FinalChecks<Row extends Identified> {
  readonly audit = { reads: 0, agreed: 0 };
  readonly contradictedWindows = new Set<number>();
  readonly #walk: CheckedWalk<Row>;
  readonly #samples: Sample[] = [];
  readonly #wanted: number;
  #offered = 0;
  /** A fixed sequence: which windows are sampled must not depend on the service. */
  #random = 1;
  #isAudited = false;
  /** Rows that a page showed before the rows around them were frozen, and that got no place from it. */
  readonly #seenAhead = new Set<string>();
  readonly #existing = new Map<string, boolean>();

  /** The number of samples follows from the accepted error `epsilon`; the first window is one more. */
  constructor(walk: CheckedWalk<Row>, epsilon: number) {
    this.#walk = walk;
    this.#wanted = Math.ceil(Math.log(epsilon) / Math.log(MISSED_SHARE));
  }

  /** Offers the ids of a window with the row before it. The first window is always kept, of the others a random sample. */
  offer(sample: Sample): void {
    this.#offered++;
    if (this.#samples.length <= this.#wanted) {
      this.#samples.push(sample);
      return;
    }
    this.#random = (Math.imul(this.#random, 1_103_515_245) + 12_345) & 0x7fffffff;
    const slot = (this.#random >>> 8) % this.#offered;
    if (slot < this.#wanted) this.#samples[slot + 1] = sample;
  }

  /** Remembers ids that a page showed without giving them a place, and that do not stand between frozen rows. */
  rememberAhead(ids: readonly string[]): void {
    for (const id of ids)
      if (this.#seenAhead.size < MAX_SEEN_AHEAD && !this.#walk.frozenIds.has(id)) this.#seenAhead.add(id);
  }

  /**
   * Takes ids out of `late` that are not in the list. Throws Fault `unstable` where a row was seen before the rows around it
   * were frozen and got no place: it was not written since, it was missed.
   */
  async checkLateRows(late: Set<string>): Promise<void> {
    const open = [...this.#seenAhead].filter((id) => !this.#isKnown(id));
    for (const id of late) if (this.#isKnown(id)) late.delete(id);
    const asked = new Set([...late, ...open]);
    if (asked.size > MAX_ASKED_ROWS)
      throw new Fault('unstable', `${asked.size} rows were seen and have no place in the list`);
    for (const id of asked) {
      if (!(await this.#isInRange(id))) late.delete(id);
      else if (this.#seenAhead.has(id))
        throw new Fault(
          'unstable',
          `row ${id} was seen before the rows around it were frozen, and has no place`,
        );
    }
  }

  /** Reads the samples again, all at once. Adds rows that are in the list and not frozen to `late`. */
  async runAudit(late: Set<string>): Promise<void> {
    if (this.#isAudited) return;
    this.#isAudited = true;
    const found = await Promise.all(this.#samples.map((sample) => this.#auditSample(sample)));
    for (const id of new Set(found.flat()))
      if (!this.#isKnown(id) && (await this.#isInRange(id))) late.add(id);
  }

  /** Returns the ids that a read of the sample shows and that are not frozen. */
  async #auditSample({ window, ids }: Sample): Promise<string[]> {
    const query = this.#walk.freshQuery(ids[0], ids.at(-1)!, ids.length - 1);
    const shown = query === undefined ? undefined : await this.#idsOf(query);
    if (shown === undefined) return [];
    this.audit.reads++;
    const places = shown.map((id) => ids.indexOf(id));
    const unknown = shown.filter((id, at) => places[at] === -1 && !this.#walk.frozenIds.has(id));
    const isRight = await this.#bearOut(
      ids,
      places.filter((place) => place >= 0),
    );
    if (isRight === false) this.contradictedWindows.add(window);
    else if (isRight === true && unknown.length === 0) this.audit.agreed++;
    return unknown;
  }

  /**
   * Returns whether a page shows the frozen ids at these places as they were frozen; undefined where it does not and the
   * page is wrong, false where the frozen order is.
   */
  async #bearOut(
    ids: readonly (string | undefined)[],
    places: readonly number[],
  ): Promise<boolean | undefined> {
    let agrees: true | undefined = true;
    for (let at = 1; at < places.length; at++) {
      const [left, right] = [places[at - 1]!, places[at]!];
      if (right === left + 1) continue;
      agrees = undefined;
      if (right > left) {
        if (await this.#isAnyGone(ids.slice(left + 1, right))) return false;
      } else if (await this.#isReversed(ids[right]!, ids[left]!)) return false;
    }
    return agrees;
  }

  /** Returns whether one of the frozen rows that a page leaves out is not in the list; many were skipped, not left out. */
  async #isAnyGone(omitted: readonly (string | undefined)[]): Promise<boolean> {
    for (const id of omitted.length > MAX_OMITTED_ROWS ? [] : omitted)
      if (id !== undefined && (await this.#refusalOf(id)) === 'not_found') return true;
    return false;
  }

  async #isReversed(first: string, second: string): Promise<boolean> {
    if (first === second || !this.#walk.hasClosedReads) return false;
    return (await this.#refusalOf(first, second)) === 'conflict';
  }

  #isKnown(id: string): boolean {
    const { options, frozenIds, isGone } = this.#walk;
    return frozenIds.has(id) || isGone(id) || id === options.after || id === options.before;
  }

  /** Returns whether a row is in the list, and between the ends of the walk. */
  async #isInRange(id: string): Promise<boolean> {
    const known = this.#existing.get(id);
    if (known !== undefined) return known;
    const { after, before } = this.#walk.options;
    const cursors: [after: string, before?: string][] = [[id]];
    if (this.#walk.hasClosedReads && after !== undefined) cursors.push([after, id]);
    if (this.#walk.hasClosedReads && before !== undefined) cursors.push([id, before]);
    let exists = true;
    for (const pair of cursors) exists &&= (await this.#refusalOf(...pair)) === undefined;
    this.#existing.set(id, exists);
    return exists;
  }

  /** Returns how the service refuses these cursors, undefined where it takes them. Throws every other fault. */
  async #refusalOf(after: string, before?: string): Promise<'not_found' | 'conflict' | undefined> {
    this.#walk.countRequest();
    try {
      await this.#walk.source.page(this.#walk.cursorQuery(after, before), this.#walk.options.signal);
      return undefined;
    } catch (error) {
      if (error instanceof Fault && (error.kind === 'not_found' || error.kind === 'conflict'))
        return error.kind;
      throw error;
    }
  }

  /** Returns the ids of a page; undefined where the service refuses the request. */
  async #idsOf(query: PageQuery): Promise<string[] | undefined> {
    const { source, options, countRequest } = this.#walk;
    countRequest();
    try {
      return (await source.page(query, options.signal)).rows.map(({ id }) => id);
    } catch (error) {
      if (error instanceof Fault && !options.signal.aborted) return undefined;
      throw error;
    }
  }
}
