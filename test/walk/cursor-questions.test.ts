// Questions about single rows, asked with cursors, and the checks of rows without a place that use them.
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/faults.ts';
import { CursorQuestions } from '../../src/walk/cursor-questions.ts';
import { FinalChecks } from '../../src/walk/final-checks.ts';
import { IdSet } from '../../src/walk/order/id-set.ts';
import type { Direction, PageQuery } from '../../src/walk/source.ts';

const LISTED = ['a', 'b', 'c', 'd', 'e'];

type Asked = {
  after?: string;
  before?: string;
  directions?: ReadonlySet<Direction>;
  /** Throws in place of the service's answer. */
  refuse?: (query: PageQuery) => void;
};

function questionsAbout({ after, before, directions, refuse }: Asked = {}) {
  const queries: PageQuery[] = [];
  let spent = 0;
  const questions = new CursorQuestions({
    source: {
      page: async (query) => {
        queries.push(query);
        refuse?.(query);
        const places = [query.after, query.before].flatMap((id) =>
          id === undefined ? [] : [LISTED.indexOf(id)],
        );
        if (places.includes(-1)) throw new Fault('not_found', 'no such row', { status: 404 });
        if (places.length === 2 && places[0]! > places[1]!)
          throw new Fault('conflict', 'the other order', { status: 409 });
        return { rows: [] };
      },
      ...(directions === undefined ? {} : { directions }),
    },
    options: {
      ...(after === undefined ? {} : { after }),
      ...(before === undefined ? {} : { before }),
      signal: new AbortController().signal,
    },
    spendRequest: () => void spent++,
    cursorQuery: (first, second) => ({
      after: first,
      ...(second === undefined ? {} : { before: second }),
      limit: 2 + queries.length,
    }),
  });
  return { questions, queries, spent: () => spent };
}

describe('a question', () => {
  test('whether a row is gone is asked once', async () => {
    const { questions, queries, spent } = questionsAbout();
    expect(await Promise.all([questions.isGone('x'), questions.isGone('x'), questions.isGone('a')])).toEqual([
      true,
      true,
      false,
    ]);
    expect(queries).toHaveLength(2);
    expect(spent()).toBe(2);
  });

  test.each([
    ['a', false],
    ['c', true],
    ['e', false],
    ['x', false],
  ])('whether %s stands between the ends b and d', async (id, expected) => {
    const { questions } = questionsAbout({ after: 'b', before: 'd' });
    expect(await questions.isInRange(id)).toBe(expected);
  });

  test('about the ends is not asked where the list takes no two cursors', async () => {
    const { questions, queries } = questionsAbout({ after: 'b', directions: new Set(['forward']) });
    expect(await questions.isInRange('a')).toBe(true);
    expect(await questions.isReversed('b', 'a')).toBe(false);
    expect(queries.every(({ before }) => before === undefined)).toBe(true);
  });

  test('about the order of two rows', async () => {
    const { questions } = questionsAbout();
    expect(await questions.isReversed('b', 'a')).toBe(true);
    expect(await questions.isReversed('a', 'b')).toBe(false);
    expect(await questions.isReversed('a', 'a')).toBe(false);
    // 404 says nothing about the order.
    expect(await questions.isReversed('x', 'a')).toBe(false);
  });

  test('that is refused for another reason is asked three times, each time by another request', async () => {
    let refusals = 2;
    const bad = () => new Fault('protocol', 'a bad request', { status: 400 });
    const refuse = () => {
      if (refusals-- > 0) throw bad();
    };
    const { questions, queries } = questionsAbout({ refuse });
    expect(await questions.isGone('a')).toBe(false);
    expect(new Set(queries.map(({ limit }) => limit)).size).toBe(3);
    const never = questionsAbout({
      refuse: () => {
        throw bad();
      },
    });
    await expect(never.questions.isGone('a')).rejects.toMatchObject({ detail: { status: 400 } });
    expect(never.queries).toHaveLength(3);
  });

  test('that the service cannot answer is not asked again', async () => {
    const { questions, queries } = questionsAbout({
      refuse: () => {
        throw new Fault('network', 'no', { status: 503 });
      },
    });
    await expect(questions.isGone('a')).rejects.toMatchObject({ detail: { status: 503 } });
    expect(queries).toHaveLength(1);
  });
});

describe('rows without a place', () => {
  const frozen = new IdSet();
  for (const id of ['a', 'b']) frozen.add(id);
  const checks = () => {
    const { questions, queries } = questionsAbout();
    return { checks: new FinalChecks(questions, frozen, (id) => frozen.has(id)), queries };
  };

  test('late ones that are frozen or not in the list are dropped', async () => {
    const late = new Set(['a', 'c', 'x']);
    await checks().checks.checkLateRows(late);
    expect([...late]).toEqual(['c']);
  });

  test('one that was seen before the rows around it were frozen, and is in the list, was missed', async () => {
    const { checks: seen } = checks();
    seen.rememberAhead(['a', 'x', 'd']);
    await expect(seen.checkLateRows(new Set())).rejects.toThrow('row d was seen before');
  });

  test('one that was seen ahead and is not in the list does not count', async () => {
    const { checks: seen } = checks();
    seen.rememberAhead(['x', 'y']);
    await expect(seen.checkLateRows(new Set())).resolves.toBeUndefined();
  });

  test('more than 100 are not asked about', async () => {
    const { checks: seen, queries } = checks();
    seen.rememberAhead(Array.from({ length: 101 }, (_, n) => `row ${n}`));
    await expect(seen.checkLateRows(new Set())).rejects.toThrow('101 rows were seen');
    expect(queries).toEqual([]);
  });
});
