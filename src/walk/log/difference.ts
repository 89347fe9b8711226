// What lies between two walks of a list: added, moved, lost, changed, and what one of them cannot tell.
import type { DiffReport, FrozenWalk } from '../../contract/reports/walk.ts';
import { longestIncreasingSubsequence } from '../order/longest-increasing-subsequence.ts';

/** A walk, its ids in order and the SHA-256 of each row, 32 bytes an id. */
export type WalkedList = { walk: FrozenWalk; ids: readonly string[]; hashes: Buffer };

/**
 * O(n log n). Rows that stay are a longest run of ids that rises in both lists, so as few as possible have moved. A row
 * of one side is called added or lost only where the other side has looked: between two rows that stayed, or beyond
 * them as far as its walk is known to have gone.
 */
export function compareWalks(a: WalkedList, b: WalkedList): DiffReport {
  const placesInA = new Map<string, number>();
  for (const [place, id] of a.ids.entries()) placesInA.set(id, place);
  const places = b.ids.map((id) => placesInA.get(id) ?? -1);
  const stayed = longestIncreasingSubsequence(places);
  const stays = new Uint8Array(b.ids.length);
  for (const place of stayed) stays[place] = 1;
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
  const reasonInA = reasonOf(a.walk, b.walk, firstAnchor, lastAnchor);
  for (const [place, id] of b.ids.entries()) {
    const from = places[place] ?? -1;
    if (from === -1) {
      const row = { id, after: before(b, place) };
      const reason = reasonInA(id, place);
      if (reason === undefined) report.added.push(row);
      else report.unknown.push({ ...row, side: 'b', reason });
      continue;
    }
    inBoth[from] = 1;
    const moved = stays[place] === 0;
    const was = hashAt(a, from);
    const is = hashAt(b, place);
    const changed = !was.equals(is);
    if (moved) report.moved.push({ id, from: { after: before(a, from) }, to: { after: before(b, place) } });
    if (changed)
      report.changed.push({
        id,
        from: { sha256: was.toString('hex') },
        to: { sha256: is.toString('hex') },
      });
    if (!moved && !changed) report.same++;
  }
  const anchorInA = (anchor: number | undefined) => (anchor === undefined ? undefined : places[anchor]);
  const reasonInB = reasonOf(b.walk, a.walk, anchorInA(firstAnchor), anchorInA(lastAnchor));
  for (const [place, id] of a.ids.entries()) {
    if (inBoth[place] === 1) continue;
    const row = { id, after: before(a, place) };
    const reason = reasonInB(id, place);
    if (reason === undefined) report.lost.push(row);
    else report.unknown.push({ ...row, side: 'a', reason });
  }
  return report;
}

const HASH_BYTES = 32;

type Reason = DiffReport['unknown'][number]['reason'];

/** Why a row that only `own` has, at its place there, may be in the list of `other` all the same; undefined: it is not. */
function reasonOf(
  other: FrozenWalk,
  own: FrozenWalk,
  firstAnchor: number | undefined,
  lastAnchor: number | undefined,
): (id: string, place: number) => Reason | undefined {
  const seen = new Set([...other.late, ...other.unplaced]);
  const fromTheStart = other.after === null || other.after === own.after;
  const toTheEnd = other.before === null || other.before === own.before;
  return (id, place) => {
    if (seen.has(id)) return 'no_place';
    if (!fromTheStart && place < (firstAnchor ?? Infinity)) return 'out_of_range';
    if (place <= (lastAnchor ?? -1)) return undefined;
    if (!toTheEnd) return 'out_of_range';
    return other.complete ? undefined : 'not_reached';
  };
}

function before({ walk, ids }: WalkedList, place: number): string | null {
  return place === 0 ? walk.after : (ids[place - 1] ?? null);
}

function hashAt({ hashes }: WalkedList, place: number): Buffer {
  return hashes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES);
}
