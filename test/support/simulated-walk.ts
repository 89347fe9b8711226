// One walk over a faulty list in virtual time: its rows, its cost, and whether the rows are right.
import type { WalkReport } from '../../src/contract/reports/walk.ts';
import type { Fault } from '../../src/faults.ts';
import type { WalkOptions } from '../../src/walk/options.ts';
import { walk } from '../../src/walk/walk.ts';
import { faultyList, type FaultyList, type FaultyListOptions, type Row } from './faulty-list.ts';

export type SimulatedWalk = {
  list: FaultyList;
  ids: string[];
  report: WalkReport;
  fault?: Fault;
  /** Requests, failed ones included, and virtual milliseconds. */
  requests: number;
  ms: number;
};

/** Walks a new faulty list to the end. */
export async function simulateWalk(
  listOptions: FaultyListOptions,
  options: Partial<WalkOptions<Row>> = {},
): Promise<SimulatedWalk> {
  const list = faultyList(listOptions);
  const ids: string[] = [];
  const signal = new AbortController().signal;
  const steps = walk(list, { limit: 100, crossCheck: 'off', signal, ...options });
  const outcome = await list.clock.run(
    (async () => {
      for (;;) {
        const step = await steps.next();
        if (step.done === true) return step.value;
        ids.push(...step.value.rows.map(({ id }) => id));
      }
    })(),
  );
  return { list, ids, ...outcome, requests: list.requests, ms: list.clock.now };
}

/**
 * Returns whether the ids are the list at some moment of the walk: every row that was there throughout, in order and once,
 * and no row that never was. Appended rows must be there; with `open` the last of them may be missing, since they may have
 * come after the end was read.
 */
export function isExact({ list, ids }: { list: FaultyList; ids: readonly string[] }, open = false): boolean {
  const given = new Set(ids);
  if (given.size !== ids.length || ids.some((id) => !list.ever.has(id))) return false;
  const from = open
    ? list.ids.findLastIndex((id) => given.has(id) || !id.startsWith('new')) + 1
    : list.ids.length;
  if (list.ids.slice(0, from).some((id) => !given.has(id) && !list.inserted.has(id))) return false;
  const rank = new Map(list.ids.map((id, index) => [id, index]));
  const known = ids.flatMap((id) => rank.get(id) ?? []);
  return known.every((at, index) => index === 0 || known[index - 1]! < at);
}
