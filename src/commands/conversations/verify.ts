// `arx conversations verify DIR`: verifies the hash chain, the rows and the other files of a frozen walk, offline.
import { resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import { Fault } from '../../faults.ts';
import type { FrozenWalk } from '../../contract/reports/walk.ts';
import { UTC_INSTANTS, zonedInstant, type InstantStyle } from '../../format/instants.ts';
import { formatCount, plural } from '../../format/numbers.ts';
import { verifyFrozen } from '../../walk/log/hash-chain.ts';
import { describeFrozenWalk } from '../../walk/log/frozen-walk.ts';
import { failUnavailable } from '../shared/unavailable.ts';
import { unfinishedWalkFault } from '../walk/unfinished-walk.ts';

export const Input = z.object({ dir: z.string().min(1) });

const TORN_LINE = 'the last line is torn, as a killed walk leaves it; --resume removes it';
const ROWS_WITHOUT_LINE =
  'rows follow the last window, and their line is missing, as a killed walk leaves it; --resume removes them';

export async function run({ dir }: z.infer<typeof Input>, app: App): Promise<void> {
  const path = resolve(app.world.cwd, dir);
  let withheld = 0;
  const chain = await verifyFrozen(path, (_, rows) => {
    app.world.signal.throwIfAborted();
    withheld += rows.filter(({ isWithheld }) => isWithheld).length;
  });
  const { windows, head, ids, torn, hasTornLine, problems } = chain;
  const walk = problems.length === 0 ? await describeFrozenWalk(dir, path, chain) : undefined;
  const noun = walk?.list === 'conversations' ? 'conversation' : 'row';
  const report = {
    version: 1,
    verdict: problems.length === 0 ? 'valid' : 'broken',
    base_url: walk?.base_url ?? null,
    list: walk?.list ?? null,
    complete: walk?.complete ?? null,
    finished_at: walk?.finished_at ?? null,
    confidence: walk?.confidence ?? null,
    windows,
    conversations: ids.length,
    withheld,
    head: windows === 0 ? null : head,
    torn,
    problems,
  };
  await app.printer.report(report, ({ instants = UTC_INSTANTS }) => [
    [
      windows === 0 && problems.length === 0
        ? { text: 'empty', style: 'warn' }
        : { text: report.verdict, style: problems.length === 0 ? 'good' : 'bad' },
      problems.length === 0
        ? `, ${plural(windows, 'window')} with ${plural(ids.length, noun)}${withheldWords(withheld)}, head ${report.head ?? 'none'}`
        : ` at window ${windows + 1}: ${intactWords(windows, ids.length)}`,
    ],
    ...(walk === undefined ? [] : walkWords(walk, instants)),
    ...(torn && problems.length === 0 ? [hasTornLine ? TORN_LINE : ROWS_WITHOUT_LINE] : []),
    ...problems.map(({ what }) => what),
  ]);
  for (const { what } of problems)
    app.addFault(
      new Fault('integrity', `${dir}: ${what}`, {
        hint: 'take another copy of the folder, or walk again into a new one',
      }),
    );
  if (windows === 0 && problems.length === 0)
    app.addFault(new Fault('partial', `${dir}: the log is empty, nothing was verified`));
  else if (walk?.complete === false) app.addFault(unfinishedWalkFault(dir, app, { walk }));
  failUnavailable(app, { withheld, absent: 0, total: ids.length }, 'row');
}

const withheldWords = (count: number): string => (count === 0 ? '' : `, ${formatCount(count)} withheld`);

/** Returns what a broken log still proves: each line is hashed into the next, so all before the damage holds. */
function intactWords(windows: number, rows: number): string {
  if (windows === 0) return 'none of its rows is proved';
  return `${plural(rows, 'row')} in ${plural(windows, 'window')} before it ${rows === 1 ? 'holds' : 'hold'}`;
}

/** Returns what the folder records of the walk. It is not in the hash chain. */
function walkWords(
  { base_url, list, complete, finished_at, confidence }: FrozenWalk,
  instants: InstantStyle,
): string[] {
  const end = complete
    ? `to the end of the list, ${zonedInstant(finished_at ?? '', instants)}, confidence ${confidence ?? 'not recorded'}`
    : 'not to the end of the list, as far as the folder says';
  return [`walk of ${list} of ${base_url}`, end];
}
