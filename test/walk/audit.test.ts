// The audit at the end of a walk: what reads of frozen rows change in their evidence, and what they find.
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/faults.ts';
import { Audit } from '../../src/walk/audit.ts';
import { CursorQuestions } from '../../src/walk/cursor-questions.ts';
import { faultModel } from '../../src/walk/decide/fault-model.ts';
import { FrozenClaims } from '../../src/walk/decide/frozen-claims.ts';
import { noEvidence } from '../../src/walk/evidence/claims.ts';
import { addFaults, noFaults, type FaultStatistics } from '../../src/walk/evidence/fault-counts.ts';
import { IdList } from '../../src/walk/order/id-list.ts';
import { IdSet } from '../../src/walk/order/id-set.ts';
import { LIST_START, Order } from '../../src/walk/order/order.ts';
import { FreshRequests } from '../../src/walk/plan/requests.ts';
import type { Identified, Page, PageQuery } from '../../src/walk/source.ts';
import { faultRate, faultsOf } from './decide/service-faults.ts';

const PAGE_ROWS = 10;
const EPSILON = 0.001;
const LISTED = Array.from({ length: 95 }, (_, at) => `r${at}`);

/** Answers as a service that lists `ids`: 404 for an unknown cursor, 409 for two cursors in the other order. */
function pageOf(ids: readonly string[], { after, before, limit }: PageQuery): Page<Identified> {
  const places = [after, before].map((id) => (id === undefined ? undefined : ids.indexOf(id)));
  if (places.includes(-1)) throw new Fault('not_found', 'no such row', { status: 404 });
  const [from, to] = [(places[0] ?? -1) + 1, places[1] ?? ids.length];
  if (from > to) throw new Fault('conflict', 'the other order', { status: 409 });
  const start = after === undefined && before !== undefined ? Math.max(0, to - limit) : from;
  return { rows: ids.slice(start, Math.min(to, start + limit)).map((id) => ({ id })) };
}

type Audited = {
  /** Votes with which each row was frozen. */
  votes?: number;
  faults?: FaultStatistics;
  maxRequests?: number;
  /** What the service lists now; rows are frozen as in `LISTED`. */
  now?: readonly string[];
  /** Answers a page of the audit in place of the service. */
  answer?: (query: PageQuery, right: Page<Identified>) => Page<Identified>;
};

/** Freezes the rows of `LISTED` and audits them. */
async function audit({
  votes = 4,
  faults = faultsOf(200),
  maxRequests = 1000,
  now = LISTED,
  answer,
}: Audited) {
  const ids = new IdList();
  const [claims, frozenIds, late] = [new FrozenClaims(), new IdSet(), new Set<string>()];
  LISTED.forEach((id, row) => {
    ids.add(id);
    frozenIds.add(id);
    const window = Math.floor(row / PAGE_ROWS) + 1;
    if (row === 0)
      claims.add({ what: 'start', votes: 6, rivals: 0, position: undefined, beginsAtZero: false }, window);
    else claims.add({ what: 'adjacency', ...noEvidence(), insideVotes: votes }, window);
  });
  let requests = 0;
  const queries: PageQuery[] = [];
  const spendRequest = () => {
    if (++requests > maxRequests) throw new Fault('unstable', 'the budget is spent');
  };
  const source = {
    page: async (query: PageQuery) => {
      const right = pageOf(now, query);
      const isQuestion = query.limit <= 2;
      if (!isQuestion) queries.push(query);
      return isQuestion || answer === undefined ? right : answer(query, right);
    },
  };
  const options = { signal: new AbortController().signal };
  const fresh = new FreshRequests(new Order<Identified>(), PAGE_ROWS, undefined, undefined);
  let seen = faults;
  const audited = new Audit<Identified>({
    source,
    options,
    concurrency: 3,
    ids,
    claims,
    previousId: LIST_START,
    frozenIds,
    questions: new CursorQuestions({
      source,
      options,
      spendRequest,
      cursorQuery: (after, before) => ({ after, ...(before === undefined ? {} : { before }), limit: 2 }),
    }),
    spendRequest,
    freshQuery: (rows) => {
      const query = fresh.audit(rows);
      if (query !== undefined) fresh.markMade(query, 'list');
      return query;
    },
    rangeFor: () => ({ start: LIST_START, end: undefined, hasMore: 'trusted', maxRows: PAGE_ROWS }),
    pageRows: () => PAGE_ROWS,
    model: () => faultModel(seen),
    onFaults: (more) => {
      seen = noFaults();
      addFaults(seen, faults);
      addFaults(seen, more);
    },
    epsilon: EPSILON,
  });
  const error = () => claims.errorProbability(faultModel(seen), PAGE_ROWS);
  const before = error();
  let fault: unknown;
  await audited.run(late).catch((thrown: unknown) => (fault = thrown));
  return { audited, late: [...late], before, after: error(), requests, queries, fault };
}

