// What a set of reads says about the known order: votes, rivals, reversed and omitting reads, both ends, and faults.
import { describe, expect, test } from 'vitest';
import { noEvidence, type AdjacencyEvidence } from '../../../src/walk/evidence/claims.ts';
import { EvidenceCount } from '../../../src/walk/evidence/count.ts';
import { FAULT_KINDS, type FaultKind } from '../../../src/walk/evidence/fault-counts.ts';
import { orderOf, positionsFrom, readsOf, type Answer, type Asked } from './letter-list.ts';

/** Counts answers against the order `known`, of which nothing is frozen. Each letter is a row. */
function count(known: string, answers: readonly Answer[], asked: Asked = {}) {
  const order = orderOf(known, asked);
  return new EvidenceCount(order, readsOf(order, answers), 'one');
}

const letters = 'abcdefghijkl';
/** A page of the whole list, and one that leaves out f and g. */
const whole: Answer = { ids: letters };
const withoutTwo: Answer = { ids: 'abcdehijkl' };

describe('the adjacency of b and c', () => {
  const tainted = (kinds: Partial<AdjacencyEvidence['taintedVotes']>) => ({
    taintedVotes: { ...noEvidence().taintedVotes, ...kinds },
  });
  type Case = [what: string, answers: Answer[], evidence: Partial<AdjacencyEvidence>];
  test.each<Case>([
    ['both rows in a page', [{ ids: 'abcd', query: { after: 'x' } }], { insideVotes: 1 }],
    ['b as the cursor', [{ ids: 'cde', query: { after: 'b' } }], { cursorVotes: 1 }],
    ['c as the cursor of a backward read', [{ ids: 'ab', query: { before: 'c' } }], { cursorVotes: 1 }],
    [
      'a cross-check',
      [{ ids: 'abc', surface: 'cross-check', query: { after: 'x' } }],
      { crossCheckVotes: 1, confirmations: 1 },
    ],
    [
      'b as the cursor of a cross-check',
      [{ ids: 'cde', surface: 'cross-check', query: { after: 'b' } }],
      { cursorVotes: 1, confirmations: 1 },
    ],
    ['another row after b', [{ ids: 'abde', query: { after: 'x' } }], { rivalVotes: 1, isInDoubt: true }],
    [
      'two reads with the same other row after b',
      [{ ids: 'abde' }, { ids: 'abdef' }],
      { rivalVotes: 2, isInDoubt: true },
    ],
    ['c before b', [{ ids: 'acbd', query: { after: 'x' } }], { rivalVotes: 1, reversedReads: 1 }],
    [
      'c left out, where another read shows it beside both neighbours',
      [{ ids: 'abcde' }, { ids: 'abde' }],
      { insideVotes: 1, rivalVotes: 1, omittingReads: 1, isInDoubt: true },
    ],
    [
      'a read that omits one row elsewhere',
      [whole, { ids: 'abcdefhijkl' }],
      { insideVotes: 2, ...tainted({ omission: 1 }) },
    ],
    [
      'a read that omits two rows elsewhere looks stale',
      [whole, withoutTwo],
      { insideVotes: 2, ...tainted({ omission: 1, stale: 1 }) },
    ],
    [
      'a read that reverses two rows elsewhere',
      [whole, { ids: 'abcdefghikjl' }],
      { insideVotes: 2, ...tainted({ order: 1 }) },
    ],
    [
      'a stale read with b as its cursor is no vote',
      [whole, { ids: 'cdehijkl', query: { after: 'b' } }],
      { insideVotes: 1 },
    ],
    [
      'a stale cross-check is no vote, but confirms',
      [whole, { ids: 'abcdehijkl', surface: 'cross-check' }],
      { insideVotes: 1, confirmations: 1 },
    ],
    ['a shuffled read says nothing', [{ ids: 'lkjihgfedcba' }], {}],
  ])('%s', (_, answers, evidence) => {
    const { adjacencies } = count(letters, answers);
    expect(adjacencies[letters.indexOf('c')]).toEqual({ ...noEvidence(), ...evidence });
  });
});

