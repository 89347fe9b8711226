// The walk over correct, drifting and broken lists: it writes each row once, in order, and no wrong one.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WalkReport } from '../../src/contract/reports/walk.ts';
import { Fault } from '../../src/faults.ts';
import type { WalkOptions, WalkOutcome } from '../../src/walk/options.ts';
import { walk } from '../../src/walk/walk.ts';
import type { Page, PageQuery, Source } from '../../src/walk/source.ts';
import type { FrozenWindowLine } from '../../src/contract/frozen-log.ts';
import { faultyList } from '../support/faulty-list.ts';
import { driftingSource, DRIFT_FAULTS, type DriftingOptions, type Item } from '../support/drifting-source.ts';

const signal = new AbortController().signal;

async function run(source: Source<Item>, options: Partial<WalkOptions<Item>> = {}) {
  const ids: string[] = [];
  const steps = walk(source, { limit: 100, crossCheck: 'boundary', signal, ...options });
  let step = await steps.next();
  for (; step.done !== true; step = await steps.next()) ids.push(...step.value.rows.map((row) => row.id));
  const outcome: WalkOutcome = step.value;
  expect(WalkReport.parse(outcome.report)).toEqual(outcome.report);
  expect(outcome.report.verdict).toBe(outcome.fault === undefined ? 'complete' : 'incomplete');
  return { ids, ...outcome };
}

const idsOf = (items: readonly Item[]) => items.map((item) => item.id);

