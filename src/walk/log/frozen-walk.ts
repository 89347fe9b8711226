// Reads the folder of a frozen walk: its log, what was walked, whether to the end, and which rows are unresolved.
import { join } from 'node:path';
import { FrozenWalkSubject } from '../../contract/frozen-log.ts';
import { parseJsonBytes } from '../../contract/json-text.ts';
import type { FrozenWalk } from '../../contract/reports/walk.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { readBytesIfExists } from '../../disk/regular-file.ts';
import { Fault } from '../../faults.ts';
import { MAX_SUBJECT_BYTES, SUBJECT_FILE } from './frozen-log.ts';
import { noFrozenWalk, verifyFrozen, type FrozenChain, type WindowVisitor } from './hash-chain.ts';
import { readUnresolvedRows } from './unresolved-rows.ts';
import { shellWord } from '../../shell-words.ts';

/**
 * Returns what the folder `path` says about its walk, and the ids of its rows. `dir`: its name in the report and in
 * messages. `visit` is called with each window. Throws Fault `not_found` when there is no frozen walk, `integrity` when
 * the chain is broken or a file is damaged, `unsafe` or `disk` when a file cannot be read.
 */
export async function readFrozenWalk(
  dir: string,
  path: string,
  visit: WindowVisitor,
): Promise<{ walk: FrozenWalk; ids: string[] }> {
  const chain = await verifyFrozen(path, visit);
  const [problem] = chain.problems;
  if (problem !== undefined)
    throw new Fault('integrity', `${dir}: ${problem.what}`, {
      hint: `arx conversations verify ${shellWord(dir)}`,
    });
  return { walk: await describeFrozenWalk(dir, path, chain), ids: chain.ids };
}

/** Returns what the folder says about a walk whose chain is valid. Throws as {@link readFrozenWalk} does. */
export async function describeFrozenWalk(dir: string, path: string, chain: FrozenChain): Promise<FrozenWalk> {
  const { windows, head, completions, ids, torn } = chain;
  const subject = await readSubject(path);
  const lastHead = windows === 0 ? null : head;
  // A walk that was continued and did not reach the end again has a completion for an earlier head only.
  const completion = completions.findLast((recorded) => recorded.head === lastHead);
  const unresolved = await readUnresolvedRows(path);
  return {
    dir,
    base_url: subject.base_url,
    list: subject.list ?? 'conversations',
    tier: subject.tier ?? null,
    after: subject.after,
    before: subject.before,
    head: lastHead,
    windows,
    conversations: ids.length,
    complete: completion !== undefined,
    finished_at: completion?.finished_at ?? null,
    confidence: completion?.confidence ?? null,
    // A walk that reached the end has asked for every unresolved row: its own late rows are all that is left.
    late: completion?.late ?? [...new Set(unresolved.late)],
    unplaced: completion === undefined ? [...new Set(unresolved.unplaced)] : [],
    torn,
  };
}

async function readSubject(path: string): Promise<FrozenWalkSubject> {
  const file = join(path, SUBJECT_FILE);
  const bytes = await readBytesIfExists(file, MAX_SUBJECT_BYTES).catch((error: unknown) => {
    throw diskFault(error, file);
  });
  if (bytes === undefined) throw noFrozenWalk(path, `: ${SUBJECT_FILE} is missing`);
  const subject = FrozenWalkSubject.safeParse(parseJsonBytes(bytes));
  if (!subject.success) throw new Fault('integrity', `${file} is damaged`);
  return subject.data;
}