describe('a row in doubt', () => {
  const inDoubt = (answers: Answer[], asked: Asked = {}) =>
    count(letters, answers, asked)
      .adjacencies.flatMap(({ isInDoubt }, at) => (isInDoubt ? letters[at]! : []))
      .join('');

  test.each<[string, Answer[], Asked, string]>([
    ['no read omits a row', [whole], {}, ''],
    ['one read omits it', [{ ids: 'abde' }], {}, 'c'],
    ['the service took it as a cursor', [{ ids: 'abde' }], { existing: 'c' }, ''],
    ['it took the other one of two', [{ ids: 'abef' }], { existing: 'c' }, 'd'],
    ['the page shows it elsewhere', [{ ids: 'acbde' }], {}, ''],
    ['the page was shifted by many rows', [{ ids: 'abij' }], {}, ''],
    ['many rows are omitted that another read shows there', [whole, { ids: 'abij' }], {}, 'cdefgh'],
  ])('%s', (_, answers, asked, expected) => {
    expect(inDoubt(answers, asked)).toBe(expected);
  });
});

test('a read that omits a row which is in the list is no rival', () => {
  const rivals = (asked: Asked) => count(letters, [{ ids: 'abde' }], asked).adjacencies[3]!.rivalVotes;
  expect(rivals({})).toBe(1);
  expect(rivals({ existing: 'c' })).toBe(0);
});

describe('positions', () => {
  const shown = (known: string, positions: Record<string, number>) =>
    count(known, [{ ids: known, positions }]).adjacencies;

  test('are consecutive where rows show n and n + 1, from 0 or 1', () => {
    const consecutive = (first: number) =>
      shown('abc', { ...positionsFrom(first, 'ab'), c: first + 3 }).map(({ isConsecutive }) => isConsecutive);
    expect(consecutive(0)).toEqual([true, true, false]);
    expect(consecutive(1)).toEqual([true, true, false]);
    expect(consecutive(2)).toEqual([false, true, false]);
  });

  test('show a gap where nearly all others are consecutive', () => {
    const gaps = (positions: Record<string, number>) =>
      shown('abcdefgh', positions).map(({ isGap }) => isGap);
    const none = Array.from({ length: 8 }, () => false);
    expect(gaps(positionsFrom(1, 'abcdefgh'))).toEqual(none);
    const oneGap = { ...positionsFrom(1, 'abcd'), ...positionsFrom(6, 'efgh') };
    expect(gaps(oneGap)).toEqual(none.with(4, true));
    // In a list where every second position is free, no gap says anything.
    expect(gaps({ a: 1, b: 3, c: 5, d: 7, e: 9, f: 11, g: 13, h: 15 })).toEqual(none);
    expect(gaps({})).toEqual(none);
  });

  test('count reads that number the row, or one after it, alike and otherwise', () => {
    const positions = positionsFrom(1, 'abcdef');
    const { adjacencies } = count('abcdef', [
      { ids: 'abcdef', positions },
      { ids: 'abcdef', positions },
      { ids: 'abc', positions },
      { ids: 'abcd', positions: { ...positions, b: 9 } },
    ]);
    expect(adjacencies.map(({ numberingVotes }) => numberingVotes)).toEqual([3, 3, 3, 2, 2, 2]);
    expect(adjacencies.map(({ numberingRivals }) => numberingRivals)).toEqual([1, 1, 0, 0, 0, 0]);
  });
});

test.each<[string, Answer[], number]>([
  ['forward reads without a cursor count once', [{ ids: 'ab' }, { ids: 'abc' }], 1],
  [
    'backward reads that reach the start count each',
    [
      { ids: 'ab', query: { before: 'c', limit: 5 }, more: false },
      { ids: 'abc', query: { before: 'd', limit: 5 }, more: false },
    ],
    2,
  ],
])('votes for the start: %s', (_, answers, votes) => {
  expect(count('abcd', answers).startVotes).toBe(votes);
});

