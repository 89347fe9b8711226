// The judged lists are faulty as their cases say: each fault at its rate, the rest honest, and the same answers for the same seed.
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/faults.ts';
import type { PageQuery } from '../../src/walk/source.ts';
import { drawCase, FAULTS, isRecoverable, type JudgedCase } from './judged-case.ts';
import { JudgedList } from './judged-list.ts';
import { judgeWalk, problemOf } from './judged-walk.ts';

const signal = new AbortController().signal;
const HONEST: JudgedCase = {
  ...drawCase(1),
  kind: 'none',
  size: 200,
  limit: 20,
  directions: 'all',
  positions: 'none',
  firstPosition: 1,
  drift: 0,
  faults: [],
  timing: 'by chance',
  timingReads: 5,
  placement: 'anywhere',
  staleness: 'shared',
  missingShare: 0.05,
  phantomShare: 0,
  hasMore: 'right',
  crossCheckSource: 'missing',
  writes: 'none',
  refusals: 0,
  maxPageRows: Infinity,
};
const listOf = (changed: Partial<JudgedCase>): JudgedList => new JudgedList({ ...HONEST, ...changed });

/** Reads the list from many cursors in every direction, and asks no request twice. */
async function readWidely(list: JudgedList, reads: number): Promise<void> {
  const ids = list.states.first;
  for (let read = 0; read < reads; read++) {
    const at = 30 + ((read * 7) % (ids.length - 60));
    const limit = 10 + (read % 23);
    const queries: PageQuery[] = [
      { after: ids[at]!, limit },
      { before: ids[at]!, limit },
      { after: ids[at]!, before: ids[at + 25]!, limit },
    ];
    await list.page(queries[read % 3]!);
  }
}

describe('an honest list', () => {
  test('answers every direction with the rows that were asked for', async () => {
    const list = listOf({});
    const ids = list.states.first;
    const shown = async (query: PageQuery) => {
      const { rows, has_more: hasMore } = await list.page(query);
      return [rows.map(({ id }) => ids.indexOf(id)), hasMore];
    };
    expect(await shown({ limit: 3 })).toEqual([[0, 1, 2], true]);
    expect(await shown({ after: ids[197]!, limit: 3 })).toEqual([[198, 199], false]);
    expect(await shown({ before: ids[10]!, limit: 3 })).toEqual([[7, 8, 9], true]);
    expect(await shown({ before: ids[2]!, limit: 3 })).toEqual([[0, 1], false]);
    expect(await shown({ after: ids[5]!, before: ids[8]!, limit: 3 })).toEqual([[6, 7], false]);
    expect(await shown({ after: ids[5]!, before: ids[12]!, limit: 3 })).toEqual([[6, 7, 8], true]);
  });

  test('answers 409 for cursors in the wrong order and 404 for a row that it does not have', async () => {
    const list = listOf({ drift: 1, faults: ['stale'], phantomShare: 0.1 });
    const ids = list.states.first;
    const dead = list.states.oldState(() => 0).find(({ id }) => !ids.includes(id))!;
    await expect(list.page({ after: ids[9]!, before: ids[3]!, limit: 5 })).rejects.toMatchObject({
      kind: 'conflict',
    });
    await expect(list.page({ after: dead.id, limit: 5 })).rejects.toMatchObject({ kind: 'not_found' });
    await expect(list.page({ before: 'row_none', limit: 5 })).rejects.toBeInstanceOf(Fault);
  });

  test('shows positions without gaps, or with gaps in the same order', async () => {
    const positionsOf = async (positions: JudgedCase['positions']) =>
      (await listOf({ positions }).page({ limit: 20 })).rows.map(({ sequence }) => sequence!);
    expect(await positionsOf('dense')).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    const sparse = await positionsOf('sparse');
    expect(sparse.every((position, index) => index === 0 || position > sparse[index - 1]!)).toBe(true);
    expect(sparse.at(-1)! - sparse[0]!).toBeGreaterThan(20);
  });
});

