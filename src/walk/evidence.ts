// What the reads of a walk say about which row follows which, kept for each pair of neighbours ahead of the frontier.
import type { Identified, Page, PageQuery } from './source.ts';

/** The edge of the list on either side; ids are never empty (contract/conversation.ts). */
export const EDGE = '';

/**
 * Votes for one pair of neighbours, by what vouches for it: rows side by side `inside` a page, or the cursor of the
 * read before its first row (`forward`) or after its last row (`backward`). A page that starts late or early lies
 * about the pair at its cursor and about no other.
 */
export type Votes = { inside: number; forward: number; backward: number };

/** `trouble` says how a page contradicts itself or what is known, in words for the log; `repeated` counts rows it should not hold. */
export type Finding = { trouble?: string; repeated: number };

const total = (votes: Votes) => votes.inside + votes.forward + votes.backward;

/** Nothing but cursors vouches for an edge, and pages there are short enough to lie often: 3 votes, 5 where 3 settle a pair. */
const edgeVotes = (need: number) => 2 * need - 1;
/** A pair that some read denied needs so many votes more than the denial. */
const LEAD = 2;

export class Evidence<Row extends Identified> {
  /** The last frozen row, or where the walk began: a row of the list or EDGE. */
  frontier: string;
  /** Rows seen and not frozen. */
  readonly rows = new Map<string, Row>();
  readonly #frozen: Set<string>;
  readonly #origin: string;
  readonly #stop: string | undefined;
  #largest = 0;
  readonly #excluded = new Set<string>();
  readonly #next = new Map<string, Map<string, Votes>>();

  /** `origin` and `stop` are the exclusive ends of the walk; `frozen` are ids already given out, in order. */
  constructor(origin: string, stop: string | undefined, frozen: readonly string[]) {
    this.frontier = frozen.at(-1) ?? origin;
    this.#frozen = new Set(frozen);
    if (origin !== EDGE) this.#frozen.add(origin);
    this.#origin = origin;
    this.#stop = stop;
  }

  /** Takes in one page. A backward page that shows no known row is not believed at all. */
  record(query: PageQuery, page: Page<Row>): Finding {
    const backward = query.before !== undefined && query.after === undefined;
    const { rows, repeated } = distinct(page.rows);
    const ids = rows.map((row) => row.id);
    const known = ids.some((id) => id === this.frontier || this.rows.has(id));
    if (backward && ids.length > 0 && !known) return { trouble: 'no overlap with what is known', repeated };

