// Small walks over faulty lists, sampled by number, and the promises that each of them must keep.
import { isDeepStrictEqual } from 'node:util';
import { WalkReport } from '../../src/contract/reports/walk.ts';
import type { CrossCheckMode } from '../../src/walk/decide/confirmation.ts';
import { FAULT_NAMES } from './faulty-page.ts';
import type { Correlation, FaultyListOptions } from './faulty-list.ts';
import { randomFrom } from './random.ts';
import { isExact, simulateWalk } from './simulated-walk.ts';

const CORRELATIONS: Correlation[] = ['each', 'key', 'sticky', 'burst'];

export type SampledWalk = { list: FaultyListOptions; limit: number; crossCheck: CrossCheckMode };

/** Returns the walk of this number: every fault alone and together, every correlation, writes, failing requests. */
export function sampleWalk(number: number): SampledWalk {
  const random = randomFrom(`walk ${number}`);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const writes = pick(['append', 'insert', 'delete'] as const);
  const size = pick([0, 1, 2, 7, 20, 39, 40, 41, 60, 90]);
  const list: FaultyListOptions = {
    seed: number,
    size,
    drift: pick([0, 0.05, 0.13, 0.21, 0.21, 0.35]),
    faults: random() < 0.5 ? FAULT_NAMES : [pick(FAULT_NAMES)],
    // One burst may hold a whole walk of a few reads, which no walk can recover from.
    correlation: pick(size < 20 ? CORRELATIONS.slice(0, 3) : CORRELATIONS),
    positions: pick(['none', 'none', 'dense', 'sparse'] as const),
    transport: pick([0, 0, 0.05]),
    ...(random() < 0.2 ? { writes: { kind: writes, count: 3, every: 5 } } : {}),
  };
  const limit = pick([8, 20, 40, 100]);
  // Half of the walks have a cross-check source, which may be as faulty as the pages.
  const source = pick([undefined, undefined, 'correct', 'faulty'] as const);
  if (source !== undefined) list.crossCheck = source;
  return { list, limit, crossCheck: pick(['boundary', 'full']) };
}

/** Returns whether the walk of this number ends complete. `problem`: the promise that it broke. */
export async function checkSampledWalk(number: number): Promise<{ complete: boolean; problem?: string }> {
  const { list: listOptions, ...options } = sampleWalk(number);
  const walked = await simulateWalk(listOptions, options);
  const { list, ids, fault, report } = walked;
  const complete = fault === undefined;
  const broken = Object.entries({
    'a row is written twice': new Set(ids).size < ids.length,
    'a row is written that never existed': !ids.every((id) => list.ever.has(id)),
    // A list that fits in one page has too few different requests.
    'a request was made twice':
      list.ever.size >= Math.max(8, options.limit) && new Set(list.keys).size < list.keys.length,
    'the report has another shape': !isDeepStrictEqual(WalkReport.safeParse(report).data, report),
    'a wrong list is called complete': complete && !isExact(walked, true),
    'it fails with a fault that no walk should have':
      !complete && !['unstable', 'protocol', 'busy'].includes(fault.kind),
  }).find(([, is]) => is);
  if (broken === undefined) return { complete };
  const about = JSON.stringify({ list: listOptions, ...options, fault: fault?.message });
  return { complete, problem: `walk ${number}: ${broken[0]}: ${about}` };
}
