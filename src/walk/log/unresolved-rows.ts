// What earlier runs of a frozen walk saw and did not give out; a resumed run must not forget it.
import { join } from 'node:path';
import * as z from 'zod';
import { Fault } from '../../faults.ts';
import { appendLine, readJsonLines } from './ndjson-file.ts';
import type { Identified, Source } from '../source.ts';

export const UNRESOLVED_FILE = 'doubts.ndjson';

/** `unplaced` rows were seen and never found a place; `late` ones surfaced among rows that were frozen. */
export const UnresolvedRows = z.object({ unplaced: z.array(z.string()), late: z.array(z.string()) });
export type UnresolvedRows = z.infer<typeof UnresolvedRows>;

/** The doubts of all earlier runs in a folder; none where there is no file. Throws Fault `integrity` for a damaged one. */
export async function readUnresolvedRows(dir: string): Promise<UnresolvedRows> {
  const lines = await readJsonLines(join(dir, UNRESOLVED_FILE), UnresolvedRows);
  return {
    unplaced: lines.flatMap(({ unplaced }) => unplaced),
    late: lines.flatMap(({ late }) => late),
  };
}

/** Keeps the doubts of this run, durably. Throws Fault `disk` or `unsafe`. */
export async function addUnresolvedRows(dir: string, doubts: UnresolvedRows): Promise<void> {
  if (doubts.unplaced.length + doubts.late.length > 0) await appendLine(join(dir, UNRESOLVED_FILE), doubts);
}

/** Those of the rows that the list still has: a row that is gone leaves no doubt (404 as a cursor, interface 4.7). */
export async function findExisting<Row extends Identified>(
  source: Source<Row>,
  ids: Iterable<string>,
  signal: AbortSignal,
): Promise<string[]> {
  const there: string[] = [];
  for (const id of new Set(ids)) {
    try {
      await source.page({ after: id, limit: 1 }, signal);
      there.push(id);
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'not_found') throw error;
    }
  }
  return there;
}
