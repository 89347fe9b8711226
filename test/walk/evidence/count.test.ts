// What a set of reads says about the known order: votes, rivals, reversed and omitting reads, ends, stale answers.
import { describe, expect, test } from 'vitest';
import { noClaims, noEvidence, type AdjacencyEvidence } from '../../../src/walk/evidence/claims.ts';
import { EvidenceCount } from '../../../src/walk/evidence/count.ts';
import { readPage } from '../../../src/walk/evidence/read-page.ts';
import { IdSet } from '../../../src/walk/order/id-set.ts';
import { LIST_START, Order } from '../../../src/walk/order/order.ts';
import type { Identified, PageQuery } from '../../../src/walk/source.ts';

type Answer = { ids: string; query?: Partial<PageQuery>; more?: boolean; surface?: 'cross-check' };

/** Counts answers against the order `known`, of which nothing is frozen. Each letter is a row. */
function count(known: string, answers: Answer[], positions?: (id: string) => number) {
  const order = new Order<Identified>();
  const rows = known.split('').map((id) => {
    const entry = order.entryFor(id);
    if (positions !== undefined) entry.position = positions(id);
    return entry;
  });
  order.push(order.entryFor(LIST_START), ...rows);
  order.frozen = 1;
  const range = { start: LIST_START, end: undefined, hasMore: 'trusted' } as const;
  const reads = answers.flatMap(({ ids, query, more, surface }) => {
    const page = { rows: ids.split('').map((id) => ({ id })), has_more: more ?? true };
    const asked = { limit: ids.length, ...query };
    const planned = { surface: surface ?? ('list' as const), isFinalCheck: false };
    return readPage(asked, page, order, new IdSet(), range, planned).read ?? [];
  });
  // Reading a page sets positions from its rows, which show none here.
  if (positions !== undefined) for (const row of rows) row.position = positions(row.id);
  return new EvidenceCount(order, reads, noClaims(), 'one');
}

const letters = 'abcdefghijkl';

describe('the adjacency of b and c', () => {
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
    ['another row after b', [{ ids: 'abde', query: { after: 'x' } }], { rivalVotes: 1 }],
    ['two reads with the same other row after b', [{ ids: 'abde' }, { ids: 'abdef' }], { rivalVotes: 2 }],
    ['c before b', [{ ids: 'acbd', query: { after: 'x' } }], { rivalVotes: 1, reversedReads: 1 }],
    [
      'c left out, where another read shows it beside both neighbours',
      [{ ids: 'abcde' }, { ids: 'abde' }],
      { insideVotes: 1, rivalVotes: 1, omittingReads: 1 },
    ],
    [
      'a read that omits two rows elsewhere looks stale',
      [{ ids: letters }, { ids: 'abcdehijkl' }],
      { insideVotes: 1, suspectVotes: 1 },
    ],
    ['a shuffled read says nothing', [{ ids: 'lkjihgfedcba' }], {}],
  ])('%s', (_, answers, evidence) => {
    const { adjacencies } = count(letters, answers);
    expect(adjacencies[letters.indexOf('c')]).toEqual({ ...noEvidence(false), ...evidence });
  });

  test('has consecutive positions where the rows show n and n + 1', () => {
    const { adjacencies } = count('abc', [], (id) => ({ a: 1, b: 2, c: 4 })[id]!);
    expect(adjacencies.map(({ isConsecutive }) => isConsecutive)).toEqual([true, true, false]);
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

test('stale reads of one snapshot share their omissions', () => {
  const { staleSigns } = count(letters, [{ ids: letters }, { ids: 'abcdehijkl' }, { ids: 'abcdehijk' }]);
  expect(staleSigns).toMatchObject({ staleReads: 2, sharedOmissions: 4, sharingChances: 4 });
});
