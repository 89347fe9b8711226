// doubts.ndjson: rows that earlier runs of a frozen walk saw and did not write out. A resumed run must not lose them.
import { join } from 'node:path';
import { FrozenWalkUnresolved } from '../../contract/frozen-log.ts';
import { Fault } from '../../faults.ts';
import type { Identified, Source } from '../source.ts';
import { appendLine, readJsonLines } from './ndjson-file.ts';

/** Name of the file in the folder of a frozen walk. */
export const UNRESOLVED_FILE = 'doubts.ndjson';

/** Returns the unresolved rows of all earlier runs in a folder. Throws Fault `integrity` when the file is damaged. */
export async function readUnresolvedRows(dir: string): Promise<FrozenWalkUnresolved> {
  const lines = await readJsonLines(join(dir, UNRESOLVED_FILE), FrozenWalkUnresolved);
  return {
    unplaced: lines.flatMap(({ unplaced }) => unplaced),
    late: lines.flatMap(({ late }) => late),
  };
}

/** Records the unresolved rows of this run, durably, if there are any. Throws Fault `disk` or `unsafe`. */
export async function addUnresolvedRows(dir: string, rows: FrozenWalkUnresolved): Promise<void> {
  if (rows.unplaced.length + rows.late.length > 0) await appendLine(join(dir, UNRESOLVED_FILE), rows);
}

/** Returns the ids that the list still has. For others the service answers 404 when they are a cursor (interface 4.7). */
export async function findExisting<Row extends Identified>(
  source: Source<Row>,
  ids: Iterable<string>,
  signal: AbortSignal,
): Promise<string[]> {
  const existing: string[] = [];
  for (const id of new Set(ids)) {
    try {
      await source.page({ after: id, limit: 1 }, signal);
      existing.push(id);
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'not_found') throw error;
    }
  }
  return existing;
}
