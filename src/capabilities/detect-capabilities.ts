// Finds out by a few requests what a list supports: directions, the order of their pages, the largest page.
import { Fault } from '../faults.ts';
import type { Direction, Identified, Page, PageQuery, Source } from '../walk/source.ts';
import { withSwappedCursors, withTurnedPages } from './adapted-source.ts';
import { KnownRows } from './known-rows.ts';
import type { DirectionSupport, ListCapabilities } from './list-capabilities.ts';
import { readFirstPage, SMALL_LIMIT, type FirstPage } from './page-limit.ts';
import { showingOf, verdictOf, type Answer, type Verdict } from './probe-verdict.ts';

/** Rows at the start of the list that are used as cursors. */
const SAMPLE_ROWS = 20;
/** Requests in one direction before it is undecided. */
const MAX_PROBES = 12;
/** Known rows of which a page can show an order: two beside its cursors. */
const MIN_ROWS_FOR_ORDER: Record<Direction, number> = { forward: 3, backward: 3, closed: 4 };
/** Pages of a longer range before they count as read from its end. */
const MAX_RANGE_PROBES = 5;
/** Empty first pages before the list counts as empty: a faulty page may be empty. */
const MAX_EMPTY_PAGES = 3;
/** Status codes of errors that say nothing about the parameters: no token, too slow, too many requests. */
const NOT_REFUSED: ReadonlySet<number> = new Set([401, 408, 425, 429]);

/** What {@link detectCapabilities} is given. */
export type DetectOptions = {
  /** Rows that a page should have. */
  limit: number;
  /** Directions to try; absent: all. */
  wanted?: readonly Direction[];
  /** Whether pages between two cursors will be read whose rows are more than fit into one page. */
  hasRange?: boolean;
  signal: AbortSignal;
};

/**
 * Returns what the list supports. Makes four requests when no answer is wrong, five with `hasRange`. Throws what the first request throws, and faults
 * that do not refuse a cursor.
 */
export async function detectCapabilities<Row extends Identified>(
  source: Source<Row>,
  { limit, wanted = ['forward', 'backward', 'closed'], hasRange = false, signal }: DetectOptions,
): Promise<ListCapabilities> {
  const first = await readFirstPage(source, limit, signal);
  const probes = new Probes(source, first, signal);
  const result = (
    directions: ListCapabilities['directions'],
    swapped: boolean,
    whole = false,
  ): ListCapabilities => ({
    directions,
    swapped,
    whole,
    limit: { wanted: limit, accepted: first.limit, given: probes.given, largest: probes.largest },
    requests: probes.requests,
  });
  const untested = { forward: 'untested', backward: 'untested', closed: 'untested' } as const;
  if (await probes.isEmpty()) return result({ ...untested }, false);
  let forward = await probes.verdictOf('forward');
  const swapped = forward === 'swapped';
  const turned = forward === 'turned';
  if (swapped || turned) {
    await probes.restart(
      swapped ? withSwappedCursors(source) : withTurnedPages(source, new Set(['forward'])),
    );
    forward = await probes.verdictOf('forward');
  }
  const directions: ListCapabilities['directions'] = { ...untested, forward: supportOf(forward, turned) };
  if (directions.forward === 'ascending' || directions.forward === 'descending')
    await probes.findLargestPage();
  if (directions.forward !== 'ignored' && directions.forward !== 'refused')
    for (const direction of ['backward', 'closed'] as const)
      if (wanted.includes(direction) && probes.canAsk(direction))
        directions[direction] = supportOf(await probes.verdictOf(direction));
  const isClosed = directions.closed === 'ascending' || directions.closed === 'descending';
  if (hasRange && isClosed && !(await probes.isRangeReadFromStart())) directions.closed = 'ignored';
  const isWithoutCursors = directions.forward === 'ignored' || directions.forward === 'refused';
  const whole = isWithoutCursors && (await probes.isWhole());
  return result(directions, swapped && directions.forward !== 'ignored', whole);
}

function supportOf(verdict: Verdict, isTurned = false): DirectionSupport {
  // A second time these are faulty pages.
  if (verdict === 'swapped' || verdict === 'turned') return 'ignored';
  return isTurned && verdict === 'ascending' ? 'descending' : verdict;
}

/** The requests of one detection, and what they showed. */
class Probes<Row extends Identified> {
  #source: Source<Row>;
  readonly #signal: AbortSignal;
  readonly #accepted: number;
  #known = new KnownRows();
  /** Rows of the largest first page. */
  given = 0;
  /** Rows that a page can have, as far as known. */
  largest: number;
  requests: number;
  #first: Page<Row>;
  /** Whether no answer was faulty so far. */
  #isClean = true;

  constructor(source: Source<Row>, { page, limit, requests }: FirstPage<Row>, signal: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
    this.#accepted = limit;
    this.largest = limit;
    this.requests = requests;
    this.#first = page;
    this.#addFirst(page);
  }

  /** Returns whether the list has no row. Asks again where the first page has none. */
  async isEmpty(): Promise<boolean> {
    for (let pages = 1; this.given === 0 && pages < MAX_EMPTY_PAGES; pages++) await this.#readFirst(pages);
    return this.given === 0;
  }

  /** Returns whether the list has rows enough: two cursors must be two rows. */
  canAsk(direction: Direction): boolean {
    return direction !== 'closed' || this.#known.ids.length > 1;
  }