test('rivals of the start: the most reads that show another row first', () => {
  const answers = [{ ids: 'abc' }, { ids: 'bcd' }, { ids: 'bcde' }, { ids: 'cde' }];
  expect(count('abcde', answers)).toMatchObject({ startVotes: 1, startRivals: 2 });
  expect(count('abcde', answers, { existing: 'a' })).toMatchObject({ startVotes: 1, startRivals: 0 });
});

test.each<[string, Answer[], number]>([
  ['a short page without more rows', [{ ids: 'cd', query: { after: 'b', limit: 5 }, more: false }], 1],
  [
    'the same request twice counts once',
    [1, 2].map(() => ({ ids: 'cd', query: { after: 'b', limit: 5 }, more: false })),
    1,
  ],
  ['a short page that says there is more', [{ ids: 'cd', query: { after: 'b', limit: 5 } }], 0],
  ['a full page', [{ ids: 'cd', query: { after: 'b', limit: 2 }, more: false }], 0],
  ['an end before the last known row', [{ ids: 'bc', query: { after: 'a', limit: 5 }, more: false }], 0],
])('reads that show the end: %s', (_, answers, reads) => {
  expect(count('abcd', answers).endReads.size).toBe(reads);
});

describe('faults', () => {
  type Case = [what: string, answers: Answer[], asked: Asked, faulty: Partial<Record<FaultKind, number>>];
  test.each<Case>([
    ['none', [whole, whole], {}, {}],
    ['one row omitted', [whole, { ids: 'abcdefhijkl' }], {}, { omission: 1 }],
    ['two rows omitted', [whole, withoutTwo], {}, { omission: 1, stale: 1 }],
    ['a row that is gone', [{ ids: 'abxcd' }], { gone: 'x' }, { stale: 1 }],
    ['two rows reversed', [{ ids: 'abdcef' }], {}, { order: 1 }],
    ['another row after the cursor', [{ ids: 'efgh', query: { after: 'b' } }], {}, { cursor: 1 }],
    ['another row before the cursor', [{ ids: 'abcd', query: { before: 'h' } }], {}, { cursor: 1 }],
    ['another first row', [{ ids: 'cdef' }], {}, { edge: 1 }],
    ['an end too early', [{ ids: 'cde', query: { after: 'b', limit: 9 }, more: false }], {}, { edge: 1 }],
    [
      'another position',
      [2, 2, 3].map((b) => ({ ids: 'abcd', positions: { a: 1, b, c: 3, d: 4 } })),
      {},
      { numbering: 1 },
    ],
  ])('%s', (_, answers, asked, faulty) => {
    const { faults } = count(letters, answers, asked);
    const counted = Object.fromEntries(
      FAULT_KINDS.flatMap((kind) =>
        faults.kinds[kind].faulty > 0 ? [[kind, faults.kinds[kind].faulty]] : [],
      ),
    );
    expect(counted).toEqual(faulty);
    expect(faults.any).toEqual({ reads: answers.length, faulty: Object.keys(faulty).length > 0 ? 1 : 0 });
    for (const kind of FAULT_KINDS)
      expect(faults.kinds[kind].reads).toBeGreaterThanOrEqual(faults.kinds[kind].faulty);
  });

  test('count as possible only where the read could show them', () => {
    const readsThatCould = (answer: Answer) => {
      const { kinds } = count(letters, [answer]).faults;
      return FAULT_KINDS.filter((kind) => kinds[kind].reads > 0);
    };
    const inside = ['omission', 'stale', 'order'];
    expect(readsThatCould({ ids: 'abcd' })).toEqual([...inside, 'edge']);
    expect(readsThatCould({ ids: 'cdef', query: { after: 'b' } })).toEqual([...inside, 'cursor']);
    expect(readsThatCould({ ids: 'c', query: { after: 'b' } })).toEqual(['stale', 'cursor']);
    expect(readsThatCould({ ids: 'kl', query: { after: 'j', limit: 9 }, more: false })).toEqual([
      ...inside,
      'cursor',
      'edge',
    ]);
    expect(
      readsThatCould({ ids: 'cdef', query: { after: 'b' }, positions: positionsFrom(3, 'cdef') }),
    ).toEqual([...inside, 'cursor', 'numbering']);
  });

  test('a read in another order altogether is a fault of no kind', () => {
    const { faults } = count(letters, [{ ids: 'lkjihgfedcba' }]);
    expect(faults.any).toEqual({ reads: 1, faulty: 1 });
    for (const kind of FAULT_KINDS) expect(faults.kinds[kind]).toMatchObject({ reads: 0, faulty: 0 });
  });

  test('a row twice in a page is a fault of no kind', () => {
    const { faults } = count('abcd', [{ ids: 'abxcxd' }]);
    expect(faults.any).toEqual({ reads: 1, faulty: 1 });
  });

  test('of the cross-check source are counted apart', () => {
    const { faults } = count(letters, [whole, { ids: 'abdcef', surface: 'cross-check' }]);
    expect(faults.crossCheck).toEqual({ reads: 1, faulty: 1, matches: 0 });
    expect(faults.any).toEqual({ reads: 1, faulty: 0 });
    expect(faults.kinds.order).toMatchObject({ reads: 1, faulty: 0 });
  });

  test('a cross-check that omits the rows of a stale read matches it', () => {
    const matches = (crossCheck: string) =>
      count(letters, [whole, withoutTwo, { ids: crossCheck, surface: 'cross-check' }]).faults.crossCheck
        .matches;
    expect(matches('abcdehijkl')).toBe(1);
    expect(matches('abcdefgjkl')).toBe(0);
    expect(matches(letters)).toBe(0);
  });
});

