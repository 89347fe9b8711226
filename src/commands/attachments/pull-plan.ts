// `arx attachments pull --dry-run`: lists what a pull would download. It writes nothing and requests no file.
import { resolve } from 'node:path';
import type { App } from '../../app.ts';
import { mapConcurrent } from '../../concurrency/map-concurrent.ts';
import type { PullPlan } from '../../contract/reports/files.ts';
import { openDiskWorker } from '../../download/disk-worker-client.ts';
import { readManifest, type ManifestEntry } from '../../download/manifest.ts';
import { emptyScan, scanFolder } from '../../download/folder-scan.ts';
import { createPuller } from '../../download/puller.ts';
import { openExistingFolder } from '../../download/target-folder.ts';
import { Fault } from '../../faults.ts';
import { plannedFileView, pullPlanLines } from '../../format/views/index.ts';
import { layoutOf, type LayoutName } from './pull-layout.ts';
import { pullerOptionsOf, renamedNotices } from './pull-rows.ts';
import { failIncomplete, select, type Selected } from './selection.ts';
import { newlyWithheldText, unavailableFault } from './withheld.ts';

/** Rows that are looked at at the same time. */
const MAX_CONCURRENT_ROWS = 16;

/** What a plan needs of the input of a pull. */
type PlanInput = Selected & {
  to: string;
  by?: LayoutName | undefined;
  force: boolean;
  exactNames: boolean;
  concurrency: number;
};

const refused = (fault: Fault) => ({ action: 'refused', path: null, isNews: false, fault }) as const;

/** Prints the plan of a pull with this input. */
export async function planPull(input: PlanInput, app: App): Promise<void> {
  const folder = await openExistingFolder(resolve(app.world.cwd, input.to));
  try {
    await planInto(folder?.path, input, app);
  } finally {
    await folder?.close();
  }
}

async function planInto(dir: string | undefined, input: PlanInput, app: App): Promise<void> {
  const { world } = app;
  const scan = dir === undefined ? emptyScan() : await scanFolder(dir, world, { readOnly: true });
  const entries =
    (dir === undefined ? undefined : await readManifest(dir)) ?? new Map<string, ManifestEntry>();
  const selection = await select(input, app);
  const renamed = renamedNotices(app, { isPlan: true });
  const layout = layoutOf(input.by, app);
  const puller = createPuller({
    ...pullerOptionsOf(app),
    folderOf: layout?.folderOf,
    readOnly: true,
    dir: dir ?? input.to,
    entries,
    save: { world, force: input.force, diskWorker: openDiskWorker(world), scan, uniqueKey: () => '' },
    exactNames: input.exactNames,
    concurrency: input.concurrency,
    onRenamed: renamed.add,
  });
  const plan: PullPlan = {
    version: 1,
    files: 0,
    bytes: 0,
    unsized: 0,
    here: 0,
    withheld: 0,
    absent: 0,
    refused: 0,
    rows: [],
  };
  const progress = app.progress();
  let rows = 0;
  let news = 0;
  const selected = selection.rows();
  const planning = mapConcurrent(layout?.prepare(selected) ?? selected, MAX_CONCURRENT_ROWS, async (row) => ({
    row,
    planned: await puller.plan(row),
  }));
  try {
    for await (const { row, planned } of planning) {
      rows += 1;
      progress.update({ label: 'looked at', done: rows, unit: 'files' });
      const { action, path, isNews, fault } = planned instanceof Fault ? refused(planned) : planned;
      if (fault !== undefined) app.addFault(fault);
      if (isNews === true) news += 1;
      if (action === 'download') {
        plan.files += 1;
        plan.bytes += row.bytes ?? 0;
        if (row.bytes === undefined) plan.unsized += 1;
      } else plan[action] += 1;
      plan.rows.push({
        id: row.id,
        action,
        path,
        bytes: row.bytes ?? null,
        ...(isNews === true ? { newly: true } : {}),
      });
    }
    renamed.end();
  } finally {
    await progress.end();
  }
  await printPlan(plan, app);
  if (news > 0) app.notice(`${newlyWithheldText(news)}: the pull says so with exit 3`);
  const { withheld, absent } = plan;
  const unavailable = unavailableFault({ withheld, absent, total: rows }, 'file');
  if (app.strict && unavailable !== undefined) app.addFault(unavailable);
  failIncomplete(app, selection, rows);
}

async function printPlan({ rows, ...counts }: PullPlan, app: App): Promise<void> {
  const { printer } = app;
  if (printer.isOneRowPerLine) await printer.list(plannedFileView, { rows, summary: () => counts });
  else await printer.report({ ...counts, rows }, () => pullPlanLines({ ...counts, rows }));
}
