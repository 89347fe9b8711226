// The positions that rows show: which position most reads give each row, and which reads number the rows otherwise.
import type { Order } from '../order/order.ts';
import type { Read } from './read.ts';

/** Share of neighbours with rising positions below which positions say nothing about the order of the list. */
const MIN_RISING_SHARE = 0.9;

/** Counts the positions in a set of reads against the known order. */
export class Numbering<Row> {
  /** How many reads show positions. */
  readonly reads: number;
  /** For each read that numbers a row otherwise: its wrong positions, and the first and last index that it shows. */
  readonly deviating = new Map<Read<Row>, { low: number; high: number; claims: Map<string, number> }>();
  readonly #votes: Int32Array;
  readonly #rivals: Int32Array;

  /** Sets the position of each entry after the frontier to the one that most reads show. */
  constructor(order: Order<Row>, reads: readonly Read<Row>[]) {
    const size = order.list.length;
    this.#votes = new Int32Array(size + 1);
    this.#rivals = new Int32Array(size + 1);
    const numbered = reads.filter(({ positions, surface }) => positions !== undefined && surface === 'list');
    this.reads = numbered.length;
    if (numbered.length === 0) return;
    setMajorityPositions(order, numbered);
    for (const read of numbered) this.#add(read);
    // What a read numbers says nothing about the rows before a gap: rows may be missing there.
    for (let index = size - 2; index >= 0; index--) {
      const [position, next] = [order.list[index]!.position, order.list[index + 1]!.position];
      if (index > 0 && (position === undefined || next !== position + 1)) continue;
      this.#votes[index]! += this.#votes[index + 1]!;
      this.#rivals[index]! += this.#rivals[index + 1]!;
    }
  }

  /** Returns how many reads number this row, or a row after it, as the walk does, and how many otherwise. */
  votesFrom(index: number): { votes: number; rivals: number } {
    return { votes: this.#votes[index]!, rivals: this.#rivals[index]! };
  }

  #add(read: Read<Row>): void {
    const claims = new Map<string, number>();
    let [low, high, highestWrong] = [Infinity, -1, -1];
    read.chain.forEach(({ id, index, position }, at) => {
      const shown = read.positions![at];
      if (index < 0 || shown === undefined) return;
      low = Math.min(low, index);
      high = Math.max(high, index);
      if (shown === position) return;
      claims.set(`${id}=${shown}`, index);
      highestWrong = Math.max(highestWrong, index);
    });
    if (highestWrong >= 0) {
      this.deviating.set(read, { low, high, claims });
      this.#rivals[highestWrong]!++;
    } else if (high >= 0) this.#votes[high]!++;
  }
}

/** Gives each row after the frontier the position that most reads show; none at all where positions do not rise along the order. */
function setMajorityPositions<Row>(order: Order<Row>, reads: readonly Read<Row>[]): void {
  const { list, frozen } = order;
  const size = list.length - frozen;
  /** The first position that was shown of each row, and by how many reads; the others only where there are any. */
  const first: (number | undefined)[] = Array.from({ length: size });
  const firstCounts = new Int32Array(size);
  const others = new Map<number, Map<number, number>>();
  for (const { chain, positions } of reads)
    for (let at = 0; at < chain.length; at++) {
      const [row, position] = [chain[at]!.index - frozen, positions![at]];
      if (row < 0 || position === undefined) continue;
      first[row] ??= position;
      if (first[row] === position) firstCounts[row]!++;
      else {
        const counts = others.get(row) ?? new Map<number, number>();
        others.set(row, counts.set(position, (counts.get(position) ?? 0) + 1));
      }
    }
  for (let row = 0; row < size; row++) list[frozen + row]!.position = first[row];
  for (const [row, counts] of others) {
    let most = firstCounts[row]!;
    for (const [position, count] of counts)
      if (count > most) [list[frozen + row]!.position, most] = [position, count];
  }
  let [rising, pairs] = [0, 0];
  for (let index = Math.max(1, frozen); index < list.length; index++) {
    const [left, right] = [list[index - 1]!.position, list[index]!.position];
    if (left === undefined || right === undefined) continue;
    pairs++;
    if (right > left) rising++;
  }
  if (rising < MIN_RISING_SHARE * pairs) for (const entry of list.slice(frozen)) entry.position = undefined;
}