describe('a fault', () => {
  test.each(FAULTS)(
    '%s: as many reads are faulty as the drift says, and the others are honest',
    async (name) => {
      const list = listOf({ drift: 0.2, faults: [name] });
      await readWidely(list, 1500);
      const meant = list.answers.filter(({ isMeantFaulty }) => isMeantFaulty);
      expect(meant.length / 1500).toBeGreaterThan(0.16);
      expect(meant.length / 1500).toBeLessThan(0.24);
      const changed = list.answers.filter(({ fault }) => fault !== undefined);
      expect(changed.every(({ fault, isMeantFaulty }) => fault === name && isMeantFaulty)).toBe(true);
      // Backward reads alone can show a later segment, and an old state may show the page as it is now.
      const least = name === 'later segment' || name === 'stale' ? 0.25 : 0.9;
      expect(changed.length / meant.length).toBeGreaterThan(least);
    },
  );

  test.each(['by chance', 'bursts', 'sticky', 'same request'] as const)(
    '%s: the drift is kept',
    async (timing) => {
      const list = listOf({ drift: 0.2, faults: ['adjacent swap'], timing });
      await readWidely(list, 6000);
      const share = list.answers.filter(({ isMeantFaulty }) => isMeantFaulty).length / 6000;
      expect(share).toBeGreaterThan(0.15);
      expect(share).toBeLessThan(0.25);
    },
  );

  test('by request: the same request always gets the same page', async () => {
    const list = listOf({
      drift: 0.5,
      faults: ['several swaps', 'dropped rows', 'stale'],
      timing: 'same request',
    });
    for (let limit = 8; limit < 40; limit++)
      expect(await list.page({ limit })).toEqual(await list.page({ limit }));
    expect(list.answers.some(({ fault }) => fault !== undefined)).toBe(true);
  });

  test('at the edges: pages of the middle are honest', async () => {
    const list = listOf({
      drift: 1,
      faults: FAULTS.filter((name) => name !== 'later segment'),
      placement: 'edges',
    });
    const ids = list.states.first;
    for (let limit = 8; limit < 40; limit++) {
      await list.page({ after: ids[40 + limit]!, limit });
      await list.page({ limit });
    }
    const faulty = list.answers.filter(({ fault }) => fault !== undefined);
    expect(faulty.length).toBeGreaterThan(8);
    expect(faulty.every(({ query }) => query.after === undefined)).toBe(true);
  });

  test('stale answers that share a state omit the same rows, and renumber the others without gaps', async () => {
    const list = listOf({ drift: 1, faults: ['stale'], positions: 'dense renumbered' });
    const pages = [await list.page({ limit: 200 }), await list.page({ limit: 199 })];
    const shown = pages.map(({ rows }) => rows.slice(0, 150).map(({ id }) => id));
    expect(shown[0]).toEqual(shown[1]);
    expect(shown[0]).not.toEqual(list.states.first.slice(0, 150));
    expect(pages[0]!.rows.map(({ sequence }) => sequence)).toEqual(
      pages[0]!.rows.map((_, index) => index + 1),
    );
  });

  test('the second list can be honest, faulty, or always behind', async () => {
    const shownBy = async (crossCheckSource: JudgedCase['crossCheckSource']) =>
      listOf({ drift: 0.5, faults: ['stale'], crossCheckSource }).crossCheck!({ limit: 200 }, signal);
    const ids = listOf({}).states.first;
    expect(await shownBy('honest')).toEqual(ids);
    expect((await shownBy('lagging'))!.length).toBeLessThan(ids.length);
    expect(listOf({ crossCheckSource: 'missing' }).crossCheck).toBeUndefined();
  });

  test('refusals come at their rate and mean nothing to a walk', async () => {
    const list = listOf({ refusals: 0.1 });
    const results = await Promise.allSettled(
      Array.from({ length: 2000 }, (_, read) => list.page({ limit: 1 + (read % 100) })),
    );
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(150);
    expect(refused.length).toBeLessThan(250);
    expect(refused[0]).toMatchObject({ reason: { kind: 'usage', detail: { status: 400 } } });
  });
});

