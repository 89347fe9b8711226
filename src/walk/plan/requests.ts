// Requests that were not made before: the same stretch of the list asked for by other cursors, directions and sizes.
import { OVERLAP } from '../evidence/read-page.ts';
import { START, type Order, type Place } from '../order/order.ts';
import { directionOf, forward, keyOf, type Surface } from '../evidence/read.ts';
import type { Direction, PageQuery, Source } from '../source.ts';

/**
 * `covers` are the first and the last row whose gaps the read is to vouch for. The witness is asked with a row, which
 * `cursor` names; undefined: from the start.
 */
export type Planned<Row> = {
  query: PageQuery;
  surface: Surface;
  cursor?: Place<Row>;
  kind: 'frontier' | 'verify' | 'end';
  covers?: [Place<Row>, Place<Row>];
  drained: boolean;
};

/** Request keys kept; older ones are of anchors far behind. */
const MOST_KEYS = 8192;
/** Rows between the anchors of reads that ask for the end. */
const STRIDE = 3;
const TURNS = 216;
const MOST_SIZES = 12;
const STYLES: readonly Direction[] = ['backward', 'closed', 'forward'];

export class Requests<Row> {
  readonly #order: Order<Row>;
  readonly #stop: string | undefined;
  readonly #made = new Set<string>();
  readonly #styles: readonly Direction[];
  #style = 0;
  /** The most rows of a read: a service may give fewer than asked for. */
  room: number;

  /** `stop` is the exclusive end of the walk, if it has one; `directions` are all unless given. */
  constructor(
    order: Order<Row>,
    room: number,
    stop: string | undefined,
    directions: Source<never>['directions'],
  ) {
    this.#order = order;
    this.room = room;
    this.#stop = stop;
    this.#styles = STYLES.filter((style) => directions?.has(style) !== false);
  }

  /** The request is under way from now on, and not made again. */
  make(query: PageQuery, surface: Surface): void {
    this.#made.add(keyOf(query, surface));
    if (this.#made.size > MOST_KEYS)
      for (const key of [...this.#made].slice(0, MOST_KEYS / 2)) this.#made.delete(key);
  }

  /** On from the last known rows, which it overlaps. */
  frontier(): PageQuery | undefined {
    const { list } = this.#order;
    const overlaps = [OVERLAP, 0, 1, ...Array.from({ length: OVERLAP }, (_, n) => OVERLAP + 1 + n)];
    return this.#fresh((turn) => {
      const back = overlaps[turn % overlaps.length]!;
      const anchor = list[Math.max(0, list.length - 1 - back)]!;
      const size = this.room - Math.floor(turn / overlaps.length);
      // With an end of the walk's own the first read asks the service whether the ends are in order (409).
      if (list.length === 1 && this.#stop !== undefined)
        return anchor.id === START && turn === 0 && this.#can('backward')
          ? { before: this.#stop, limit: size }
          : anchor.id === START || !this.#can('closed')
            ? forward(anchor.id, size)
            : { after: anchor.id, before: this.#stop, limit: size };
      return size > back + 1 ? forward(anchor.id, size) : undefined;
    });
  }

  /** Over the rows from `left` on; `toEnd` says that the list is known to end behind the last known row. */
  window(left: number, toEnd: boolean): PageQuery | undefined {
    const { list } = this.#order;
    const start = this.#style++;
    const short = toEnd && left + this.room >= list.length;
    const fromStart = list[left]!.id === START;
    const whole = list[0]!.id === START;
    const sizes = Math.max(1, Math.min(MOST_SIZES, this.room - OVERLAP));
    return this.#fresh((turn) => {
      const round = Math.floor(turn / this.#styles.length);
      const size = this.room - (round % sizes);
      const further = Math.floor(round / sizes);
      // Toward the end a forward page is short and vouches for the end too; so does a backward one for the start.
      const style =
        turn === 0 && short
          ? 'forward'
          : fromStart && turn % 4 < 3 && this.#can('backward')
            ? 'backward'
            : this.#styles[(start + turn) % this.#styles.length]!;
      const after = list[Math.max(0, left - 1 - further - Math.floor(round / 2))]!;
      const far = left + size - (fromStart || style === 'closed' ? 1 : 0) - 2 * further;
      const before = list[Math.max(left + 1, Math.min(list.length - 1, far))]!;
      if (style === 'forward') return forward(after.id, size);
      if (style === 'closed' && after.id !== START)
        return { after: after.id, before: before.id, limit: size };
      // Nothing before the origin of the walk is asked for, so no backward read vouches for the gap behind it.
      if (!this.#can('backward') || (left === 0 && !whole)) return forward(after.id, size);
      return { before: before.id, limit: whole ? size : Math.min(size, Math.max(1, before.at - 1)) };
    });
  }

  /** Over the last rows and beyond. */
  end(): PageQuery | undefined {
    const { list } = this.#order;
    const backs = Math.max(1, Math.min(list.length, this.room - OVERLAP));
    return this.#fresh((turn) => {
      const back = (turn * STRIDE) % backs;
      const size = this.room - Math.floor(turn / backs);
      return size > back ? forward(list[list.length - 1 - back]!.id, size) : undefined;
    });
  }

  /** What stands behind a row, asked with the row itself: 404 says it is gone. */
  behind({ id }: Place<Row>): PageQuery | undefined {
    return this.#fresh((turn) => forward(id, this.room - turn));
  }

  /** Two neighbours as both ends of a read: 409 where they are the other way round, and that answer does not lie. */
  between(left: Place<Row>, right: Place<Row>): PageQuery | undefined {
    if (left.id === START || !this.#can('closed')) return undefined;
    return this.#fresh((turn) =>
      turn === 0 ? { after: left.id, before: right.id, limit: OVERLAP } : undefined,
    );
  }

  /** A question to the witness, with this row as its cursor. */
  testimony({ id }: Place<Row>): PageQuery | undefined {
    return this.#fresh((turn) => forward(id, this.room - turn), 'witness');
  }

  /** The first and the last row that an honest answer would show. */
  covers(query: PageQuery): [Place<Row>, Place<Row>] {
    const { after, before, limit } = query;
    const { list } = this.#order;
    const from = this.#order.find(after ?? START)?.at ?? -1;
    const to = before === undefined ? list.length : this.#order.find(before)!.at;
    const backward = directionOf(query) === 'backward';
    const first = backward ? Math.max(0, to - limit) : after === undefined ? 0 : from + 1;
    const last = Math.max(first, backward ? to - 1 : Math.min(to - 1, from + limit));
    return [list[first] ?? list.at(-1)!, list[last] ?? list.at(-1)!];
  }

  #can(style: Direction): boolean {
    return this.#styles.includes(style);
  }

  #fresh(shape: (turn: number) => PageQuery | undefined, surface: Surface = 'list'): PageQuery | undefined {
    for (let turn = 0; turn < TURNS; turn++) {
      const query = shape(turn);
      if (query !== undefined && query.limit >= 1 && !this.#made.has(keyOf(query, surface))) return query;
    }
    return undefined;
  }
}
