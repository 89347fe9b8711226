// The folder of a frozen walk as a whole: a chain that holds, what was walked, whether to its end, and what was in doubt.
import { join } from 'node:path';
import * as z from 'zod';
import type { FrozenWalk } from '../../contract/reports/walk.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { Fault } from '../../faults.ts';
import { readUnresolvedRows } from './unresolved-rows.ts';
import { verifyFrozen, type FrozenChain, type WindowVisitor } from './hash-chain.ts';
import { SUBJECT_FILE } from './frozen-log.ts';
import { readTextIfExists } from './regular-file.ts';

const Subject = z.object({
  base_url: z.string(),
  list: z.string().default('conversations'),
  after: z.string().nullable(),
  before: z.string().nullable(),
});

/**
 * Reads the folder `path`, called `dir` in the report and in what goes wrong; `visit` is told of each window on the way.
 * Throws Fault `not_found` where there is no frozen walk, `integrity` with the window where the chain does not hold or a
 * file is damaged, `unsafe` or `disk` where one cannot be read.
 */
export async function readFrozenWalk(
  dir: string,
  path: string,
  visit: WindowVisitor,
): Promise<{ walk: FrozenWalk; ids: string[] }> {
  const chain = await verifyFrozen(path, visit);
  const [problem] = chain.problems;
  if (problem !== undefined)
    throw new Fault('integrity', `${dir}: ${problem.what}`, { hint: `arx conversations verify ${dir}` });
  return { walk: await describeFrozenWalk(dir, path, chain), ids: chain.ids };
}

/** What the folder says besides a chain that holds. Throws as {@link readFrozenWalk} does. */
export async function describeFrozenWalk(dir: string, path: string, chain: FrozenChain): Promise<FrozenWalk> {
  const { windows, head, completions: ends, ids, torn } = chain;
  const subject = await readSubject(path);
  const chained = windows === 0 ? null : head;
  // Of a walk that went on and did not reach its end again, what was recorded before speaks of another head.
  const end = ends.findLast((recorded) => recorded.head === chained);
  const doubts = await readUnresolvedRows(path);
  return {
    dir,
    ...subject,
    head: chained,
    windows,
    conversations: ids.length,
    complete: end !== undefined,
    finished_at: end?.finished_at ?? null,
    // A walk that reached its end has asked for every row in doubt: what it names late is all that is left.
    late: end?.late ?? [...new Set(doubts.late)],
    unplaced: end === undefined ? [...new Set(doubts.unplaced)] : [],
    torn,
  };
}

async function readSubject(path: string): Promise<z.infer<typeof Subject>> {
  const file = join(path, SUBJECT_FILE);
  const text = await readTextIfExists(file).catch((error: unknown) => {
    throw diskFault(error, file);
  });
  if (text === undefined)
    throw new Fault('not_found', `no frozen walk in ${path}: ${SUBJECT_FILE} is missing`);
  const subject = Subject.safeParse(parse(text));
  if (!subject.success) throw new Fault('integrity', `${file} is damaged`);
  return subject.data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
