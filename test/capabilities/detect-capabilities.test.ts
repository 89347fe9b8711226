// What a list supports is found by few requests, and found right where a third of the pages is faulty.
import { describe, expect, test } from 'vitest';
import {
  adaptSource,
  withLocalCursors,
  withSwappedCursors,
  withTurnedPages,
} from '../../src/capabilities/adapted-source.ts';
import { detectCapabilities } from '../../src/capabilities/detect-capabilities.ts';
import {
  capabilityLines,
  supportedDirections,
  type ListCapabilities,
} from '../../src/capabilities/list-capabilities.ts';
import { Fault } from '../../src/faults.ts';
import type { Direction, Identified, PageQuery, Source } from '../../src/walk/source.ts';
import { faultyList, type Correlation, type FaultyListOptions } from '../support/faulty-list.ts';

const { signal } = new AbortController();
type List = Source<Identified>;

/** Services that differ from the documented one, each as a view of a list that does not. */
const SERVICES: Record<string, (list: List) => List> = {
  documented: (list) => list,
  'backward pages descend': (list) => withTurnedPages(list, new Set(['backward'])),
  'pages with ending_before descend': (list) => withTurnedPages(list, new Set(['backward', 'closed'])),
  'rows stand in reverse in every page': (list) =>
    withTurnedPages(list, new Set<Direction>(['forward', 'backward', 'closed'])),
  'cursors are exchanged': withSwappedCursors,
  'cursors are exchanged, after descends': (list) =>
    withSwappedCursors(withTurnedPages(list, new Set(['backward']))),
  'ending_before is ignored': (list) =>
    viewOf(list, ({ after, limit }) => ({ limit, ...(after === undefined ? {} : { after }) })),
  'ending_before is ignored beside starting_after': (list) =>
    viewOf(list, ({ before, ...query }) =>
      query.after === undefined && before !== undefined ? { ...query, before } : query,
    ),
  'every cursor is ignored': (list) => viewOf(list, ({ limit }) => ({ limit })),
  'every answer is the whole list': (list) => viewOf(list, () => ({ limit: 1000 })),
  'every answer is the whole list, cursors are refused': (list) =>
    refusing(
      viewOf(list, () => ({ limit: 1000 })),
      ({ after, before }) => after !== undefined || before !== undefined,
      400,
    ),
  'ending_before is refused': (list) => refusing(list, ({ before }) => before !== undefined, 400),
  'ending_before fails': (list) => refusing(list, ({ before }) => before !== undefined, 500),
  'both cursors are refused': (list) =>
    refusing(list, ({ after, before }) => after !== undefined && before !== undefined, 418),
  'every cursor is refused': (list) => refusing(list, ({ after }) => after !== undefined, 422),
  'every page has at most 7 rows': (list) =>
    viewOf(list, (query) => ({ ...query, limit: Math.min(7, query.limit) })),
};

function viewOf(list: List, queryOf: (query: PageQuery) => PageQuery): List {
  return { page: (query, given) => list.page(queryOf(query), given) };
}

function refusing(list: List, isRefused: (query: PageQuery) => boolean, status: number): List {
  return {
    page: async (query, given) => {
      if (isRefused(query)) throw new Fault(status >= 500 ? 'busy' : 'protocol', 'no', { status });
      return list.page(query, given);
    },
  };
}

async function detect(service: string, options: FaultyListOptions): Promise<ListCapabilities> {
  const list = faultyList(options);
  return list.clock.run(detectCapabilities(SERVICES[service]!({ page: list.page }), { limit: 100, signal }));
}

const shortly = ({ directions, swapped, whole }: ListCapabilities): string =>
  `${Object.values(directions).join(' ')}${swapped ? ' swapped' : ''}${whole ? ' whole' : ''}`;

