// `arx conversations diff A B`: what was added, moved, lost and changed between two frozen walks, offline.
import { hash } from 'node:crypto';
import { resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { DiffReport, FrozenWalk } from '../../contract/reports/walk.ts';
import { Fault } from '../../faults.ts';
import { formatCount, plural } from '../../format/numbers.ts';
import { changesOf, changeView, diffLines } from '../../format/views/index.ts';
import { compareWalks, type WalkedList } from '../../walk/log/difference.ts';
import { readFrozenWalk } from '../../walk/log/frozen-walk.ts';

export const Input = z.object({ a: z.string().min(1), b: z.string().min(1) });

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const [a, b] = await Promise.allSettled([walked(input.a, app), walked(input.b, app)]);
  if (a.status === 'rejected') {
    // Of two broken logs each is named.
    if (b.status === 'rejected' && b.reason instanceof Fault) app.addFault(b.reason);
    throw a.reason;
  }
  if (b.status === 'rejected') throw b.reason;
  const report = compareWalks(a.value, b.value);
  for (const remark of remarks(report)) app.notice(remark);
  await print(report, app);
  judge(report, app);
}

async function walked(dir: string, app: App): Promise<WalkedList> {
  const hashes: Buffer[] = [];
  const { walk, ids } = await readFrozenWalk(dir, resolve(app.world.cwd, dir), (_, rows) => {
    app.world.signal.throwIfAborted();
    hashes.push(Buffer.concat(rows.map((row) => hash('sha256', row, 'buffer'))));
  });
  return { walk, ids, hashes: Buffer.concat(hashes) };
}

function remarks({ a, b }: DiffReport): string[] {
  const range = ({ after, before }: FrozenWalk) =>
    `after ${after ?? 'the start'}, before ${before ?? 'the end'}`;
  return [
    ...(a.base_url === b.base_url ? [] : [`walks of different archives: ${a.base_url} and ${b.base_url}`]),
    ...(a.list === b.list ? [] : [`walks of different lists: ${a.list} and ${b.list}`]),
    ...(range(a) === range(b) ? [] : [`walks of different ranges: ${range(a)}, and ${range(b)}`]),
    ...[a, b].flatMap(({ dir, torn, complete }) => [
      ...(torn ? [`${dir}: the last line is torn, as a killed walk leaves it`] : []),
      ...(complete ? [] : [`${dir}: nothing says that this walk reached its end`]),
    ]),
  ];
}

async function print(report: DiffReport, app: App): Promise<void> {
  const { output } = app.printer;
  if (output !== 'tsv' && output !== 'ndjson')
    return app.printer.report(report, () => diffLines(report, app.screen));
  await app.printer.list(changeView, { rows: changesOf(report), summary: () => ({ same: report.same }) });
}

function judge({ a, b, added, moved, lost, changed, unknown }: DiffReport, app: App): void {
  if (unknown.length > 0) {
    const short = unknown.find(({ reason }) => reason === 'not_reached');
    const unfinished = short?.side === 'a' ? b : a;
    app.addFault(
      new Fault(
        'partial',
        `${plural(unknown.length, 'row')} of one walk may be in the other list all the same`,
        short === undefined ? {} : { hint: `walk on to the end of ${unfinished.dir}, with --resume` },
      ),
    );
  }
  if (!app.strict) return;
  const counts = Object.entries({ added, moved, lost, changed }).filter(([, rows]) => rows.length > 0);
  if (counts.length > 0)
    app.addFault(
      new Fault(
        'partial',
        `the walks differ: ${counts.map(([name, rows]) => `${formatCount(rows.length)} ${name}`).join(', ')}`,
      ),
    );
  for (const { dir, complete } of [a, b])
    if (!complete) app.addFault(new Fault('partial', `${dir}: nothing says that this walk reached its end`));
}
