// The difference of two walks: as few moves as possible, and no row is lost where the other walk has not looked.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DiffReport, FrozenWalk } from '../../../src/contract/reports/walk.ts';
import { compareWalks, type WalkedList } from '../../../src/walk/log/difference.ts';

const WALK: FrozenWalk = {
  dir: 'walk',
  base_url: 'https://archive.example',
  list: 'conversations',
  tier: null,
  after: null,
  before: null,
  head: null,
  windows: 1,
  conversations: 0,
  complete: true,
  finished_at: null,
  confidence: null,
  late: [],
  unplaced: [],
  torn: false,
};

/** Ids as letters; an upper-case letter is the same id with another content. */
function walked(letters: string, walk: Partial<FrozenWalk> = {}): WalkedList {
  const rows = letters.split('');
  return {
    walk: { ...WALK, ...walk },
    ids: rows.map((row) => row.toLowerCase()),
    hashes: Buffer.concat(rows.map((row) => Buffer.alloc(32, row))),
  };
}

/** Returns the report as a short text: +added >moved -lost *changed =same ?unknown. */
function summaryOf(report: DiffReport): string {
  const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).join('');
  const { added, moved, lost, changed, same } = report;
  const unknown = report.unknown.map(({ id, side, reason }) => `${id} in ${side} ${reason}`).join(', ');
  return `+${ids(added)} >${ids(moved)} -${ids(lost)} *${ids(changed)} =${same} ?${unknown}`;
}

test.each([
  ['nothing', 'abcd', 'abcd', '+ > - * =4 ?'],
  ['of two empty lists', '', '', '+ > - * =0 ?'],
  ['all is new', '', 'ab', '+ab > - * =0 ?'],
  ['all is lost', 'ab', '', '+ > -ab * =0 ?'],
  ['one added, one lost', 'abcd', 'axbd', '+x > -c * =3 ?'],
  ['the last one to the front: one move, not three', 'abcd', 'dabc', '+ >d - * =3 ?'],
  ['the first one to the end: one move, not three', 'abcd', 'bcda', '+ >a - * =3 ?'],
  ['a swap of neighbours moves one', 'abcd', 'acbd', '+ >c - * =3 ?'],
  ['moved and changed at once', 'abcd', 'Dabc', '+ >d - *d =3 ?'],
  ['changed where it stands', 'abc', 'aBc', '+ > - *b =2 ?'],
])('%s: %s, %s', (_, a, b, expected) => {
  expect(summaryOf(compareWalks(walked(a), walked(b)))).toBe(expected);
});

test('a move names the rows before it in both lists, from the start of the walked range', () => {
  const report = compareWalks(walked('bcd', { after: 'a' }), walked('dbc', { after: 'a' }));
  expect(report.moved).toEqual([{ id: 'd', from: { after: 'c' }, to: { after: 'a' } }]);
  expect(compareWalks(walked('ab'), walked('xab')).added).toEqual([{ id: 'x', after: null }]);
  expect(compareWalks(walked('ab'), walked('b')).lost).toEqual([{ id: 'a', after: null }]);
});

describe('rows that a walk cannot tell about', () => {
  const part = { complete: false };
  test.each([
    [
      'b ended early: its rest is not reached',
      walked('abcd'),
      walked('ab', part),
      '+ > - * =2 ?c in a not_reached, d in a not_reached',
    ],
    [
      'a ended early: its rest is not new',
      walked('ab', part),
      walked('abcd'),
      '+ > - * =2 ?c in b not_reached, d in b not_reached',
    ],
    ['between rows that stayed it has looked', walked('abcd', part), walked('acd'), '+ > -b * =3 ?'],
    [
      'nothing in common with a walk without an end',
      walked('ab'),
      walked('', part),
      '+ > - * =0 ?a in a not_reached, b in a not_reached',
    ],
    [
      'a row that moved is no place reached',
      walked('abc'),
      walked('ca', part),
      '+ >c - * =1 ?b in a not_reached',
    ],
    [
      'b began later',
      walked('abcd'),
      walked('cd', { after: 'b' }),
      '+ > - * =2 ?a in a out_of_range, b in a out_of_range',
    ],
    [
      'a began later',
      walked('cd', { after: 'b' }),
      walked('abcd'),
      '+ > - * =2 ?a in b out_of_range, b in b out_of_range',
    ],
    [
      'b stopped at a row',
      walked('abcd'),
      walked('ab', { before: 'c' }),
      '+ > - * =2 ?c in a out_of_range, d in a out_of_range',
    ],
    [
      'both began at the same row',
      walked('bcd', { after: 'a' }),
      walked('cd', { after: 'a' }),
      '+ > -b * =2 ?',
    ],
    [
      'b saw it and has no place',
      walked('abc'),
      walked('ac', { late: ['b'] }),
      '+ > - * =2 ?b in a no_place',
    ],
    [
      'a saw it and had no place',
      walked('ac', { unplaced: ['b'], ...part }),
      walked('abc'),
      '+ > - * =2 ?b in b no_place',
    ],
  ])('%s', (_, a, b, expected) => {
    expect(summaryOf(compareWalks(a, b))).toBe(expected);
  });
});

const list = fc
  .uniqueArray(fc.constantFrom(...'abcdefghijkl'.split('')), { maxLength: 9 })
  .map((rows) => rows.join(''));

test('property: every row is reported once, and fewer moves are not possible', () => {
  fc.assert(
    fc.property(list, list, (a, b) => {
      const { added, moved, lost, same, unknown } = compareWalks(walked(a), walked(b));
      expect(unknown).toEqual([]);
      expect(added.map(({ id }) => id).toSorted()).toEqual(
        b
          .split('')
          .filter((id) => !a.includes(id))
          .toSorted(),
      );
      expect(lost.map(({ id }) => id).toSorted()).toEqual(
        a
          .split('')
          .filter((id) => !b.includes(id))
          .toSorted(),
      );
      const moves = new Set(moved.map(({ id }) => id));
      const stay = (from: string, other: string) =>
        from.split('').filter((id) => other.includes(id) && !moves.has(id));
      expect(stay(a, b)).toEqual(stay(b, a));
      expect(same).toBe(stay(a, b).length);
      const inA = a.split('').filter((id) => b.includes(id));
      expect(same).toBe(
        longestCommon(
          inA,
          b.split('').filter((id) => a.includes(id)),
        ),
      );
    }),
  );
});

/** By the textbook, O(nm). */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = [0, ...b.map(() => 0)];
  for (const x of a) {
    const next = [0];
    for (const [at, y] of b.entries()) next.push(x === y ? row[at]! + 1 : Math.max(row[at + 1]!, next[at]!));
    row = next;
  }
  return row.at(-1)!;
}