  /** Finds out whether a short first page was cut by the service: more rows follow it, and another one is as short. */
  async findLargestPage(): Promise<void> {
    const { rows, has_more } = this.#first;
    const last = rows.at(-1);
    if (last === undefined || rows.length >= this.#accepted || rows.length < this.given || has_more === false)
      return;
    const isMore = has_more === true || (await this.#rowsAfter(last.id)) > 0;
    // The other page asks for two rows less, and would be full if the first was short for want of one row.
    if (!isMore || rows.length >= this.#accepted - 2) return;
    await this.#readFirst(2);
    if (this.#first.rows.length === rows.length) this.largest = rows.length;
  }

  /**
   * Returns whether the first pages are the whole list: two say that nothing follows, and a smaller one is as large all the same, or
   * says that more follows. So `has_more` means something.
   */
  async isWhole(): Promise<boolean> {
    if (this.#first.has_more !== false) return false;
    // A list that just fits is read with the same page size: a smaller one would cut it.
    const { rows, has_more } = await this.#readFirst(this.given === this.#accepted ? 0 : 1);
    if (has_more !== false) return false;
    const half = Math.max(1, Math.floor(Math.min(rows.length, this.#accepted) / 2));
    const smaller = await this.#readFirst(this.#accepted - half);
    return smaller.has_more === smaller.rows.length < rows.length;
  }

  /** Returns whether a page of a longer range begins after the first cursor, and does not end before the second one. */
  async isRangeReadFromStart(): Promise<boolean> {
    const { ids } = this.#known;
    const [after, before] = [ids[0], ids.at(-1)];
    const rows = Math.min(this.#accepted, Math.floor((ids.length - 2) / 2));
    if (after === undefined || before === undefined || rows < 2) return true;
    for (let probe = 0; probe < MAX_RANGE_PROBES; probe++) {
      const query = { after, before, limit: Math.max(2, rows - probe) };
      const shown = await this.#idsOf(query, 'closed');
      if (Array.isArray(shown) && showingOf(shown, query, ids) === 'followed') return true;
    }
    return false;
  }

  /** Begins again with another view of the list. */
  async restart(source: Source<Row>): Promise<void> {
    this.#source = source;
    this.#known = new KnownRows();
    await this.#readFirst(0);
  }

  /** Returns what the service does with a direction. */
  async verdictOf(direction: Direction): Promise<Verdict> {
    const answers: Answer[] = [];
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const query = this.#query(direction, probe);
      const ids = await this.#idsOf(query, direction);
      if (ids === 'refused') return 'refused';
      answers.push({ query, ids });
      const verdict = verdictOf(answers, this.#known.ids, {
        isOrderKnown: direction === 'forward',
        isClean: this.#isClean,
        minRows: MIN_ROWS_FOR_ORDER[direction],
        // A page that is cut short hides that the service ignores one of two cursors.
        minPages: direction === 'closed' && !this.#isClean ? 2 : 1,
      });
      if (verdict !== undefined) {
        if (direction === 'forward' && verdict === 'ascending' && ids !== undefined)
          this.#known.add(ids.slice(0, SAMPLE_ROWS));
        return verdict;
      }
      if (ids !== undefined && showingOf(ids, query, this.#known.ids) !== 'unclear') continue;
      this.#isClean = false;
      // The known order may be the wrong one.
      if (probe % 2 === 1) await this.#readFirst(probe);
    }
    return 'undecided';
  }

  /** Returns a request with cursors among the known rows. Each `probe` gives another one. */
  #query(direction: Direction, probe: number): PageQuery {
    const { ids } = this.#known;
    const last = ids.length - 1;
    const limit = Math.max(1, Math.min(SMALL_LIMIT, this.#accepted) - (probe % 3));
    const at = (index: number): string => ids[Math.max(0, Math.min(last, index))]!;
    // Near enough to the start that a service which ignores the cursor shows its row.
    if (direction === 'forward')
      return { after: at(Math.min(Math.ceil(last / 2), limit - 2) - (probe % 2)), limit };
    const right = Math.max(Math.ceil(last / 2), last - Math.floor(probe / 3));
    // As many rows as stand before the cursor are also those of a service that ignores it.
    if (direction === 'backward') return { before: at(right), limit: limit === right ? limit - 1 : limit };
    // Fewer rows stand between the cursors than the page may have, so that it shows a cursor that is ignored.
    return { after: at(right - Math.max(2, limit - 1)), before: at(right), limit };
  }

  async #readFirst(probe: number): Promise<Page<Row>> {
    this.requests++;
    const limit = Math.max(1, this.#accepted - (probe % this.#accepted));
    this.#first = await this.#source.page({ limit }, this.#signal);
    this.#addFirst(this.#first);
    return this.#first;
  }

  #addFirst({ rows }: Page<Row>): void {
    this.given = Math.max(this.given, rows.length);
    this.#known.add(rows.slice(0, SAMPLE_ROWS).map(({ id }) => id));
  }

  async #rowsAfter(after: string): Promise<number> {
    const ids = await this.#idsOf({ after, limit: this.#accepted }, 'forward');
    return Array.isArray(ids) ? ids.filter((id) => id !== after).length : 0;
  }

  /** Returns the ids of a page; undefined when its cursor is refused, `refused` when its parameter is. */
  async #idsOf(query: PageQuery, direction: Direction): Promise<string[] | undefined | 'refused'> {
    this.requests++;
    try {
      return (await this.#source.page(query, this.#signal)).rows.map(({ id }) => id);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      // The row may be gone (404, 410) or stand elsewhere (409).
      if (error.kind === 'not_found' || error.kind === 'conflict') return undefined;
      const { status = 0 } = error.detail;
      if (status < 400 || NOT_REFUSED.has(status)) throw error;
      // The client has tried a 5xx several times. Without forward reads nothing is left.
      if (status >= 500 && direction === 'forward') throw error;
      return 'refused';
    }
  }
}
