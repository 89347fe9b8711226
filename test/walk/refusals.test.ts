// What a walk makes of refused requests: rows that are denied once or for good, and refusals that say nothing about rows.
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/faults.ts';
import type { PageQuery, Source } from '../../src/walk/source.ts';
import { walk } from '../../src/walk/walk.ts';
import { driftingSource, type Item } from '../support/drifting-source.ts';

const signal = new AbortController().signal;

/** Walks a correct list, of which some requests are refused. */
async function walkRefused(
  refusalOf: (query: PageQuery, number: number) => Fault | undefined,
  ends: { after?: string; before?: string } = {},
  size = 60,
) {
  const list = driftingSource({ size });
  const queries: PageQuery[] = [];
  const source: Source<Item> = {
    page: async (query) => {
      queries.push(query);
      const refusal = refusalOf(query, queries.length);
      if (refusal !== undefined) throw refusal;
      return list.page(query, signal);
    },
  };
  const ids: string[] = [];
  const steps = walk(source, { limit: 10, crossCheck: 'off', signal, ...ends });
  let step = await steps.next();
  for (; step.done !== true; step = await steps.next()) ids.push(...step.value.rows.map(({ id }) => id));
  return { ids, queries, listed: list.items.map(({ id }) => id), fault: step.value.fault };
}

const denied = () => new Fault('not_found', 'no such row', { status: 404 });

describe('a row that the service denies', () => {
  test('once, after it was a good cursor: it stays', async () => {
    const taken = new Set<string>();
    let deniedId: string | undefined;
    const { ids, listed, fault } = await walkRefused(({ after, before }) => {
      const cursors = [after, before].filter((id) => id !== undefined);
      if (deniedId === undefined && cursors.length === 1 && taken.has(cursors[0]!)) {
        deniedId = cursors[0];
        return denied();
      }
      for (const id of cursors) taken.add(id);
      return undefined;
    });
    expect(deniedId).toBeDefined();
    expect(fault).toBeUndefined();
    expect(ids).toEqual(listed);
  });

  test('always, although pages show it: the walk says that it cannot decide', async () => {
    const id = 'conv_40';
    const { ids, listed, fault } = await walkRefused(({ after, before }) =>
      after === id || before === id ? denied() : undefined,
    );
    expect(fault?.kind).toBe('unstable');
    expect(ids).toEqual(listed.slice(0, ids.length));
    expect(ids.length).toBeLessThan(40);
  });

  test('like all others from some request on: the walk ends there', async () => {
    const faults = new Set<string | undefined>();
    for (let answered = 60; answered < 140; answered += 4) {
      const { ids, listed, fault } = await walkRefused(
        ({ after, before }, number) =>
          number > answered && (after ?? before) !== undefined ? denied() : undefined,
        {},
        600,
      );
      expect(ids).toEqual(listed.slice(0, ids.length));
      faults.add(fault?.message.replace(/\d+/g, 'N'));
    }
    expect(faults).toContain('the service denies all rows that it gave last, up to conv_N');
  });
});

describe('a request with an end that the user gave', () => {
  const ends = { after: 'conv_5', before: 'conv_50' };

  test('is denied together with another row: the other row stays', async () => {
    let refused = 0;
    const { ids, listed, fault } = await walkRefused(({ after, before }) => {
      const isClosed = before === ends.before && after !== undefined && after !== ends.after;
      return isClosed && refused++ === 0 ? denied() : undefined;
    }, ends);
    expect(refused).toBeGreaterThan(0);
    expect(fault).toBeUndefined();
    expect(ids).toEqual(listed.slice(5, 49));
  });

  test('is denied by itself: the walk ends with that fault', async () => {
    const { fault } = await walkRefused(
      ({ after, before }) => ([after, before].includes(ends.after) ? denied() : undefined),
      ends,
    );
    expect(fault?.kind).toBe('not_found');
  });
});

describe('refusals of another kind', () => {
  const bad = () => new Fault('protocol', 'a bad request', { status: 400 });

  test('cost their request', async () => {
    const { ids, listed } = await walkRefused((_, number) => (number % 5 === 3 ? bad() : undefined));
    expect(ids).toEqual(listed);
  });

  test('end the walk at once where nothing was ever answered', async () => {
    const { queries, fault } = await walkRefused(bad);
    expect(fault?.detail.status).toBe(400);
    expect(queries).toHaveLength(3);
  });

  test('end the walk after eight in a row', async () => {
    const { queries, fault } = await walkRefused((_, number) => (number > 20 ? bad() : undefined));
    expect(fault?.detail.status).toBe(400);
    expect(queries.length).toBeLessThanOrEqual(20 + 8 + 6);
  });

  test.each([401, 403, 429])('%i ends the walk', async (status) => {
    const { queries, fault } = await walkRefused((_, number) =>
      number === 4 ? new Fault('auth', 'no', { status }) : undefined,
    );
    expect(fault?.detail.status).toBe(status);
    expect(queries.length).toBeLessThanOrEqual(4 + 6);
  });
});