describe('the judge', () => {
  const { states } = listOf({});
  const ids = states.first;
  test.each<[string, readonly string[], boolean, string | undefined]>([
    ['the whole list', ids, true, undefined],
    ['a part of it, and the walk said so', ids.slice(0, 7), false, undefined],
    ['a part of it', ids.slice(0, 7), true, 'row 7 is missing'],
    ['without its first row', ids.slice(1), true, 'row 0 is missing'],
    [
      'two rows in the wrong order',
      [ids[1]!, ids[0]!, ...ids.slice(2)],
      true,
      'row 1 is written before row 0',
    ],
    ['a row twice', [...ids, ids[3]!], true, 'row 3 is written twice'],
    [
      'a row that is not in the list',
      ['row_dead', ...ids],
      true,
      'dead row row_dead is written after row -1',
    ],
  ])('%s', (_, frozen, isComplete, problem) => {
    expect(problemOf(states, frozen, isComplete, {})).toBe(problem);
  });

  test('expects the rows between the ends of the walk alone', () => {
    const range = { after: ids[9]!, before: ids[20]! };
    expect(problemOf(states, ids.slice(10, 20), true, range)).toBeUndefined();
    expect(problemOf(states, ids.slice(10, 19), true, range)).toBe('row 9 is missing');
    expect(problemOf(states, ids.slice(10, 21), true, range)).toMatch(/^outside row .* after row 9$/);
  });

  test('takes rows written during the walk or leaves them, but appended ones only up to a moment', () => {
    const written = (writes: JudgedCase['writes']) => {
      const list = listOf({ writes });
      for (let write = 0; write < 3; write++) list.states.write();
      return list;
    };
    const appended = written('appends');
    const now = appended.states.now.map(({ id }) => id);
    expect(problemOf(appended.states, now, true, {})).toBeUndefined();
    expect(problemOf(appended.states, now.slice(0, 201), true, {})).toBeUndefined();
    expect(problemOf(appended.states, now.toSpliced(201, 1), true, {})).toBe('row 201 is missing');
    for (const kind of ['inserts', 'deletes'] as const) {
      const list = written(kind);
      expect(problemOf(list.states, list.states.first, true, {})).toBeUndefined();
      expect(
        problemOf(
          list.states,
          list.states.now.map(({ id }) => id),
          true,
          {},
        ),
      ).toBeUndefined();
    }
  });

  test('the same seed gives the same walk', async () => {
    const [first, second] = [await judgeWalk(97), await judgeWalk(97)];
    expect(second.list.answers).toEqual(first.list.answers);
    expect([second.frozen, second.result]).toEqual([first.frozen, first.result]);
  });
});

test('cases are drawn from every kind, and say which can be read exactly', () => {
  const cases = Array.from({ length: 4000 }, (_, seed) => drawCase(seed));
  const kinds = new Set(cases.map(({ kind }) => kind));
  expect(kinds.size).toBe(FAULTS.length - 1 + 9);
  expect(Math.max(...cases.map(({ size }) => size))).toBeLessThanOrEqual(3000);
  expect(new Set(cases.map(({ size }) => size))).toContain(0);
  expect(cases.filter(({ size, limit }) => Math.abs(size - limit) === 1).length).toBeGreaterThan(50);
  expect(cases.every((drawn) => drawn.recoverable === isRecoverable(drawn))).toBe(true);
  expect(cases.some(({ recoverable, drift }) => recoverable && drift > 0.21)).toBe(false);
  expect(cases.filter(({ recoverable }) => recoverable).length / 4000).toBeGreaterThan(0.6);
});
