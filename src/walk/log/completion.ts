// The word of a walk that it reached its end, bound to the head of its chain: without it a log may be a part of the list.
import { join } from 'node:path';
import * as z from 'zod';
import { Sha256 } from '../../contract/scalars.ts';
import { addLine, readLines } from './ndjson-file.ts';

export const END_FILE = 'complete.ndjson';

/** `head` is null where the list was empty; `late` rows were seen among frozen ones and are in no window. */
export const End = z.object({
  head: Sha256.nullable(),
  finished_at: z.string(),
  late: z.array(z.string()),
});
export type End = z.infer<typeof End>;

/** Keeps, durably, that the walk in `dir` was complete with this head. Throws Fault `disk` or `unsafe`. */
export async function addEnd(dir: string, end: End): Promise<void> {
  await addLine(join(dir, END_FILE), end);
}

/**
 * Every end that was recorded: a walk that went on has several, and its chain the heads of all. None where the walk did
 * not reach its end, or is older than this record. Throws Fault `integrity` for a damaged file.
 */
export async function readEnds(dir: string): Promise<End[]> {
  return readLines(join(dir, END_FILE), End);
}
