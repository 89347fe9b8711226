// The true list of a judged case, its writes, and the old states of it that stale answers show.
import type { JudgedCase } from './judged-case.ts';
import { randomFrom, type Random } from './random.ts';

/** A row that is or was in the list. Rows are ordered by `rank`, old ones and dead ones too. */
export type JudgedRow = {
  id: string;
  rank: number;
  /** When the row was written, 0 to 1, the start of the walk; 0: it is in every old state. */
  born: number;
  /** Of a dead row: when it was deleted. Undefined while the row lives. */
  died?: number;
};

/** What happened to the list during the walk. */
export type Write = { kind: 'append' | 'insert' | 'delete'; id: string };

/** Rows of one stretch in which faults occur. */
const MAX_STRETCH_ROWS = 40;
const EDGE_ROWS = 3;
const AGES = 4;
/** Where sparse positions stand apart at most, before they are spread to leave room for inserted rows. */
const MAX_POSITION_GAP = 9;
const POSITION_SPREAD = 1024;

/** The list at every moment of a walk. */
export class ListStates {
  /** The rows as they are now, in order. */
  readonly now: JudgedRow[] = [];
  /** Ids at the start of the walk, in order. */
  readonly first: readonly string[];
  readonly writes: Write[] = [];
  readonly #case: JudgedCase;
  /** Every row of the list at the start and every row that was dead by then. */
  readonly #all: JudgedRow[] = [];
  readonly #byId = new Map<string, JudgedRow>();
  readonly #sparse = new Map<string, number>();
  readonly #random: Random;
  readonly #ages: readonly number[];
  readonly #statesOfAges = new Map<number, readonly JudgedRow[]>();
  /** Rows at which faults occur, unless that is everywhere or at the edges. */
  readonly #places = new Set<string>();
  #lastSparse = 0;
  /** No row stands behind it, dead ones included. */
  #lastRank: number;
  #written = 0;

