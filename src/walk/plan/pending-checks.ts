// Questions to the second witness: about pairs of rows that it should list, the end, and rows that it alone has named.
import type { Evidence } from '../evidence/evidence.ts';
import { START, type Order, type Place } from '../order/order.ts';
import type { Planned, Requests } from './requests.ts';
import type { Bar } from '../decide/adjacency.ts';
import type { Testimony } from './cross-check.ts';

/** Rows before the last one from which the witness is asked for the end. */
const END_OVERLAP = 4;

export class Questions<Row> {
  readonly #order: Order<Row>;
  readonly #evidence: Evidence<Row>;
  readonly #testimony: Testimony<Row>;
  readonly #requests: Requests<Row>;
  readonly #stop: string | undefined;
  readonly #disputed: Place<Row>[] = [];

  constructor(
    order: Order<Row>,
    evidence: Evidence<Row>,
    testimony: Testimony<Row>,
    requests: Requests<Row>,
    stop: string | undefined,
  ) {
    this.#order = order;
    this.#evidence = evidence;
    this.#testimony = testimony;
    this.#requests = requests;
    this.#stop = stop;
  }

  /** Whether the witness is to list the pair with this index behind the frontier, and did not. */
  isUntold(index: number, bar: Bar): boolean {
    if (!this.#testimony.isThere) return false;
    const { list, frozen } = this.#order;
    const gap = this.#evidence.gaps[index]!;
    if (gap.told > 0 || !this.#testimony.isWanted(gap, list[frozen - 1 + index]!, bar)) return false;
    // Where the walk began at a bare cursor there is no row to ask the witness with.
    const first = list.findIndex((place) => this.#testimony.canAskWith(place));
    return first !== -1 && first < frozen + index;
  }

  /** Whether the end of the list is still to be heard. */
  get isEndUntold(): boolean {
    if (!this.#testimony.isThere || this.#stop !== undefined || this.#evidence.endsTold > 0) return false;
    return this.#order.list.some((place) => this.#testimony.canAskWith(place));
  }

  /** A question about the gap with this index, unless `told` answers, some on their way, are as many as it should have. */
  about(index: number, told: number, bar: Bar): Planned<Row> | undefined {
    const left = this.#order.frozen - 1 + index;
    const wished = this.#testimony.wished(this.#evidence.gaps[index]!, this.#order.list[left]!, bar);
    return told < wished ? this.#ask(left) : undefined;
  }

  end(): Planned<Row> | undefined {
    const { length } = this.#order.list;
    const asked = this.#ask(Math.max(0, length - END_OVERLAP)) ?? this.#ask(length - 1);
    return asked === undefined ? undefined : { ...asked, kind: 'end' };
  }

  /** The witness named a row behind this one that turned out gone: it is asked again. */
  dispute(place: Place<Row>): void {
    this.#disputed.push(place);
  }

  disputed(): Planned<Row> | undefined {
    const place = this.#disputed.pop();
    return place === undefined || place.at < 0 ? undefined : this.#ask(place.at);
  }

  #ask(left: number): Planned<Row> | undefined {
    const { list } = this.#order;
    const can = (place: Place<Row>) => this.#testimony.canAskWith(place);
    // The pair in question lies inside the answer where the cursor is a row further back.
    const cursor = list.slice(0, Math.max(1, left)).findLast(can) ?? list.slice(0, left + 1).find(can);
    if (cursor === undefined || left - cursor.at >= this.#requests.room - 1) return undefined;
    const query = this.#requests.testimony(cursor);
    if (query === undefined || !this.#testimony.asksAgain(list[left]!)) return undefined;
    const covers = this.#requests.covers(query);
    const from = cursor.id === START ? {} : { cursor };
    return { query, surface: 'witness', ...from, kind: 'verify', covers, drained: false };
  }
}
