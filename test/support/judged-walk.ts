// Walks the list of a judged case and judges the outcome against the true list.
import type { ReadNote, WalkOutcome } from '../../src/walk/options.ts';
import { walk } from '../../src/walk/walk.ts';
import { drawCase, type JudgedCase } from './judged-case.ts';
import { JudgedList, type JudgedListRow } from './judged-list.ts';
import type { ListStates } from './judged-states.ts';

/**
 * `exact`: complete and right. `incomplete`: the walk said so, and what it wrote is right. `wrong rows`: incomplete, and a row that it
 * wrote is wrong. `false complete`: complete, but the list is wrong or rows are late. `crash`: the walk threw an error.
 */
export type Result = 'exact' | 'incomplete' | 'wrong rows' | 'false complete' | 'crash';

/** A walk with its judgement. */
export type JudgedWalk = {
  judged: JudgedCase;
  list: JudgedList;
  range: WalkedRange;
  frozen: string[];
  result: Result;
  /** What is wrong with the list that was written. */
  problem?: string;
  /** The kind of the Fault that ended the walk, and its message. */
  fault?: string;
  message?: string;
  confidence: number;
  requests: number;
  /** Pages of the rows that are to be read, at the start. */
  pages: number;
};

/** A walk gives up long before: this bounds a walk that does not end. */
const MAX_REQUESTS_PER_PAGE = 60;
const MIN_REQUEST_BOUND = 1000;

/** Walks the list of a seed. */
export async function judgeWalk(seed: number, log?: (note: ReadNote) => void): Promise<JudgedWalk> {
  const judged = drawCase(seed);
  const list = new JudgedList(judged);
  const after = judged.after === undefined ? undefined : list.states.first[judged.after];
  const before = judged.before === undefined ? undefined : list.states.first[judged.before];
  const rows = (judged.before ?? judged.size) - (judged.after ?? -1) - 1;
  const pages = Math.max(1, Math.ceil(rows / judged.limit));
  const windows = walk<JudgedListRow>(list, {
    limit: judged.limit,
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
    crossCheck: judged.crossCheckMode,
    concurrency: judged.concurrency,
    epsilon: judged.epsilon,
    maxRequests: MIN_REQUEST_BOUND + MAX_REQUESTS_PER_PAGE * pages,
    signal: new AbortController().signal,
    ...(log && { log }),
  });
  const frozen: string[] = [];
  const walked = { judged, list, range: { after, before }, frozen, pages };
  try {
    for (;;) {
      const step = await windows.next();
      if (!step.done) frozen.push(...step.value.rows.map(({ id }) => id));
      else return { ...walked, ...judgementOf(list, frozen, walked.range, step.value) };
    }
  } catch (error) {
    const requests = list.answers.length;
    return {
      ...walked,
      result: 'crash',
      problem: `the walk threw ${String(error)}`,
      confidence: 0,
      requests,
    };
  }
}

/** Judges a walk that ended. */
function judgementOf(
  list: JudgedList,
  frozen: readonly string[],
  range: WalkedRange,
  { report, fault }: WalkOutcome,
): Pick<JudgedWalk, 'result' | 'problem' | 'confidence' | 'requests' | 'fault' | 'message'> {
  const isComplete = report.verdict === 'complete' && fault === undefined;
  const problem =
    problemOf(list.states, frozen, isComplete, range) ??
    (isComplete ? lateProblem(list, report.late) : undefined);
  const results: [Result, Result] = isComplete ? ['exact', 'false complete'] : ['incomplete', 'wrong rows'];
  return {
    result: results[problem === undefined ? 0 : 1],
    confidence: report.confidence,
    requests: report.requests,
    ...(problem !== undefined && { problem }),
    ...(fault && { fault: fault.kind, message: fault.message }),
  };
}

/** Ids of the rows between which a walk reads. */
type WalkedRange = { after?: string | undefined; before?: string | undefined };

/** Returns the ids of all rows that were between these ends at some moment of the walk, in order. */
export function rowsInRange(states: ListStates, { after, before }: WalkedRange): string[] {
  const ever = states.everDuringWalk;
  const end = before === undefined ? ever.length : ever.indexOf(before);
  return ever.slice(after === undefined ? 0 : ever.indexOf(after) + 1, end);
}

/**
 * Returns what is wrong with the rows of a walk; undefined when they are right. Without writes they are the list. Rows that
 * were written during the walk may be there or not; every other row is there, in order. Appended rows are there up
 * to some moment. Of an incomplete walk, the same holds up to its last row.
 */
export function problemOf(
  states: ListStates,
  frozen: readonly string[],
  isComplete: boolean,
  range: WalkedRange,
): string | undefined {
  const ever = rowsInRange(states, range);
  const indexes = new Map(ever.map((id, index) => [id, index]));
  const written = new Map(states.writes.map(({ id, kind }) => [id, kind]));
  let expected = 0;
  let missingAppend: number | undefined;
  /** Returns the index of a row that must stand before the one at `end`. */
  const missingBefore = (end: number): number | undefined => {
    for (; expected < end; expected++) {
      const kind = written.get(ever[expected]!);
      if (kind === undefined) return expected;
      if (kind === 'append') missingAppend ??= expected;
    }
    return undefined;
  };
  const places = new Set(frozen);
  const seen = new Set<string>();
  for (const id of frozen) {
    const index = indexes.get(id);
    if (index === undefined)
      return `${states.isAlive(id) ? 'outside' : 'dead'} row ${id} is written after row ${expected - 1}`;
    if (seen.has(id)) return `row ${index} is written twice`;
    if (index < expected) return `row ${index} is written after row ${expected - 1}`;
    const missing = missingBefore(index) ?? missingAppend;
    if (missing !== undefined)
      return places.has(ever[missing]!)
        ? `row ${index} is written before row ${missing}`
        : `row ${missing} is missing`;
    seen.add(id);
    expected = index + 1;
  }
  const missing = isComplete ? missingBefore(ever.length) : undefined;
  return missing === undefined ? undefined : `row ${missing} is missing`;
}

/** Rows inserted during the walk may be late; no other row may. */
function lateProblem({ states }: JudgedList, late: readonly string[]): string | undefined {
  const inserted = new Set(states.writes.map(({ id }) => id));
  const missed = late.find((id) => !inserted.has(id));
  if (missed === undefined) return undefined;
  return `${states.isAlive(missed) ? 'row' : 'dead row'} ${missed} is late, and the list is right`;
}