    // A short page that says there is more is no proof of an end; the reverse is no proof of anything.
    const ended = page.rows.length < query.limit && page.has_more !== true;
    const from = this.#origin === EDGE ? 0 : Math.max(0, ids.indexOf(this.#origin));
    const stopAt = this.#stop === undefined ? -1 : ids.indexOf(this.#stop);
    const to = stopAt >= from ? stopAt : ids.length;
    for (const row of rows.slice(from, to)) if (!this.#isBehind(row.id)) this.rows.set(row.id, row);

    // Cursors are exclusive: a page that shows its own is shifted, and vouches for nothing at its ends.
    const shifted = ids.some((id) => id === query.after || id === query.before);
    const left =
      shifted || from > 0 ? undefined : backward ? (ended ? EDGE : undefined) : (query.after ?? EDGE);
    const right = shifted ? undefined : backward ? query.before : ended ? (query.before ?? EDGE) : undefined;
    const chain = ids.slice(from, to);
    let trouble = shifted
      ? 'its own cursor in the page'
      : this.#shapeTrouble(query, page, repeated, backward);
    if (left !== undefined && chain[0] !== undefined)
      trouble = first(trouble, this.#vote(left, chain[0], backward ? 'backward' : 'forward'));
    for (let i = 1; i < chain.length; i++)
      trouble = first(trouble, this.#vote(chain[i - 1]!, chain[i]!, 'inside'));
    const last = chain.at(-1) ?? left;
    if (last !== undefined && to < ids.length) trouble = first(trouble, this.#vote(last, EDGE, 'inside'));
    else if (last !== undefined && right !== undefined)
      trouble = first(
        trouble,
        this.#vote(
          last,
          right === this.#stop ? EDGE : right,
          query.before === undefined ? 'forward' : 'backward',
        ),
      );
    const again = query.after === this.frontier ? ids.filter((id) => this.#frozen.has(id)).length : 0;
    return { repeated: repeated + again, ...(trouble === undefined ? {} : { trouble }) };
  }

  /** The rows after the frontier whose order has `need` votes and no close rival, at most `most` of them. */
  settled(need: number, most: number): { ids: string[]; votes: Votes[] } {
    const ids: string[] = [];
    const votes: Votes[] = [];
    for (let from = this.frontier; ids.length < most;) {
      const [best, rival] = this.#rowsAfter(from);
      if (best === undefined || ids.includes(best.id)) break;
      const wanted = Math.max(
        from === EDGE ? edgeVotes(need) : need,
        rival === undefined ? 0 : total(rival.votes) + LEAD,
      );
      const { inside, forward, backward } = best.votes;
      // Reads from one cursor may all be shifted the same way: they count once, but at an edge.
      const support =
        from === EDGE ? total(best.votes) : inside + Math.min(forward, 1) + Math.min(backward, 1);
      if (support < wanted || (inside === 0 && (forward === 0 || backward === 0))) break;
      ids.push(best.id);
      votes.push(best.votes);
      from = best.id;
    }
    return { ids, votes };
  }

  /** The likeliest rows after the frontier, settled or not. */
  lead(most: number): string[] {
    const ids = new Set<string>();
    for (let from = this.frontier; ids.size < most;) {
      const best = this.#rowsAfter(from)[0];
      if (best === undefined || ids.has(best.id)) break;
      ids.add(best.id);
      from = best.id;
    }
    return [...ids];
  }

  /** Votes for the list ending at the frontier; `settled` when they suffice against every row seen after it. */
  end(need: number): { votes: number; settled: boolean } {
    const claim = this.#next.get(this.frontier)?.get(EDGE);
    const votes = claim === undefined ? 0 : total(claim);
    const best = this.#rowsAfter(this.frontier)[0];
    return { votes, settled: votes >= edgeVotes(need) + (best === undefined ? 0 : total(best.votes)) };
  }

  /** Forgets the votes for an end at the frontier: something was proved to come after it. */
  denyEnd(): void {
    this.#next.get(this.frontier)?.delete(EDGE);
  }

  isFrozen(id: string): boolean {
    return this.#frozen.has(id);
  }

  /** Moves the frontier over rows, which must be the first settled ones, and returns them. */
  advance(ids: readonly string[]): Row[] {
    const rows = ids.map((id) => this.rows.get(id)!);
    this.#next.delete(this.frontier);
    for (const id of ids) {
      this.#frozen.add(id);
      this.rows.delete(id);
      if (id !== ids.at(-1)) this.#next.delete(id);
    }
    this.frontier = ids.at(-1) ?? this.frontier;
    return rows;
  }

  /** Reads on from an earlier frozen row, because the frontier's row is gone from the list. */
  retreat(to: string): void {
    this.#next.delete(this.frontier);
    this.frontier = to;
  }

  /** A row that no longer exists. */
  forget(id: string): void {
    this.#excluded.add(id);
    this.rows.delete(id);
    this.#next.delete(id);
  }

  /** A row proved not to come after the frontier; it stays among the rows without a place. */
  misplaced(id: string): void {
    this.#excluded.add(id);
  }

  #shapeTrouble(query: PageQuery, page: Page<Row>, repeated: number, backward: boolean): string | undefined {
    const { length } = page.rows;
    if (length > query.limit) return `${length} rows for a limit of ${query.limit}`;
    if (length === 0 && page.has_more === true && !backward) return 'empty page that says there is more';
    if (repeated > 0) return 'a row twice in one page';
    // A service may give fewer rows a page than asked, but then never more than that.
    const room = Math.min(query.limit, this.#largest);
    this.#largest = Math.max(this.#largest, length);
    const more = backward ? this.#frozen.size >= query.limit : page.has_more === true && length > 0;
    return length < room && more ? `${length} rows where ${room} were to be had` : undefined;
  }

  #isBehind(id: string): boolean {
    return this.#frozen.has(id) || id === this.#stop || this.#excluded.has(id);
  }

  #vote(from: string, to: string, kind: keyof Votes): string | undefined {
    const behind = from !== this.frontier && (from === EDGE || this.#isBehind(from));
    if (behind && (to === EDGE || to === this.frontier || this.#isBehind(to))) return undefined;
    if (behind) return `row ${to} among rows that are frozen`;
    if (to !== EDGE && this.#isBehind(to)) return `row ${to} again`;
    const claims = this.#next.get(from) ?? new Map<string, Votes>();
    this.#next.set(from, claims);
    const votes = claims.get(to) ?? { inside: 0, forward: 0, backward: 0 };
    const denies = total(votes) === 0 && claims.size > 0;
    votes[kind]++;
    claims.set(to, votes);
    if (!denies) return undefined;
    return to === EDGE ? `an end after ${from}` : `another row after ${from === EDGE ? 'the start' : from}`;
  }

  /** Rows claimed to follow, most votes first. */
  #rowsAfter(from: string): { id: string; votes: Votes }[] {
    return [...(this.#next.get(from) ?? [])]
      .filter(([id]) => id !== EDGE && !this.#isBehind(id))
      .map(([id, votes]) => ({ id, votes }))
      .sort((a, b) => total(b.votes) - total(a.votes));
  }
}

const first = (a: string | undefined, b: string | undefined) => a ?? b;

function distinct<Row extends Identified>(rows: readonly Row[]): { rows: Row[]; repeated: number } {
  const first = new Map<string, Row>();
  for (const row of rows) if (!first.has(row.id)) first.set(row.id, row);
  return { rows: [...first.values()], repeated: rows.length - first.size };
}
