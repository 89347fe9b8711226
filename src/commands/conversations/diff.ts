// `arx conversations diff A B`: what was added, moved, lost and changed between two frozen walks, offline.
import { hash } from 'node:crypto';
import { resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { DiffReport, FrozenWalk } from '../../contract/reports/walk.ts';
import { Fault } from '../../faults.ts';
import { formatCount, plural } from '../../format/numbers.ts';
import { changesOf, changeView, diffLines } from '../../format/views/index.ts';
import { ChangedFields } from '../../walk/log/changed-fields.ts';
import { compareWalks, type WalkedList } from '../../walk/log/difference.ts';
import { readFrozenWalk } from '../../walk/log/frozen-walk.ts';
import type { WindowVisitor } from '../../walk/log/hash-chain.ts';

export const Input = z.object({ a: z.string().min(1), b: z.string().min(1) });

export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const [a, b] = await Promise.allSettled([readWalk(input.a, app), readWalk(input.b, app)]);
  // Both faults are reported when both logs are broken, that of the first folder first.
  if (a.status === 'rejected' && b.status === 'rejected' && a.reason instanceof Fault) app.addFault(a.reason);
  if (b.status === 'rejected') throw b.reason;
  if (a.status === 'rejected') throw a.reason;
  const report = compareWalks(a.value, b.value);
  await nameFields(report, input, app);
  for (const notice of noticesAbout(report)) app.notice(notice);
  await print(report, app);
  countFaults(report, app);
}

async function readWalk(dir: string, app: App): Promise<WalkedList> {
  const hashes: Buffer[] = [];
  const { walk, ids } = await readRows(dir, app, (_, rows) => {
    hashes.push(Buffer.concat(rows.map(({ text }) => hash('sha256', text, 'buffer'))));
  });
  return { walk, ids, hashes: Buffer.concat(hashes) };
}

/** Adds to the changed rows of a report the fields that differ, and in which walk alone a row is withheld. Reads both walks again if there are such rows. */
async function nameFields({ changed }: DiffReport, { a, b }: z.infer<typeof Input>, app: App): Promise<void> {
  if (changed.length === 0) return;
  const reported = new Map(changed.map((row) => [row.id, row]));
  const fields = new ChangedFields();
  const withheldInA = new Set<string>();
  await readRows(a, app, (_, rows) => {
    for (const { id, text, isWithheld } of rows)
      if (reported.has(id)) {
        fields.add(id, text);
        if (isWithheld) withheldInA.add(id);
      }
  });
  await readRows(b, app, (_, rows) => {
    for (const { id, text, isWithheld } of rows) {
      const row = reported.get(id);
      if (row === undefined) continue;
      row.fields = fields.compare(id, text);
      if (isWithheld !== withheldInA.has(id)) row.withheld = isWithheld ? 'b' : 'a';
    }
  });
}

function readRows(dir: string, { world }: App, visit: WindowVisitor): ReturnType<typeof readFrozenWalk> {
  return readFrozenWalk(dir, resolve(world.cwd, dir), (line, rows) => {
    world.signal.throwIfAborted();
    visit(line, rows);
  });
}

function noticesAbout({ a, b, changed }: DiffReport): string[] {
  const range = ({ after, before }: FrozenWalk) =>
    `after ${after ?? 'the start'}, before ${before ?? 'the end'}`;
  return [
    ...(a.base_url === b.base_url ? [] : [`walks of different archives: ${a.base_url} and ${b.base_url}`]),
    ...(a.list === b.list ? [] : [`walks of different lists: ${a.list} and ${b.list}`]),
    ...(a.tier === null || b.tier === null || a.tier === b.tier
      ? []
      : [`walks at different tiers: ${a.tier} and ${b.tier}`]),
    ...(['a', 'b'] as const).flatMap((side) => {
      const count = changed.filter(({ withheld }) => withheld === side).length;
      const { dir } = side === 'a' ? a : b;
      return count === 0
        ? []
        : [`withheld in ${dir} alone: ${formatCount(count)} of ${plural(changed.length, 'changed row')}`];
    }),
    ...(range(a) === range(b) ? [] : [`walks of different ranges: ${range(a)}, and ${range(b)}`]),
    ...[a, b].flatMap(({ dir, torn, complete }) => [
      ...(torn ? [`${dir}: the log ends with an unfinished window, as a killed walk leaves it`] : []),
      ...(complete ? [] : [`${dir}: this walk has no record that it reached the end`]),
    ]),
  ];
}

async function print(report: DiffReport, app: App): Promise<void> {
  if (!app.printer.isOneRowPerLine) return app.printer.report(report, (canvas) => diffLines(report, canvas));
  await app.printer.list(changeView, { rows: changesOf(report), summary: () => ({ same: report.same }) });
  // Without rows these forms would say nothing.
  if (changesOf(report).next().done === true)
    app.notice(`no difference, ${formatCount(report.same)} the same`);
}

/** Counts a fault for rows that one walk cannot tell about, and under `--strict` for each difference. */
function countFaults({ a, b, added, moved, lost, changed, unknown }: DiffReport, app: App): void {
  if (unknown.length > 0) {
    const notReached = unknown.find(({ reason }) => reason === 'not_reached');
    const unfinished = notReached?.side === 'a' ? b : a;
    app.addFault(
      new Fault(
        'partial',
        `${plural(unknown.length, 'row')} of one walk may be in the other list too`,
        notReached === undefined ? {} : { hint: `finish the walk in ${unfinished.dir} with --resume` },
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
    if (!complete)
      app.addFault(new Fault('partial', `${dir}: this walk has no record that it reached the end`));
}