describe('without drift', () => {
  const sizes = [0, 1, 2, 99, 100, 101, 2000];
  const cases = sizes.flatMap((size) => [1, 20, 100, 500].map((limit) => ({ size, limit })));

  test.each(cases)('$size rows by $limit are exact', async ({ size, limit }) => {
    const list = driftingSource({ size });
    for (const crossCheck of ['off', 'boundary'] as const) {
      const { ids, report, fault } = await run(list, { limit, crossCheck });
      expect(fault).toBeUndefined();
      expect(ids).toEqual(idsOf(list.items));
      expect(report).toMatchObject({
        conversations: size,
        disagreements: 0,
        duplicates_removed: 0,
        unstable: [],
      });
    }
    // No read asks for more rows than the user allowed, or 8.
    expect(Math.max(...list.queries.map((query) => query.limit))).toBeLessThanOrEqual(Math.max(limit, 8));
  });

  test('2,000 rows by 100 take at most 2.3 times the minimum of requests', async () => {
    const { report } = await run(driftingSource({ size: 2000 }));
    expect(report.minimum_requests).toBe(20);
    expect(report.requests).toBeLessThanOrEqual(46);
    const sum = Object.values(report.requests_for ?? {}).reduce((all, made) => all + made, 0);
    expect(sum).toBe(report.requests);
    expect(report.requests_for?.new_rows).toBeGreaterThanOrEqual(20);
    expect(report.confidence).toBeGreaterThan(0.999);
  });

  test('no request is made twice', async () => {
    const list = driftingSource({ size: 500 });
    await run(list, { limit: 20, crossCheck: 'off' });
    const keys = list.queries.map((query) => JSON.stringify(query));
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('a service that gives fewer rows a page than asked', async () => {
    const list = driftingSource({ size: 230 });
    const capped: Source<Item> = {
      page: (query) => list.page({ ...query, limit: Math.min(query.limit, 30) }, signal),
    };
    const { ids, report } = await run(capped);
    expect(ids).toEqual(idsOf(list.items));
    expect(report.disagreements).toBe(0);
  });

  test.each([0, 7, 90, 250])('%i rows of a service that always says there is more', async (size) => {
    const list = driftingSource({ size });
    const source: Source<Item> = {
      page: async (query) => ({ ...(await list.page(query, signal)), has_more: true }),
    };
    // A cross-check has no `has_more`; that says nothing about the list.
    const crossChecked = await run({ ...source, crossCheck: list.crossCheck });
    expect(crossChecked.fault?.kind).toBe(size === 0 ? 'protocol' : undefined);
    expect(crossChecked.ids).toEqual(idsOf(list.items));
    const { ids, fault } = await run(source);
    // No row at all and yet more to come is a contradiction.
    expect(fault?.kind).toBe(size === 0 ? 'protocol' : undefined);
    expect(ids).toEqual(idsOf(list.items));
  });

  test.each([
    ['conv_10', undefined, 10, 50],
    [undefined, 'conv_40', 0, 39],
    ['conv_10', 'conv_40', 10, 39],
    ['conv_10', 'conv_11', 10, 10],
    [undefined, 'conv_1', 0, 0],
    ['conv_50', undefined, 50, 50],
    ['conv_10', 'conv_10', 10, 10],
  ])('a walk after %s and before %s', async (after, before, from, to) => {
    const list = driftingSource({ size: 50 });
    const range = { ...(after === undefined ? {} : { after }), ...(before === undefined ? {} : { before }) };
    for (const limit of [1, 7, 100]) {
      const { ids, fault } = await run(list, { limit, ...range });
      expect(fault).toBeUndefined();
      expect(ids).toEqual(idsOf(list.items.slice(from, to)));
    }
  });
});

describe('lists that are written while all different requests for them are made', () => {
  const forwardOnly = new Set(['forward'] as const);

  test.each([
    { what: 'emptied', now: 0 },
    { what: 'doubled', now: 4 },
  ])('a list of two rows that is $what', async ({ now }) => {
    const other = driftingSource({ size: now }).items;
    const list = driftingSource({
      size: 2,
      write: (written, read) => {
        if (read === 8) written.items = other;
      },
    });
    const { ids, fault } = await run(
      { page: (query) => list.page(query, signal), directions: forwardOnly },
      { limit: 8 },
    );
    expect(fault).toBeUndefined();
    expect(ids).toEqual(idsOf(other));
  });

  test('the same wrong answer to the same request is one vote, however often it is given', async () => {
    const list = driftingSource({ size: 4 });
    const { ids, fault } = await run(
      {
        page: async (query) => {
          const page = await list.page(query, signal);
          // Two of the eight requests without a cursor always show the rows in another order.
          return query.after === undefined && query.limit > 6
            ? { ...page, rows: page.rows.toReversed() }
            : page;
        },
        directions: forwardOnly,
      },
      { limit: 8 },
    );
    if (fault === undefined) expect(ids).toEqual(idsOf(list.items));
    else expect(ids).toEqual(idsOf(list.items).slice(0, ids.length));
  });
});

test('a shuffled page that shows rows beyond the end that the user gave leaves none of them without a place', async () => {
  const before = 'conv_15';
  for (const read of [1, 2, 3, 4, 5, 6]) {
    const list = driftingSource({ size: 18 });
    let forwardReads = 0;
    const page = async (query: PageQuery) => {
      const right = await list.page(query, signal);
      if (query.before !== undefined || ++forwardReads !== read) return right;
      const [first, ...others] = right.rows;
      return { ...right, rows: [...(first === undefined ? [] : [first]), ...others.toReversed()] };
    };
    const { ids, fault } = await run({ page }, { limit: 18, after: 'conv_8', before });
    expect(fault).toBeUndefined();
    expect(ids).toEqual(idsOf(list.items).slice(8, 14));
  }
});

describe('services that show only a part at a time', () => {
  /** A correct list in which no page goes from one part of `size` rows into the next. */
  function inParts(rows: number, size: number): { items: Item[]; source: Source<Item> } {
    const { items } = driftingSource({ size: rows });
    const indexOf = (id: string | undefined) => items.findIndex((item) => item.id === id);
    const page: Source<Item>['page'] = async ({ after, before, limit }) => {
      const isBackward = before !== undefined && after === undefined;
      const from = indexOf(after) + 1;
      const to = before === undefined ? items.length : indexOf(before);
      const partEnd = (Math.floor(from / size) + 1) * size;
      const partStart = Math.floor((to - 1) / size) * size;
      const shown = isBackward
        ? items.slice(Math.max(0, to - limit, partStart), to)
        : items.slice(from, Math.min(to, from + limit, partEnd));
      return { rows: shown, has_more: isBackward ? to - shown.length > 0 : from + shown.length < to };
    };
    return { items, source: { page } };
  }

  test.each([150, 250])(
    'pages end at every row %i, and has_more says so: never half a list',
    async (size) => {
      const { items, source } = inParts(1000, size);
      const { ids, fault } = await run(source, { crossCheck: 'off' });
      expect(fault === undefined ? ids : idsOf(items).slice(0, ids.length)).toEqual(
        fault === undefined ? idsOf(items) : ids,
      );
    },
  );

  test('a list that goes on only after its 60th row is read to its end', async () => {
    const { items } = driftingSource({ size: 120 });
    const isFurther = (id: string | undefined) => items.findIndex((item) => item.id === id) >= 59;
    const whole = inParts(120, 1000).source;
    const first = inParts(60, 1000).source;
    const source: Source<Item> = {
      page: (query, abort) =>
        (isFurther(query.after) || isFurther(query.before) ? whole : first).page(query, abort),
    };
    const { ids } = await run(source, { crossCheck: 'off' });
    expect(ids).toEqual(idsOf(items));
  });
});

describe('with drift', () => {
  const kinds = [...DRIFT_FAULTS.map((fault) => [fault]), [...DRIFT_FAULTS]];
  const cases = kinds.flatMap((faults) =>
    (['serial', 'key'] as const).map((correlation) => ({ faults, correlation })),
  );

  test.each(cases)('M3, M4 $faults, by $correlation: exact at 0.21', async ({ faults, correlation }) => {
    for (let seed = 1; seed <= 2; seed++) {
      const list = driftingSource({ size: 1000, drift: 0.21, seed, faults, correlation });
      const { ids, fault, report } = await run(list);
      expect(fault).toBeUndefined();
      expect(ids).toEqual(idsOf(list.items));
      expect(report.drift).toEqual({ first: 0.21, last: 0.21, max: 0.21 });
      expect(report.disagreements).toBeGreaterThan(0);
      expect(report.confidence).toBeLessThan(1);
    }
  });

  test('property: complete means the true list, and no row is written twice', async () => {
    const options = fc.record({
      size: fc.integer({ min: 0, max: 300 }),
      drift: fc.constantFrom(0.05, 0.13, 0.21, 0.35),
      seed: fc.nat(1e6),
      correlation: fc.constantFrom('serial', 'key'),
    });
    const walks = fc.record({
      limit: fc.integer({ min: 5, max: 120 }),
      mode: fc.constantFrom('off', 'boundary', 'full'),
    });
    await fc.assert(
      fc.asyncProperty(options, walks, async (drifting: DriftingOptions, { limit, mode }) => {
        const list = driftingSource({ ...drifting, crossCheckDrift: drifting.drift ?? 0 });
        const { ids, fault } = await run(list, { limit, crossCheck: mode as 'off' });
        const truth = idsOf(list.items);
        expect(new Set(ids).size).toBe(ids.length);
        if (fault === undefined) expect(ids).toEqual(truth);
        else expect(['unstable', 'protocol']).toContain(fault.kind);
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  test('rows appended during the walk are written', async () => {
    const list = driftingSource({
      size: 300,
      drift: 0.13,
      write: (now, read) => read <= 30 && now.items.push({ id: `conv_${300 + read}`, subject: 'new' }),
    });
    const { ids, fault } = await run(list, { limit: 20 });
    expect(fault).toBeUndefined();
    expect(ids).toEqual(idsOf(list.items));
  });

  test('a row deleted while it is the cursor, and one deleted ahead', async () => {
    const list = driftingSource({
      size: 60,
      write: (now, read) => {
        if (read === 4) now.items = now.items.filter(({ id }) => id !== 'conv_20' && id !== 'conv_35');
      },
    });
    const { ids, fault } = await run(list, { limit: 20, crossCheck: 'off' });
    expect(fault).toBeUndefined();
    expect(ids.filter((id) => id !== 'conv_20' && id !== 'conv_35')).toEqual(idsOf(list.items));
  });
});

test('M3 a frozen row that is deleted during the walk leaves no gap in the log', async () => {
  for (const seed of [2, 18, 20]) {
    const writes = { kind: 'delete', count: 40, every: 2 } as const;
    const list = faultyList({ size: 300, drift: 0.13, seed, writes });
    const windows = walk(list, { limit: 10, crossCheck: 'off', signal });
    await list.clock.run(
      (async () => {
        let last: string | null = null;
        for await (const { line } of windows) {
          const { after, ids } = JSON.parse(line) as FrozenWindowLine;
          expect(after).toBe(last);
          last = ids.at(-1) ?? null;
        }
      })(),
    );
  }
});

describe('lists that cannot be walked', () => {
  const rows = (from: number, to: number): Item[] =>
    Array.from({ length: to - from + 1 }, (_, n) => ({ id: `conv_${from + n}`, subject: '' }));
  const always = (page: Page<Item>): Source<Item> => ({ page: async () => page });

  test('M1: misordered ends are the conflict the service reports', async () => {
    const { fault, ids } = await run(driftingSource({ size: 50 }), { after: 'conv_40', before: 'conv_10' });
    expect(fault?.kind).toBe('conflict');
    expect(ids).toEqual([]);
  });

  test('an unknown cursor is not found', async () => {
    const { fault } = await run(driftingSource({ size: 50 }), { after: 'conv_99' });
    expect(fault?.kind).toBe('not_found');
  });

  test('M2: pages whose rows depend on nothing that was asked are refused, in at most 150 reads', async () => {
    let turn = 0;
    const source: Source<Item> = {
      page: async ({ limit }) => ({ rows: rows(++turn * 7, turn * 7 + limit - 1), has_more: true }),
    };
    const { fault, report } = await run(source);
    expect(fault?.kind).toBe('protocol');
    expect(report.requests).toBeLessThan(150);
    expect(report.unstable).toHaveLength(1);
  });

  test.each([
    ['empty pages that say there is more', always({ rows: [], has_more: true }), 'protocol'],
    ['the same page whatever the cursor', always({ rows: rows(1, 100), has_more: true }), 'protocol'],
    [
      'pages larger than asked for, always the same',
      always({ rows: rows(1, 150), has_more: false }),
      'protocol',
    ],
  ])('%s', async (_, source, kind) => {
    const { fault, report } = await run(source);
    expect(fault?.kind).toBe(kind);
    expect(report.requests).toBeLessThan(60);
  });

  test('a spent budget keeps what is frozen and names the gap', async () => {
    const list = driftingSource({ size: 3000 });
    const { ids, fault, report } = await run(list, { maxRequests: 40 });
    expect(fault?.kind).toBe('unstable');
    expect(ids.length).toBeGreaterThan(1);
    expect(ids).toEqual(idsOf(list.items.slice(0, ids.length)));
    expect(report.requests).toBeLessThanOrEqual(40);
    expect(report.unstable[0]?.after).toBe(ids.at(-1));
  });

  test('a transport fault and an interruption come back with what is frozen', async () => {
    const list = driftingSource({ size: 500 });
    const broken: Source<Item> = {
      page: (query, given) =>
        list.queries.length >= 14
          ? Promise.reject(new Fault('busy', 'server is busy'))
          : list.page(query, given),
    };
    const first = await run(broken, { crossCheck: 'off' });
    expect(first.fault?.kind).toBe('busy');
    expect(first.ids.length).toBeGreaterThan(0);

    const stop = new AbortController();
    const stopping: Source<Item> = {
      page: (query, given) => {
        if (list.queries.length > 10)
          stop.abort(new Fault('interrupted', 'interrupted', { signal: 'SIGINT' }));
        return list.page(query, given);
      },
    };
    expect((await run(stopping, { signal: stop.signal })).fault?.kind).toBe('interrupted');
  });

  test('a bug is thrown as it is', async () => {
    await expect(run({ page: () => Promise.reject(new TypeError('bug')) })).rejects.toThrow(TypeError);
  });
});

describe('the cross-check', () => {
  test('M6: a cross-check source of another order is unstable, with both hashes', async () => {
    const list = driftingSource({ size: 200 });
    const source: Source<Item> = { page: list.page, crossCheck: async () => ['conv_3', 'conv_1'] };
    const { fault, ids } = await run(source, { crossCheck: 'full' });
    expect(fault?.kind).toBe('unstable');
    expect(fault?.message).toMatch(/ids [0-9a-f]{64}, messages [0-9a-f]{64}$/);
    expect(ids).toEqual([]);
  });

  test('a cross-check source that lacks one row stops the walk there and not earlier', async () => {
    const list = driftingSource({ size: 200 });
    const lacking = driftingSource({ size: 200 });
    lacking.items.splice(120, 1);
    const { fault, ids, report } = await run(
      { page: list.page, crossCheck: lacking.crossCheck },
      { crossCheck: 'full' },
    );
    expect(fault?.kind).toBe('unstable');
    expect(ids).toEqual(idsOf(list.items.slice(0, 120)));
    expect(report.cross_check.agreed).toBe(120);
  });

  test('a cross-check source with a row that the list does not have is a disagreement', async () => {
    const list = driftingSource({ size: 30 });
    const { fault } = await run({ page: list.page, crossCheck: driftingSource({ size: 31 }).crossCheck });
    expect(fault?.message).toBe('/messages lists conv_31, which the list does not have');
  });

  test.each([
    ['no cross-check source', undefined],
    ['a source that cannot tell', async () => undefined],
    ['a service without /messages', () => Promise.reject(new Fault('not_found', 'no such path'))],
  ])('%s leaves the walk as it is and says so', async (_, crossCheck) => {
    const list = driftingSource({ size: 250 });
    const source: Source<Item> = {
      page: list.page,
      ...(crossCheck === undefined ? {} : { crossCheck }),
    };
    const { ids, report } = await run(source, { crossCheck: 'full' });
    expect(ids).toEqual(idsOf(list.items));
    expect(report.cross_check).toEqual({ mode: 'full', asked: 0, agreed: 0, unavailable: 250 });
  });

  test('full asks about every row', async () => {
    const { report } = await run(driftingSource({ size: 250 }), { crossCheck: 'full' });
    expect(report.cross_check).toEqual({ mode: 'full', asked: 250, agreed: 250, unavailable: 0 });
  });
});

describe('a hidden row', () => {
  test('a row that only the first read shows is never left out without a fault', async () => {
    const list = driftingSource({ size: 60 });
    const source: Source<Item> = {
      page: async (query, given) => {
        const page = await list.page(query, given);
        return list.queries.length === 1
          ? page
          : { ...page, rows: page.rows.filter(({ id }) => id !== 'conv_30') };
      },
    };
    const { ids, fault } = await run(source, { limit: 50 });
    expect(fault?.kind).toBe('unstable');
    expect(ids).toEqual(
      idsOf(list.items)
        .filter((id) => id !== 'conv_30')
        .slice(0, ids.length),
    );
  });
});