  constructor(judged: JudgedCase) {
    this.#case = judged;
    this.#lastRank = judged.size + 1;
    this.#random = randomFrom(`judged states ${judged.seed}`);
    const { size, phantomShare, staleness } = judged;
    const phantoms = phantomShare === 0 || size === 0 ? 0 : Math.max(1, Math.round(phantomShare * size));
    for (let rank = 0; rank < size; rank++) this.#add(this.#all, this.#row(rank, 0));
    const isFaulty = this.#faultyRows();
    const missing = this.missingShare;
    for (const [index, row] of this.#all.entries()) {
      const isYoung = this.#random() < missing || (index >= size - 3 && this.#random() < 0.3);
      if (isYoung && isFaulty.has(row.id)) row.born = 0.05 + 0.95 * this.#random();
    }
    this.now.push(...this.#all);
    const faulty = [...isFaulty];
    for (let count = 0; count < phantoms && faulty.length > 0; count++) {
      const beside = this.#byId.get(faulty[Math.floor(faulty.length * this.#random())]!)!;
      const dead = { ...this.#row(beside.rank + 0.1 + 0.8 * this.#random(), 0), died: this.#random() };
      this.#add(this.#all, dead);
    }
    this.#all.sort((a, b) => a.rank - b.rank);
    this.first = this.now.map(({ id }) => id);
    const ages = Array.from({ length: AGES }, () => this.#random());
    this.#ages = staleness === 'shared' ? [0.2 * this.#random()] : ages;
    this.#lastSparse = judged.firstPosition * POSITION_SPREAD;
    for (const { id } of this.#all) this.#addSparse(id);
  }

  /** Share of the rows that old states lack; in a short list at least one row. */
  get missingShare(): number {
    const { missingShare, size } = this.#case;
    return Math.max(missingShare, 1.2 / Math.max(1, size));
  }

  /** Ids of all rows that were in the list at some moment of the walk, in order. */
  get everDuringWalk(): string[] {
    const ids = new Set([...this.first, ...this.writes.map(({ id }) => id)]);
    return [...ids].sort((a, b) => this.#byId.get(a)!.rank - this.#byId.get(b)!.rank);
  }

  /** Returns a row that is or was in the list. */
  get(id: string): JudgedRow | undefined {
    return this.#byId.get(id);
  }

  /** Whether the row is in the list now. */
  isAlive(id: string): boolean {
    const row = this.#byId.get(id);
    return row !== undefined && row.died === undefined;
  }

  /** Returns the position that an answer shows for the row at `index` of the state it comes from. */
  positionOf(row: JudgedRow, index: number): number | undefined {
    const { positions, firstPosition } = this.#case;
    if (positions === 'none') return undefined;
    if (positions === 'sparse') return this.#sparse.get(row.id);
    return firstPosition + (positions === 'dense' ? lowerBound(this.now, row.rank) : index);
  }

  /** Returns the old state that a stale answer shows. `random` chooses it. */
  oldState(random: Random): readonly JudgedRow[] {
    if (this.#case.staleness === 'own') return this.#ownState(random);
    const age = this.#ages[Math.floor(this.#ages.length * random())]!;
    const known = this.#statesOfAges.get(age);
    if (known !== undefined) return known;
    const state = this.#all.filter(({ born, died }) => born <= age && (died === undefined || died > age));
    this.#statesOfAges.set(age, state);
    return state;
  }

  /** Makes the next write. */
  write(): void {
    const { writes } = this.#case;
    if (this.now.length === 0 || writes === 'appends') return this.#append();
    const index = Math.floor(this.now.length * this.#random());
    const row = this.now[index]!;
    if (writes === 'deletes') {
      this.now.splice(index, 1);
      row.died = 2;
      this.writes.push({ kind: 'delete', id: row.id });
      return;
    }
    const left = this.now[index - 1];
    const inserted = this.#row(left === undefined ? row.rank - 1 : (left.rank + row.rank) / 2, 2);
    this.#add(this.now, inserted, index);
    const [from, to] = [this.#sparse.get(left?.id ?? ''), this.#sparse.get(row.id)!];
    this.#sparse.set(inserted.id, from === undefined ? to - 1 : Math.floor((from + to) / 2));
    this.writes.push({ kind: 'insert', id: inserted.id });
  }

  /** Whether faults occur at this row of the list as it is now. */
  isFaultyPlace = (row: JudgedRow): boolean => {
    if (this.#case.placement === 'anywhere') return true;
    if (this.#case.placement !== 'edges') return this.#places.has(row.id);
    const index = lowerBound(this.now, row.rank);
    return index < EDGE_ROWS || index >= this.now.length - EDGE_ROWS;
  };

  #faultyRows(): ReadonlySet<string> {
    const { placement, size } = this.#case;
    const ids = this.#all.map(({ id }) => id);
    if (placement === 'anywhere') return new Set(ids);
    if (placement === 'edges') return new Set([...ids.slice(0, EDGE_ROWS), ...ids.slice(-EDGE_ROWS)]);
    const stretches = 1 + Math.floor((placement === 'spots' ? 5 : 3) * this.#random());
    for (let stretch = 0; stretch < stretches; stretch++) {
      const from = Math.floor(size * this.#random());
      const rows = placement === 'spots' ? 1 : 5 + Math.floor((MAX_STRETCH_ROWS - 5) * this.#random());
      for (const id of ids.slice(from, from + rows)) this.#places.add(id);
    }
    return this.#places;
  }

  #ownState(random: Random): readonly JudgedRow[] {
    const missing = this.missingShare;
    return this.#all.filter((row) => {
      const isHit = random() < (row.died === undefined ? missing : 0.5);
      return row.died === undefined ? !(isHit && this.isFaultyPlace(row)) : isHit;
    });
  }

  #append(): void {
    this.#lastRank++;
    const row = this.#row(this.#lastRank, 2);
    this.#addSparse(row.id);
    this.#add(this.now, row);
    this.writes.push({ kind: 'append', id: row.id });
  }

  #addSparse(id: string): void {
    this.#sparse.set(id, this.#lastSparse);
    this.#lastSparse += POSITION_SPREAD * (1 + Math.floor(MAX_POSITION_GAP * this.#random()));
  }

  /** The id says nothing about the place. */
  #row(rank: number, born: number): JudgedRow {
    const number = Math.imul(++this.#written, 0x9e3779b1) >>> 0;
    return { id: `row_${number.toString(36)}`, rank, born };
  }

  #add(rows: JudgedRow[], row: JudgedRow, index = rows.length): void {
    rows.splice(index, 0, row);
    this.#byId.set(row.id, row);
  }
}

/** Returns the index of the first row that does not stand before `rank`. */
export function lowerBound(rows: readonly JudgedRow[], rank: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.rank < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}
