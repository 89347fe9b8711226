// Small walks drawn by number over lists that lie in every way, and what each of them must keep.
import { isDeepStrictEqual } from 'node:util';
import { WalkReport } from '../../src/contract/reports/walk.ts';
import type { CrossCheckMode } from '../../src/walk/decide/confirmation.ts';
import { FAULT_NAMES } from './faulty-page.ts';
import type { Correlation, FaultyListOptions } from './faulty-list.ts';
import { randomFrom } from './random.ts';
import { isExact, simulateWalk } from './simulated-walk.ts';

const CORRELATIONS: Correlation[] = ['each', 'key', 'sticky', 'burst'];

export type SampledWalk = { list: FaultyListOptions; limit: number; crossCheck: CrossCheckMode };

/** A list and a limit drawn by number: every kind of lie alone and together, every correlation, writes, broken lines. */
export function sampleWalk(number: number): SampledWalk {
  const random = randomFrom(`walk ${number}`);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const writes = pick(['append', 'insert', 'delete'] as const);
  const size = pick([0, 1, 2, 7, 20, 39, 40, 41, 60, 90]);
  const lying: FaultyListOptions = {
    seed: number,
    size,
    drift: pick([0, 0.05, 0.13, 0.21, 0.21, 0.35]),
    faults: random() < 0.5 ? FAULT_NAMES : [pick(FAULT_NAMES)],
    // A walk of a handful of reads may lie in one burst as a whole: nothing recovers that.
    correlation: pick(size < 20 ? CORRELATIONS.slice(0, 3) : CORRELATIONS),
    positions: pick(['none', 'none', 'dense', 'sparse'] as const),
    transport: pick([0, 0, 0.05]),
    ...(random() < 0.2 ? { writes: { kind: writes, count: 3, every: 5 } } : {}),
  };
  const limit = pick([8, 20, 40, 100]);
  // Half of the walks have a second witness, which may lie as often as the pages do.
  const witness = pick([undefined, undefined, 'honest', 'lying'] as const);
  if (witness !== undefined) lying.crossCheck = witness;
  return { list: lying, limit, crossCheck: pick(['boundary', 'full']) };
}

/** Whether the walk of this number is called complete; `problem` says which promise it broke. */
export async function checkSampledWalk(number: number): Promise<{ complete: boolean; problem?: string }> {
  const { list: lying, ...options } = sampleWalk(number);
  const walked = await simulateWalk(lying, options);
  const { list, ids, fault, report } = walked;
  const complete = fault === undefined;
  const broken = Object.entries({
    'a row is given twice': new Set(ids).size < ids.length,
    'a row is given that never was': !ids.every((id) => list.ever.has(id)),
    'a request was made twice': new Set(list.keys).size < list.keys.length,
    'the report has another shape': !isDeepStrictEqual(WalkReport.safeParse(report).data, report),
    'a wrong list is called complete': complete && !isExact(walked, true),
    'it fails for no reason of its own': !complete && !['unstable', 'protocol', 'busy'].includes(fault.kind),
  }).find(([, is]) => is);
  if (broken === undefined) return { complete };
  const about = JSON.stringify({ lying, ...options, fault: fault?.message });
  return { complete, problem: `walk ${number}: ${broken[0]}: ${about}` };
}
