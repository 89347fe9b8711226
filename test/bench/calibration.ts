// Walks of judged lists for calibration.mjs, which calls it in processes of their own: one record each, and the log of one walk.
import type { JudgedCase } from '../support/judged-case.ts';
import { judgeWalk, type JudgedWalk } from '../support/judged-walk.ts';
import { whatFooled } from '../support/judged-reason.ts';

/** One walk, as calibration.mjs counts it. */
export type WalkRecord = Pick<
  JudgedCase,
  | 'seed'
  | 'kind'
  | 'positions'
  | 'timing'
  | 'placement'
  | 'drift'
  | 'size'
  | 'limit'
  | 'directions'
  | 'hasMore'
  | 'epsilon'
  | 'recoverable'
> &
  Pick<JudgedWalk, 'result' | 'confidence' | 'requests' | 'pages' | 'fault' | 'message'> & {
    writes: string;
    stale: string;
    source: string;
    range: string;
    ms: number;
    reason?: string;
  };

/** Walks the lists of the seeds from `first` to `end`, without `end`. */
export async function judgeWalks(first: number, end: number): Promise<WalkRecord[]> {
  const records: WalkRecord[] = [];
  for (let seed = first; seed < end; seed++) {
    const begun = process.cpuUsage();
    const walked = await judgeWalk(seed);
    const { user, system } = process.cpuUsage(begun);
    records.push(recordOf(walked, (user + system) / 1000));
  }
  return records;
}

/** Walks the list of one seed. Returns its case, one line for each read, and how it ended. */
export async function explainWalk(seed: number): Promise<string> {
  const notes: string[] = [];
  const walked = await judgeWalk(seed, ({ number, problem }) => {
    if (problem !== undefined) notes.push(`after ${number} requests the walk noted: ${problem}`);
  });
  const { judged, list } = walked;
  const index = new Map(list.states.everDuringWalk.map((id, at) => [id, at]));
  const nameOf = (id: string): string => (index.has(id) ? `${index.get(id)}` : `dead:${id}`);
  const reads = list.answers.map(({ number, surface, query, ids, status, fault }) => {
    const cursors = [
      query.after === undefined ? '' : `after ${nameOf(query.after)}`,
      query.before === undefined ? '' : `before ${nameOf(query.before)}`,
    ];
    const asked = [surface === 'list' ? '' : surface, ...cursors, `limit ${query.limit}`].filter(Boolean);
    const shown = ids === undefined ? `${status}` : `${ids.length} rows: ${rangesOf(ids.map(nameOf))}`;
    return `${number}. ${asked.join(' ')} → ${shown}${fault === undefined ? '' : ` [${fault}]`}`;
  });
  const lines = [
    JSON.stringify(judged),
    `writes: ${JSON.stringify(list.states.writes.map(({ kind, id }) => `${kind} ${nameOf(id)}`))}`,
    ...reads,
    ...notes,
    `frozen: ${rangesOf(walked.frozen.map(nameOf))}`,
    JSON.stringify({ ...recordOf(walked, 0), problem: walked.problem }),
  ];
  return lines.join('\n');
}

function recordOf(walked: JudgedWalk, ms: number): WalkRecord {
  const { judged, result, confidence, requests, pages, fault, message } = walked;
  const { seed, kind, positions, timing, placement, drift, size, epsilon, recoverable } = judged;
  const { limit, directions, hasMore } = judged;
  const reason = whatFooled(walked);
  return {
    seed,
    kind,
    positions,
    timing,
    placement,
    drift,
    size,
    limit,
    directions,
    hasMore,
    epsilon,
    recoverable,
    result,
    confidence,
    requests,
    pages,
    ms,
    range: [judged.after === undefined ? '' : 'after', judged.before === undefined ? '' : 'before']
      .join(' ')
      .trim(),
    writes: judged.writes,
    stale: judged.faults.includes('stale') ? judged.staleness : 'no',
    source: judged.crossCheckMode === 'off' ? 'off' : judged.crossCheckSource,
    ...(fault !== undefined && { fault }),
    ...(message !== undefined && result === 'incomplete' && { message }),
    ...(reason !== undefined && { reason }),
  };
}

/** Joins names; numbers that follow each other become a range. */
function rangesOf(names: readonly string[]): string {
  const ranges: string[] = [];
  let start = 0;
  for (let at = 1; at <= names.length; at++) {
    if (at < names.length && Number(names[at]) === Number(names[at - 1]) + 1) continue;
    ranges.push(at - start > 1 ? `${names[start]}-${names[at - 1]}` : names[start]!);
    start = at;
  }
  return names.length === 0 ? 'none' : ranges.join(' ');
}