describe('pairs of stale reads', () => {
  const stalePairs = (answers: Answer[]) => count(letters, [whole, ...answers]).faults.kinds.stale;

  test('of one snapshot repeat each other', () => {
    expect(stalePairs([withoutTwo, { ids: 'abcdehijk' }])).toMatchObject({
      faulty: 2,
      chances: 1,
      repeats: 1,
    });
    expect(stalePairs([withoutTwo, withoutTwo, withoutTwo])).toMatchObject({ chances: 3, repeats: 3 });
  });

  test('that omit other rows do not', () => {
    expect(stalePairs([withoutTwo, { ids: 'abefghijkl' }])).toMatchObject({
      faulty: 2,
      chances: 1,
      repeats: 0,
    });
  });

  test('that share one of two omitted rows repeat half', () => {
    expect(stalePairs([withoutTwo, { ids: 'abcdegijkl' }])).toMatchObject({
      faulty: 2,
      chances: 1,
      repeats: 0.5,
    });
  });

  test('at places that do not overlap are no pair', () => {
    const [left, right] = [{ ids: 'abef' }, { ids: 'ghkl', query: { after: 'x' } }];
    expect(stalePairs([left, right])).toMatchObject({ faulty: 2, chances: 0, repeats: 0 });
  });
});

describe('misplaced rows', () => {
  const misplaced = (omitting: number, showing: number) => {
    const answers = [
      ...Array.from({ length: omitting }, () => ({ ids: 'abde' })),
      ...Array.from({ length: showing }, () => ({ ids: 'abcde' })),
    ];
    return count('abcde', answers)
      .misplacedRows()
      .map(({ id }) => id);
  };

  test.each([
    [3, 0, []],
    [4, 0, ['c']],
    [4, 1, []],
    [5, 1, ['c']],
  ])('%i reads omit the row and %i show it', (omitting, showing, expected) => {
    expect(misplaced(omitting, showing)).toEqual(expected);
  });
});