const FAULTY = faultRate(200, 0.2, ['omission', 'order'], 0.1);

describe('how much is read', () => {
  test('nothing where no read was faulty and the evidence suffices', async () => {
    const { requests, before } = await audit({});
    expect(before).toBeLessThan(EPSILON);
    expect(requests).toBe(0);
  });

  test('a sample with both ends where reads were faulty', async () => {
    const { audited, requests, queries } = await audit({ votes: 16, faults: FAULTY });
    expect(audited.counts).toEqual({ reads: 5, agreed: 5 });
    expect(requests).toBe(5);
    const shown = queries.flatMap((query) => pageOf(LISTED, query).rows.map(({ id }) => id));
    expect(shown).toEqual(expect.arrayContaining(['r0', 'r94']));
  });

  test('weak rows again and again, until their evidence suffices', async () => {
    const { before, after, audited, queries } = await audit({ votes: 2, faults: FAULTY });
    expect(before).toBeGreaterThan(EPSILON);
    expect(after).toBeLessThanOrEqual(0.9 * EPSILON);
    expect(audited.counts.agreed).toBe(audited.counts.reads);
    expect(new Set(queries.map((query) => JSON.stringify(query))).size).toBe(queries.length);
  });

  test('not for ever where every page is wrong', async () => {
    const { requests, after, audited } = await audit({
      votes: 2,
      faults: FAULTY,
      answer: (_, { rows }) => ({ rows: rows.toSpliced(Math.floor(rows.length / 2), 1) }),
    });
    expect(after).toBeGreaterThan(EPSILON);
    // A page of one or two rows has none between two others.
    expect(audited.counts.agreed).toBeLessThanOrEqual(22);
    expect(requests).toBeLessThan(11 * 16 * 3);
  });

  test('no more than the budget allows', async () => {
    const { fault, requests } = await audit({ votes: 2, faults: FAULTY, maxRequests: 4 });
    expect(fault).toMatchObject({ kind: 'unstable' });
    expect(requests).toBeLessThanOrEqual(4 + 5);
  });
});

describe('what is found', () => {
  const found = async (now: readonly string[]) => {
    const { audited, late } = await audit({ votes: 16, faults: FAULTY, now });
    return {
      changed: [...audited.changedRows],
      contradicted: [...audited.contradictedWindows],
      late,
    };
  };

  test('a frozen row that is gone', async () => {
    expect(await found(LISTED.filter((id) => id !== 'r3'))).toEqual({
      changed: [3],
      contradicted: [],
      late: [],
    });
  });

  test('a row between frozen rows', async () => {
    expect(await found([...LISTED.slice(0, 4), 'new', ...LISTED.slice(4)])).toEqual({
      changed: [4],
      contradicted: [],
      late: ['new'],
    });
  });

  test('rows in the other order', async () => {
    const swapped = ['r0', 'r1', 'r3', 'r2', ...LISTED.slice(4)];
    expect(await found(swapped)).toEqual({ changed: [], contradicted: [1], late: [] });
  });

  test('nothing where a page leaves out a row that is in the list', async () => {
    const { audited, late } = await audit({
      votes: 16,
      faults: FAULTY,
      answer: (_, { rows }) => ({ rows: rows.filter(({ id }) => id !== 'r3') }),
    });
    expect([...audited.changedRows, ...audited.contradictedWindows, ...late]).toEqual([]);
    expect(audited.counts.agreed).toBe(audited.counts.reads - 1);
  });

  test('nothing where a page shows a row that is gone', async () => {
    const { audited, late } = await audit({
      votes: 16,
      faults: FAULTY,
      answer: (_, { rows }) => ({
        rows: rows.flatMap((row) => (row.id === 'r3' ? [row, { id: 'dead' }] : [row])),
      }),
    });
    expect([...audited.changedRows, ...audited.contradictedWindows, ...late]).toEqual([]);
  });
});
