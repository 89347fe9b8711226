// Compares two walks of a list: rows added, moved, lost and changed, and rows that one walk cannot tell about.
import type { DiffReport, FrozenWalk } from '../../contract/reports/walk.ts';
import { longestIncreasingSubsequence } from '../order/longest-increasing-subsequence.ts';

/** Length of a SHA-256. */
const HASH_BYTES = 32;

/** A walk, the ids of its rows in order, and the SHA-256 of each row (32 bytes each, in the same order). */
export type WalkedList = { walk: FrozenWalk; ids: readonly string[]; hashes: Buffer };

/**
 * Returns the difference of two walks. O(n log n). The rows that stayed are a longest increasing subsequence of both
 * lists, so that as few rows as possible have moved. A row is added or lost only where the other walk has looked: between
 * two rows that stayed, or beyond them as far as that walk is known to have gone. Other rows are `unknown`. `fields` of changed rows are
 * empty: hashes do not show them, see {@link ChangedFields}.
 */
export function compareWalks(a: WalkedList, b: WalkedList): DiffReport {
  const indexInA = new Map<string, number>();
  for (const [index, id] of a.ids.entries()) indexInA.set(id, index);
  const indexes = b.ids.map((id) => indexInA.get(id) ?? -1);
  const stayed = longestIncreasingSubsequence(indexes);
  const stays = new Uint8Array(b.ids.length);
  for (const index of stayed) stays[index] = 1;
  const inBoth = new Uint8Array(a.ids.length);

  const report: DiffReport = {
    version: 1,
    a: a.walk,
    b: b.walk,
    added: [],
    moved: [],
    lost: [],
    changed: [],
    unknown: [],
    same: 0,
  };
  const firstAnchor = stayed[0];
  const lastAnchor = stayed.at(-1);
  const whyUnknownInA = unknownReasons(a.walk, b.walk, firstAnchor, lastAnchor);
  for (const [index, id] of b.ids.entries()) {
    const from = indexes[index] ?? -1;
    if (from === -1) {
      const row = { id, after: before(b, index) };
      const reason = whyUnknownInA(id, index);
      if (reason === undefined) report.added.push(row);
      else report.unknown.push({ ...row, side: 'b', reason });
      continue;
    }
    inBoth[from] = 1;
    const moved = stays[index] === 0;
    const hashInA = hashAt(a, from);
    const hashInB = hashAt(b, index);
    const changed = !hashInA.equals(hashInB);
    if (moved) report.moved.push({ id, from: { after: before(a, from) }, to: { after: before(b, index) } });
    if (changed)
      report.changed.push({
        id,
        from: { sha256: hashInA.toString('hex') },
        to: { sha256: hashInB.toString('hex') },
        fields: [],
      });
    if (!moved && !changed) report.same++;
  }
  const anchorInA = (anchor: number | undefined) => (anchor === undefined ? undefined : indexes[anchor]);
  const whyUnknownInB = unknownReasons(b.walk, a.walk, anchorInA(firstAnchor), anchorInA(lastAnchor));
  for (const [index, id] of a.ids.entries()) {
    if (inBoth[index] === 1) continue;
    const row = { id, after: before(a, index) };
    const reason = whyUnknownInB(id, index);
    if (reason === undefined) report.lost.push(row);
    else report.unknown.push({ ...row, side: 'a', reason });
  }
  return report;
}

type Reason = DiffReport['unknown'][number]['reason'];

/** Returns a function that says why a row of `own` at an index may be in the list of `other` too; undefined: it is not. */
function unknownReasons(
  other: FrozenWalk,
  own: FrozenWalk,
  firstAnchor: number | undefined,
  lastAnchor: number | undefined,
): (id: string, index: number) => Reason | undefined {
  const seen = new Set([...other.late, ...other.unplaced]);
  const fromTheStart = other.after === null || other.after === own.after;
  const toTheEnd = other.before === null || other.before === own.before;
  return (id, index) => {
    if (seen.has(id)) return 'no_place';
    if (!fromTheStart && index < (firstAnchor ?? Infinity)) return 'out_of_range';
    if (index <= (lastAnchor ?? -1)) return undefined;
    if (!toTheEnd) return 'out_of_range';
    return other.complete ? undefined : 'not_reached';
  };
}

function before({ walk, ids }: WalkedList, index: number): string | null {
  return index === 0 ? walk.after : (ids[index - 1] ?? null);
}

function hashAt({ hashes }: WalkedList, index: number): Buffer {
  return hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
}
