// complete.ndjson: the record that a walk reached the end of the list, bound to the hash of its last window.
import { join } from 'node:path';
import { FrozenWalkCompletion } from '../../contract/frozen-log.ts';
import { appendLine, readJsonLines } from './ndjson-file.ts';

/** Name of the file in the folder of a frozen walk. */
export const COMPLETION_FILE = 'complete.ndjson';

/** Records, durably, that the walk in `dir` reached the end of the list. Throws Fault `disk` or `unsafe`. */
export async function recordCompletion(dir: string, completion: FrozenWalkCompletion): Promise<void> {
  await appendLine(join(dir, COMPLETION_FILE), completion);
}

/**
 * Returns all recorded completions, oldest first. There is none when the walk did not reach the end, or when the log is
 * older than this file. Throws Fault `integrity` when the file is damaged.
 */
export async function readCompletions(dir: string): Promise<FrozenWalkCompletion[]> {
  return readJsonLines(join(dir, COMPLETION_FILE), FrozenWalkCompletion);
}
