// Reads a frozen walk for a bag: its files, its head and its drift. Its hash chain must be valid.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFault } from '../disk/disk-fault.ts';
import { Fault } from '../faults.ts';
import { MAX_LINE_BYTES, verifyFrozen } from '../walk/log/hash-chain.ts';
import { ROWS_FILE, SUBJECT_FILE, WINDOWS_FILE } from '../walk/log/frozen-log.ts';
import { COMPLETION_FILE } from '../walk/log/completion.ts';
import { linesOf } from '../disk/lines.ts';
import type { FrozenWindowLine } from '../contract/frozen-log.ts';
import { shellWord } from '../shell-words.ts';

/** `drift`: ratios that the service reported while the windows were frozen; null if it reported none. */
export type BaggedWalk = {
  head: string;
  windows: number;
  conversations: number;
  /** Whether the walk reached the end of the list. */
  complete: boolean;
  drift: { first: number; last: number; most: number } | null;
  /** Path of each file by its name. */
  files: Map<string, string>;
};

/**
 * Throws Fault 'integrity' for a broken chain, 'not_found' if there is no walk, 'partial' for one without windows; the reason of the
 * signal when it is aborted.
 */
export async function readFrozenWalk(dir: string, signal: AbortSignal): Promise<BaggedWalk> {
  const chain = await verifyFrozen(dir, () => signal.throwIfAborted());
  const { problems, windows, head, ids, windowsBytes, completions } = chain;
  if (problems.length > 0)
    throw new Fault('integrity', `${dir}: ${problems[0]!.what}`, {
      hint: `arx conversations verify ${shellWord(dir)}`,
    });
  if (windows === 0) throw new Fault('partial', `the frozen walk in ${dir} has no window`);
  const ratios: number[] = [];
  try {
    const log = await open(join(dir, WINDOWS_FILE), 'r');
    try {
      for await (const line of linesOf(log, windowsBytes, MAX_LINE_BYTES)) {
        const { drift_ratio } = JSON.parse(line.toString('utf8')) as FrozenWindowLine;
        if (drift_ratio !== null) ratios.push(drift_ratio);
      }
    } finally {
      await log.close();
    }
  } catch (error) {
    throw diskFault(error, dir);
  }
  const names = [WINDOWS_FILE, ROWS_FILE, SUBJECT_FILE];
  if (completions.length > 0) names.push(COMPLETION_FILE);
  return {
    head,
    windows,
    conversations: ids.length,
    complete: completions.some((recorded) => recorded.head === head),
    drift:
      ratios.length === 0
        ? null
        : {
            first: ratios[0]!,
            last: ratios.at(-1)!,
            most: ratios.reduce((most, ratio) => Math.max(most, ratio)),
          },
    files: new Map(names.map((name) => [name, join(dir, name)])),
  };
}
