// `arx attachments pull --dry-run`: lists what a pull would download. It writes nothing and requests no file.
import { resolve } from 'node:path';
import type { App } from '../../app.ts';
import { mapConcurrent } from '../../concurrency/map-concurrent.ts';
import type { PullPlan } from '../../contract/reports/files.ts';
import { openDiskWorker } from '../../download/disk-worker-client.ts';
import { readManifest, type ManifestEntry } from '../../download/manifest.ts';
import { emptyScan, scanFolder } from '../../download/folder-scan.ts';
import { createPuller, noFileStateOf } from '../../download/puller.ts';
import { openExistingFolder } from '../../download/target-folder.ts';
import { plannedFileView, pullPlanLines } from '../../format/views/index.ts';
import { plannedNews } from './kept-file-news.ts';
import { missedFiles, pullMissed } from './kept-files.ts';
import { PullFaults } from './pull-faults.ts';
import { layoutOf, type LayoutName } from './pull-layout.ts';
import { pullerOptionsOf, renamedNotices } from './pull-rows.ts';
import { failIncomplete, select, type Selected } from './selection.ts';
import { failUnavailable } from '../shared/unavailable.ts';

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
    unlisted: 0,
    refused: 0,
    complete: true,
    rows: [],
  };
  const progress = app.progress();
  let rows = 0;
  const news = { withheld: 0, unlisted: 0, changed: 0 };
  const faults = new PullFaults();
  const selected = selection.rows();
  const planning = mapConcurrent(layout?.prepare(selected) ?? selected, MAX_CONCURRENT_ROWS, async (row) => ({
    row,
    planned: await puller.plan(row),
  }));
  try {
    for await (const { row, planned } of planning) {
      rows += 1;
      progress.update({ label: 'looked at', done: rows, unit: 'files' });
      const { action, path, isNews, isChanged, fault } = planned;
      if (fault !== undefined) faults.add(fault, planned);
      if (isNews === true) news.withheld += 1;
      if (isChanged === true && action === 'download') news.changed += 1;
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
        sha256: row.sha256?.toLowerCase() ?? null,
        ...(isNews === true ? { newly: true } : {}),
        ...(isChanged === true ? { changed: true } : {}),
      });
    }
    renamed.end();
    const seen = new Set(plan.rows.map(({ id }) => id));
    for await (const missed of missedFiles(selection, entries, seen)) {
      const { row, entry } = missed;
      const { file, isNews, fault } = await pullMissed(missed, puller, selection);
      if (file === undefined) continue;
      if (fault !== undefined) faults.add(fault);
      const action = row === undefined ? 'unlisted' : noFileStateOf(row);
      plan[action] += 1;
      if (isNews === true) news[action === 'unlisted' ? action : 'withheld'] += 1;
      const { id, bytes, sha256 } = entry;
      plan.rows.push({
        id,
        action,
        path: file.path,
        bytes,
        sha256,
        ...(isNews === true ? { newly: true } : {}),
      });
    }
  } finally {
    await progress.end();
  }
  plan.complete = selection.fault() === undefined && !selection.isUndecided() && plan.unlisted === 0;
  for (const fault of faults.all()) app.addFault(fault);
  await printPlan(plan, app);
  for (const text of plannedNews(news)) app.notice(text);
  const { withheld, absent } = plan;
  failUnavailable(app, { withheld, absent, total: plan.rows.length }, 'file');
  failIncomplete(app, selection, rows);
}

async function printPlan({ rows, ...counts }: PullPlan, app: App): Promise<void> {
  const { printer } = app;
  if (printer.isOneRowPerLine) await printer.list(plannedFileView, { rows, summary: () => counts });
  else await printer.report({ ...counts, rows }, () => pullPlanLines({ ...counts, rows }));
}
