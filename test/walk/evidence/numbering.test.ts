// The position that most reads give each row, and which reads number the rows otherwise.
import { describe, expect, test } from 'vitest';
import { Numbering } from '../../../src/walk/evidence/numbering.ts';
import { orderOf, positionsFrom, readsOf, type Answer } from './letter-list.ts';

/** Counts the positions that these answers show against the order `known`. */
function number(known: string, answers: Answer[], frozen = 1) {
  const order = orderOf(known);
  order.frozen = frozen;
  const reads = readsOf(order, answers);
  return { order, reads, numbering: new Numbering(order, reads) };
}

const positionsIn = ({ order }: ReturnType<typeof number>) =>
  order.list.slice(1).map(({ position }) => position);
const positions = positionsFrom(1, 'abcdef');

describe('the position of a row', () => {
  test('is the one that most reads show, the first shown of equally many', () => {
    const tens = { a: 10, b: 20, d: 40, e: 50, f: 60 };
    const shown = (...cs: number[]) =>
      positionsIn(
        number(
          'abcdef',
          cs.map((c) => ({ ids: 'abcdef', positions: { ...tens, c } })),
        ),
      )[2];
    expect(shown(30)).toBe(30);
    expect(shown(39, 30, 30)).toBe(30);
    expect(shown(30, 39, 30)).toBe(30);
    expect(shown(39, 30)).toBe(39);
    expect(shown(39, 39, 30)).toBe(39);
    expect(shown(38, 39, 30, 30)).toBe(30);
  });

  test('is unknown where no read shows one', () => {
    const partly = number('abcd', [{ ids: 'abcd', positions: { a: 1, b: 2 } }]);
    expect(positionsIn(partly)).toEqual([1, 2, undefined, undefined]);
    const none = number('abcd', [{ ids: 'abcd' }]);
    expect(positionsIn(none)).toEqual([undefined, undefined, undefined, undefined]);
    expect(none.numbering.reads).toBe(0);
  });

  test('says nothing where positions do not rise along the order', () => {
    const falling = { a: 6, b: 5, c: 4, d: 3, e: 2, f: 1 };
    expect(positionsIn(number('abcdef', [{ ids: 'abcdef', positions: falling }]))).toEqual(
      Array.from({ length: 6 }, () => undefined),
    );
    const equal = { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 };
    expect(positionsIn(number('abcdef', [{ ids: 'abcdef', positions: equal }]))[3]).toBeUndefined();
  });

  test('is kept where one pair in twelve does not rise', () => {
    const known = 'abcdefghijklm';
    const oneFalls = { ...positionsFrom(1, known), g: 99 };
    expect(positionsIn(number(known, [{ ids: known, positions: oneFalls }]))[0]).toBe(1);
  });

  test('of a frozen row does not change', () => {
    const counted = number('abcdef', [{ ids: 'abcdef', positions: positionsFrom(4, 'abcdef') }], 3);
    expect(positionsIn(counted)).toEqual([undefined, undefined, 6, 7, 8, 9]);
  });

  test('is not taken from the cross-check source', () => {
    const counted = number('abc', [{ ids: 'abc', surface: 'cross-check', positions }]);
    expect(positionsIn(counted)).toEqual([undefined, undefined, undefined]);
  });
});

describe('reads that number the rows', () => {
  const answers: Answer[] = [
    { ids: 'abcdef', positions },
    { ids: 'abcd', positions },
    { ids: 'abcdef', positions: { ...positions, c: 9 } },
    { ids: 'bc', query: { after: 'a' }, positions },
  ];
  const { numbering, reads } = number('abcdef', answers);
  const [a, c, d, f] = [1, 3, 4, 6].map((index) => numbering.votesFrom(index));

  test('speak for all rows up to their last one, or against all up to their last wrong one', () => {
    expect(numbering.reads).toBe(4);
    expect(a).toEqual({ votes: 3, rivals: 1 });
    expect(c).toEqual({ votes: 3, rivals: 1 });
    expect(d).toEqual({ votes: 2, rivals: 0 });
    expect(f).toEqual({ votes: 1, rivals: 0 });
  });

  test('are named with their wrong positions and the indexes that they show', () => {
    expect([...numbering.deviating]).toEqual([
      [reads[2], { low: 1, high: 6, claims: new Map([['c=9', 3]]) }],
    ]);
  });
});

test('reads of rows after a gap say nothing about the rows before it', () => {
  // Row c is missing: the page that shows a, b and d numbers them 1, 2 and 3, the others know better.
  const wrong = { ids: 'abd', positions: { a: 1, b: 2, d: 3 } };
  const right = { ids: 'ef', positions: { e: 5, f: 6 } };
  const { numbering } = number('abdef', [wrong, right, right, right]);
  expect(numbering.votesFrom(3)).toEqual({ votes: 1, rivals: 0 });
  expect(numbering.votesFrom(4)).toEqual({ votes: 3, rivals: 0 });
});
