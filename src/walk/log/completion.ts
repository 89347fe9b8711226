// The word of a walk that it reached its end, bound to the head of its chain: without it a log may be a part of the list.
import { join } from 'node:path';
import * as z from 'zod';
import { Sha256 } from '../../contract/scalars.ts';
import { appendLine, readJsonLines } from './ndjson-file.ts';

export const COMPLETION_FILE = 'complete.ndjson';

/** `head` is null where the list was empty; `late` rows were seen among frozen ones and are in no window. */
export const Completion = z.object({
  head: Sha256.nullable(),
  finished_at: z.string(),
  late: z.array(z.string()),
});
export type Completion = z.infer<typeof Completion>;

/** Keeps, durably, that the walk in `dir` was complete with this head. Throws Fault `disk` or `unsafe`. */
export async function recordCompletion(dir: string, end: Completion): Promise<void> {
  await appendLine(join(dir, COMPLETION_FILE), end);
}

/**
 * Every end that was recorded: a walk that went on has several, and its chain the heads of all. None where the walk did
 * not reach its end, or is older than this record. Throws Fault `integrity` for a damaged file.
 */
export async function readCompletions(dir: string): Promise<Completion[]> {
  return readJsonLines(join(dir, COMPLETION_FILE), Completion);
}