const EXPECTED: [service: string, found: string, requests: number][] = [
  ['documented', 'ascending ascending ascending', 4],
  ['every page has at most 7 rows', 'ascending ascending ascending', 5],
  ['backward pages descend', 'ascending descending ascending', 5],
  ['pages with ending_before descend', 'ascending descending descending', 6],
  ['rows stand in reverse in every page', 'descending descending descending', 10],
  ['cursors are exchanged', 'ascending ascending ascending swapped', 8],
  ['cursors are exchanged, after descends', 'ascending descending ascending swapped', 9],
  ['ending_before is ignored', 'ascending ignored ignored', 8],
  ['ending_before is ignored beside starting_after', 'ascending ascending ignored', 6],
  ['every cursor is ignored', 'ignored untested untested', 4],
  ['every answer is the whole list', 'ignored untested untested whole', 6],
  ['every answer is the whole list, cursors are refused', 'refused untested untested whole', 4],
  ['ending_before is refused', 'ascending refused refused', 4],
  ['ending_before fails', 'ascending refused refused', 4],
  ['both cursors are refused', 'ascending ascending refused', 4],
  ['every cursor is refused', 'refused untested untested', 2],
];

test.each(EXPECTED)('%s: %s, by %d requests', async (service, found, requests) => {
  const capabilities = await detect(service, { size: 300 });
  expect([shortly(capabilities), capabilities.requests]).toEqual([found, requests]);
});

describe('small lists without faults', () => {
  test.each([0, 1, 2, 3, 4, 5, 10, 11, 12, 19, 20, 21])('%d rows', async (size) => {
    const documented = await detect('documented', { size });
    expect([...supportedDirections(documented)]).toEqual(['forward', 'backward', 'closed']);
    expect(documented.requests).toBeLessThanOrEqual(4);
    if (size === 0) return;
    const ignoring = await detect('ending_before is ignored', { size });
    expect(ignoring.directions.backward).toBe('ignored');
    expect((await detect('every cursor is ignored', { size })).directions.forward).toBe('ignored');
    if (size < 4) return;
    expect((await detect('backward pages descend', { size })).directions.backward).toBe('descending');
  });
});

describe('35 % faulty pages', () => {
  const WALKS = 100;
  const correlations: Correlation[] = ['each', 'key', 'sticky', 'burst', 'collude'];
  const found = EXPECTED.filter(
    ([service]) => !/reverse|exchanged|beside|is ignored$|7 rows|whole|every cursor/.test(service),
  );
  test.each(found)('%s: %s', async (service, expected) => {
    const wrong: string[] = [];
    for (const correlation of correlations)
      for (let seed = 1; seed <= WALKS; seed++) {
        const options = { size: 25 + ((seed * 37) % 300), drift: 0.35, seed, correlation };
        const capabilities = await detect(service, options);
        if (shortly(capabilities) !== expected)
          wrong.push(`${correlation} ${seed}: ${shortly(capabilities)}`);
      }
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual((WALKS * correlations.length) / 100);
  });
});

describe('a short first page', () => {
  type Given = { size: number; cut?: number; says?: boolean | undefined };
  /** Returns the limit that is found of a list of `size` rows whose pages have at most `cut` rows. */
  async function limitOf({ size, cut = 1000, says = true }: Given) {
    const list = faultyList({ size });
    const page: List['page'] = async ({ limit, ...query }, given) => {
      const { rows, has_more } = await list.page({ ...query, limit: Math.min(cut, limit) }, given);
      return says && has_more !== undefined ? { rows, has_more } : { rows };
    };
    const found = await list.clock.run(detectCapabilities({ page }, { limit: 100, signal }));
    return [found.limit.given, found.limit.largest, found.requests];
  }

  test.each<[string, Given, number[]]>([
    ['of a list that is as short', { size: 30 }, [30, 100, 4]],
    ['of a list that is as short, without has_more', { size: 30, says: false }, [30, 100, 5]],
    ['that is cut', { size: 300, cut: 30 }, [30, 30, 5]],
    ['that is cut, without has_more', { size: 300, cut: 30, says: false }, [30, 30, 6]],
    ['that is cut and followed by one row', { size: 31, cut: 30, says: false }, [30, 30, 6]],
    ['that is cut to two rows', { size: 300, cut: 2 }, [2, 2, 5]],
  ])('%s', async (_, given, expected) => {
    expect(await limitOf(given)).toEqual(expected);
  });

  test('a faulty one is not taken for cut', async () => {
    let cut = 0;
    for (let seed = 1; seed <= 200; seed++) {
      const found = await detect('documented', { size: 300, drift: 0.35, seed });
      if (found.limit.largest < 100) cut++;
    }
    expect(cut).toBeLessThanOrEqual(2);
  });
});

