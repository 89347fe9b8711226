// Measures walks over faulty lists in virtual time, beside a naive loop and a loop that reads each page until two answers are equal.
import type { PageQuery } from '../../src/walk/source.ts';
import { FAULT_NAMES } from '../support/faulty-page.ts';
import { faultyList, type FaultyListOptions } from '../support/faulty-list.ts';
import { isExact, simulateWalk, type SimulatedWalk } from '../support/simulated-walk.ts';

const SIZE = 2000;
const LIMIT = 100;
const MINIMUM = SIZE / LIMIT;
const NAIVE_MS = MINIMUM * 50;
const DRIFT = 0.21;

/** Name, list, goal for requests and for wall. */
type Case = [string, Partial<FaultyListOptions>, string, string];

export const CASES: readonly Case[] = [
  ['no drift', {}, '2.3', '1.15'],
  ['no drift, dense', { positions: 'dense' }, '1.15', '1.15'],
  ['random', { drift: DRIFT }, '3.1', '1.3'],
  ['correlated with the request', { drift: DRIFT, correlation: 'key' }, '3.1', '1.3'],
  ['sticky', { drift: DRIFT, correlation: 'sticky' }, '3.1', '1.3'],
  ['bursts', { drift: DRIFT, correlation: 'burst' }, '3.1', '1.3'],
  ['random, sparse', { drift: DRIFT, positions: 'sparse' }, '3.1', '1.3'],
  ['random, dense', { drift: DRIFT, positions: 'dense' }, '1.6', '1.25'],
  ['correlated, dense', { drift: DRIFT, positions: 'dense', correlation: 'key' }, '1.6', '1.25'],
  ...FAULT_NAMES.map((fault): Case => [`only ${fault}`, { drift: DRIFT, faults: [fault] }, '4.2', '1.4']),
  ['all, transport faults', { drift: DRIFT, transport: 0.05 }, '3.4', '1.4'],
  ['all, transport faults, dense', { drift: DRIFT, transport: 0.05, positions: 'dense' }, '1.8', '1.4'],
  ['colluding stale', { drift: DRIFT, correlation: 'collude' }, '8', '2'],
  ['appends', { drift: DRIFT, writes: { kind: 'append', count: 10, every: 4 } }, '3.1', '1.3'],
  ['inserts', { drift: DRIFT, writes: { kind: 'insert', count: 5, every: 9 } }, '', ''],
  ['deletes', { drift: DRIFT, writes: { kind: 'delete', count: 5, every: 9 } }, '', ''],
  ['random, drift 0.35', { drift: 0.35 }, '', ''],
];

type Sum = { exact: number; wrong: number; requests: number; ms: number; cpu: number };

/** Returns the table rows of a case: without a cross-check source, and with one as faulty as the pages. */
export async function measureCase(number: number, seeds: number, first: number) {
  const [name, list, ...goals] = CASES[number]!;
  const alone = newSum();
  const crossChecked = newSum();
  const naive = newSum();
  const twice = newSum();
  for (let seed = first; seed < first + seeds; seed++) {
    const options = { size: SIZE, seed, ...list };
    add(alone, await timed(() => simulateWalk(options)));
    add(
      crossChecked,
      await timed(() => simulateWalk({ ...options, crossCheck: 'faulty' }, { crossCheck: 'boundary' })),
    );
    add(naive, await timed(() => paged(options, 1)));
    add(twice, await timed(() => paged(options, 2)));
  }
  const brief = ({ exact, requests, ms }: Sum) =>
    `${exact}/${seeds}, ${times(requests, MINIMUM)}, wall ${times(ms, NAIVE_MS)}`;
  return {
    alone: { ...row(alone), 'naive loop': brief(naive), 'equal twice': brief(twice) },
    crossChecked: row(crossChecked),
  };

  function row({ exact, wrong, requests, ms, cpu }: Sum) {
    const [requestsGoal, wallGoal] = goals;
    return {
      case: name,
      exact: `${exact}/${seeds}`,
      'wrong called complete': String(wrong),
      requests: times(requests, MINIMUM),
      goal: requestsGoal && `≤ ${requestsGoal}`,
      wall: times(ms, NAIVE_MS),
      'goal ': wallGoal && `≤ ${wallGoal}`,
      'CPU ms with the list': (cpu / seeds).toFixed(0),
    };
  }

  function times(value: number, unit: number): string {
    return (value / seeds / unit).toFixed(2);
  }
}

function newSum(): Sum {
  return { exact: 0, wrong: 0, requests: 0, ms: 0, cpu: 0 };
}

/** `fault`: it did not say that this is the list. */
type Read = Pick<SimulatedWalk, 'list' | 'ids' | 'fault'>;

async function timed(read: () => Promise<Read>): Promise<Read & { cpu: number }> {
  const begun = process.cpuUsage();
  const given = await read();
  const { user, system } = process.cpuUsage(begun);
  return { ...given, cpu: (user + system) / 1000 };
}

function add(sum: Sum, { list, ids, fault, cpu }: Read & { cpu: number }): void {
  if (fault === undefined) sum[isExact({ list, ids }) ? 'exact' : 'wrong']++;
  sum.requests += list.requests;
  sum.ms += list.clock.now;
  sum.cpu += cpu;
}

/** Page by page until has_more is false; each page is asked for until `equal` answers in a row are the same. */
async function paged(options: FaultyListOptions, equal: number): Promise<Read> {
  const list = faultyList(options);
  const ids: string[] = [];
  const { signal } = new AbortController();
  await list.clock.run(
    (async () => {
      for (let pages = 0; pages < 10 * MINIMUM; pages++) {
        const after = ids.at(-1);
        const query: PageQuery = { ...(after === undefined ? {} : { after }), limit: LIMIT };
        let page = await list.page(query, signal);
        for (let same = 1, reads = 1; same < equal && reads < 20; reads++) {
          const next = await list.page(query, signal);
          same = JSON.stringify(next.rows) === JSON.stringify(page.rows) ? same + 1 : 1;
          page = next;
        }
        ids.push(...page.rows.map(({ id }) => id));
        if (page.has_more !== true || page.rows.length === 0) return;
      }
    })().catch(() => {}),
  );
  return { list, ids };
}
