// Measures walks over lying lists in virtual time, beside a naive loop and "re-read until equal twice"; bundled by walk.mjs.
import type { PageQuery } from '../../src/walk/source.ts';
import { LIES } from '../support/lie.ts';
import { lyingList, type LyingList, type LyingOptions } from '../support/lying-list.ts';
import { isExact, simulate } from '../support/simulate.ts';

const SIZE = 2000;
const LIMIT = 100;
const MINIMUM = SIZE / LIMIT;
const NAIVE_MS = MINIMUM * 50;
const DRIFT = 0.21;

/** Name, list, goal for requests and for wall. */
type Case = [string, Partial<LyingOptions>, string, string];

const CASES: Case[] = [
  ['no drift', {}, '2.3', '1.15'],
  ['no drift, dense', { positions: 'dense' }, '1.15', '1.15'],
  ['random', { drift: DRIFT }, '3.1', '1.3'],
  ['correlated with the request', { drift: DRIFT, correlation: 'key' }, '3.1', '1.3'],
  ['sticky', { drift: DRIFT, correlation: 'sticky' }, '3.1', '1.3'],
  ['bursts', { drift: DRIFT, correlation: 'burst' }, '3.1', '1.3'],
  ['random, sparse', { drift: DRIFT, positions: 'sparse' }, '3.1', '1.3'],
  ['random, dense', { drift: DRIFT, positions: 'dense' }, '1.6', '1.25'],
  ['correlated, dense', { drift: DRIFT, positions: 'dense', correlation: 'key' }, '1.6', '1.25'],
  ...LIES.map((lie): Case => [`only ${lie}`, { drift: DRIFT, lies: [lie] }, '4.2', '1.4']),
  ['all, transport faults', { drift: DRIFT, transport: 0.05 }, '3.4', '1.4'],
  ['all, transport faults, dense', { drift: DRIFT, transport: 0.05, positions: 'dense' }, '1.8', '1.4'],
  ['colluding stale', { drift: DRIFT, correlation: 'collude' }, '8', '2'],
  ['appends', { drift: DRIFT, writes: { kind: 'append', count: 10, every: 4 } }, '3.1', '1.3'],
  ['inserts', { drift: DRIFT, writes: { kind: 'insert', count: 5, every: 9 } }, '', ''],
  ['deletes', { drift: DRIFT, writes: { kind: 'delete', count: 5, every: 9 } }, '', ''],
  ['random, drift 0.35', { drift: 0.35 }, '', ''],
];

export async function measureWalks(seeds: number, first: number): Promise<Record<string, string>[]> {
  const rows: Record<string, string>[] = [];
  for (const [name, lying, requestsGoal, wallGoal] of CASES) {
    const sums = { exact: 0, wrong: 0, requests: 0, ms: 0, cpu: 0 };
    const naive = { exact: 0, requests: 0 };
    const twice = { exact: 0, requests: 0, ms: 0 };
    for (let seed = first; seed < first + seeds; seed++) {
      const options = { size: SIZE, seed, ...lying };
      const begun = performance.now();
      const walked = await simulate(options);
      sums.cpu += performance.now() - begun;
      const exact = isExact(walked);
      if (walked.fault === undefined) sums[exact ? 'exact' : 'wrong']++;
      sums.requests += walked.requests;
      sums.ms += walked.ms;
      const once = await paged(options, 1);
      if (isExact(once)) naive.exact++;
      naive.requests += once.list.requests;
      const again = await paged(options, 2);
      if (isExact(again)) twice.exact++;
      twice.requests += again.list.requests;
      twice.ms += again.list.clock.now;
    }
    const times = (value: number, unit: number) => (value / seeds / unit).toFixed(2);
    rows.push({
      case: name,
      exact: `${sums.exact}/${seeds}`,
      'wrong called complete': String(sums.wrong),
      requests: times(sums.requests, MINIMUM),
      goal: requestsGoal && `≤ ${requestsGoal}`,
      wall: times(sums.ms, NAIVE_MS),
      'goal ': wallGoal && `≤ ${wallGoal}`,
      'ms with the list': (sums.cpu / seeds).toFixed(0),
      'naive loop': `${naive.exact}/${seeds}, ${times(naive.requests, MINIMUM)}`,
      'equal twice': `${twice.exact}/${seeds}, ${times(twice.requests, MINIMUM)}, wall ${times(twice.ms, NAIVE_MS)}`,
    });
  }
  return rows;
}

/** Page by page until has_more is false; each page is asked for until `equal` answers in a row are the same. */
async function paged(options: LyingOptions, equal: number): Promise<{ list: LyingList; ids: string[] }> {
  const list = lyingList(options);
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