test('the adapted list shows a walk what the documented one does', async () => {
  const list = faultyList({ size: 60 });
  const plain: List = { page: list.page };
  const queries: PageQuery[] = [
    { limit: 10 },
    { after: 'r20', limit: 10 },
    { before: 'r20', limit: 10 },
    { after: 'r10', before: 'r15', limit: 10 },
  ];
  const read = (source: List) => Promise.all(queries.map((query) => source.page(query, signal)));
  const expected = await list.clock.run(read(plain));
  for (const [service, found] of EXPECTED) {
    const view = SERVICES[service]!(plain);
    if ((/ignored|refused/.test(found) && !found.includes('whole')) || service.includes('7 rows')) continue;
    const capabilities = await list.clock.run(detectCapabilities(view, { limit: 10, signal }));
    expect(await list.clock.run(read(adaptSource(view, capabilities))), service).toEqual(expected);
  }
});

describe('pages of a range that is longer than a page', () => {
  /** Like a query that turns its order for `ending_before`, and sorts the page afterwards. */
  const fromEnd: (list: List) => List = (list) => ({
    page: async ({ after, before, limit }, given) => {
      if (after === undefined || before === undefined)
        return list.page(
          { limit, ...(after === undefined ? {} : { after }), ...(before === undefined ? {} : { before }) },
          given,
        );
      const { rows } = await list.page({ after, before, limit: 1000 }, given);
      return { rows: rows.slice(-limit), has_more: rows.length > limit };
    },
  });
  test.each([
    ['from its start', (list: List) => list, 'ascending'],
    ['from its end', fromEnd, 'ignored'],
  ] as const)('%s', async (_, service, closed) => {
    let wrong = 0;
    for (const drift of [0, 0.35])
      for (let seed = 1; seed <= 100; seed++) {
        const list = faultyList({ size: 300, drift, seed });
        const found = await list.clock.run(
          detectCapabilities(service({ page: list.page }), { limit: 100, hasRange: true, signal }),
        );
        if (found.directions.closed !== closed) wrong++;
        if (drift === 0) expect(found.directions.closed).toBe(closed);
      }
    expect(wrong).toBeLessThanOrEqual(2);
  });
});

test('a row that several answers lack is gone; cursors in the wrong order prove nothing', async () => {
  let lacking = 0;
  const list = withLocalCursors(
    { page: async () => ({ rows: [...(lacking-- > 0 ? [] : [{ id: 'a' }]), { id: 'b' }, { id: 'c' }] }) },
    { accepted: 10, given: 3 },
  );
  lacking = 3;
  expect((await list.page({ after: 'a', limit: 5 }, signal)).rows).toEqual([{ id: 'b' }, { id: 'c' }]);
  lacking = 4;
  await expect(list.page({ after: 'a', limit: 5 }, signal)).rejects.toMatchObject({ kind: 'not_found' });
  expect(await list.page({ after: 'c', before: 'b', limit: 5 }, signal)).toEqual({
    rows: [],
    has_more: true,
  });
});

test('an answer that says nothing about cursors is thrown: no token, too many requests, no connection', async () => {
  for (const [kind, status] of [
    ['auth', 401],
    ['busy', 429],
    ['network', undefined],
  ] as const) {
    const list: List = {
      page: async ({ after }) => {
        if (after !== undefined) throw new Fault(kind, 'no', status === undefined ? {} : { status });
        return { rows: [{ id: 'a' }, { id: 'b' }] };
      },
    };
    await expect(detectCapabilities(list, { limit: 10, signal })).rejects.toMatchObject({ kind });
  }
});

test('-v says only what differs from the documented interface', async () => {
  expect(capabilityLines(await detect('documented', { size: 30 }))).toEqual([]);
  expect(capabilityLines(await detect('rows stand in reverse in every page', { size: 300 }))).toHaveLength(3);
  const swapped = await detect('cursors are exchanged', { size: 30 });
  expect(
    capabilityLines({ ...swapped, limit: { wanted: 100, accepted: 50, given: 50, largest: 50 } }),
  ).toEqual([
    'the service refuses pages of 100 rows: asked for 50 instead',
    "the cursors have each other's meaning: exchanged",
  ]);
});
