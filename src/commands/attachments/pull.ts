// `arx attachments pull`: downloads files while hashing them; a file gets its name only when its hash matches.
import { resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { PulledFile, PullPlan, PullReport } from '../../contract/reports/files.ts';
import { Fault } from '../../faults.ts';
import { pullPlanView } from '../../format/views/index.ts';
import { openDiskWorker } from '../../download/disk-worker-client.ts';
import { mapConcurrent } from '../../concurrency/map-concurrent.ts';
import { openManifest, readManifest, type ManifestEntry } from '../../download/manifest.ts';
import {
  createUniqueKeys,
  emptyScan,
  scanFolder,
  removeFinishedPartials,
} from '../../download/partial-files.ts';
import { openSmallFileFetcher, type SmallFileFetcher } from '../../download/small-file-fetcher.ts';
import { verifyReportOf } from '../../verify/verdicts.ts';
import { wholeNumber } from '../input.ts';
import { printFiles } from './files.ts';
import { Filter, filterQuery } from './filter.ts';
import { pullerFor } from './pulled-file.ts';
import { select, type Selection } from './selection.ts';
import { openTarget } from './target.ts';
import { compileLess } from './v8-flags.ts';

/** Files fetched at once: with one, the disk and the service wait for each other. */
const AT_ONCE = 6;
const MOST_AT_ONCE = 32;
/** Files looked at at once by a dry run. */
const LOOKED_AT_AT_ONCE = 16;
/** A thread is not worth its start for fewer files. */
const MANY = 8;
/** Files under way beside those that are fetched: the disk syncs many at little more than the cost of one. */
const WRITTEN_AT_ONCE = 250;

export const Input = Filter.extend({
  ids: z.array(z.string().min(1)).default([]),
  all: z.boolean().default(false),
  to: z.string().min(1).default('.'),
  concurrency: wholeNumber(1)
    .refine((count) => count <= MOST_AT_ONCE, `must be at most ${MOST_AT_ONCE}`)
    .default(AT_ONCE),
  dryRun: z.boolean().default(false),
  exactNames: z.boolean().default(false),
  force: z.boolean().default(false),
});
type Input = z.infer<typeof Input>;

export async function run(input: Input, app: App): Promise<void> {
  const isFiltered = Object.keys(filterQuery(input)).length > 0;
  const choices = [input.ids.length > 0, isFiltered, input.all].filter(Boolean).length;
  if (choices === 0) throw new Fault('usage', 'name attachments, or --city, or --all');
  if (choices > 1) {
    throw new Fault('usage', 'choose one of attachments by id, --all, and a filter such as --city');
  }
  const dir = resolve(app.world.cwd, input.to);
  const folder = await openTarget(dir, input.dryRun);
  try {
    if (input.dryRun) await foresee(input, app, folder?.path);
    else await pull(input, app, folder!.path);
  } finally {
    await folder?.close();
  }
}

async function pull(input: Input, app: App, dir: string): Promise<void> {
  const { world } = app;
  compileLess(world.nodeVersion);
  const isWorth = app.hasSockets && (input.ids.length === 0 || input.ids.length >= MANY);
  const timeoutMs = app.settings.timeout.value * 1000;
  // It begins while the catalogue is asked.
  const lane =
    isWorth && world.thread !== undefined
      ? openSmallFileFetcher({ dir, timeoutMs, connections: input.concurrency }, world.thread, world.signal)
      : undefined;
  try {
    await pullBy(lane, input, app, dir);
  } finally {
    await lane?.close();
  }
}

async function pullBy(
  lane: SmallFileFetcher | undefined,
  input: Input,
  app: App,
  dir: string,
): Promise<void> {
  const { world } = app;
  // What cannot be had at all is said once.
  const { allowedOrigins } = await app.files();
  const found = await scanFolder(dir, world);
  const selection = await select(input, app);
  const manifest = await openManifest(dir);
  const progress = progressOf(app, selection);
  const desk = openDiskWorker(world);
  const files: PulledFile[] = [];
  const faults: Fault[] = [];
  try {
    const { onBytes } = progress;
    const freshKey = createUniqueKeys(world.randomBytes);
    const keeping = { world, force: input.force, desk, survey: found, freshKey, onBytes };
    const swift = lane === undefined ? undefined : { lane, allowedOrigins };
    const puller = pullerFor({ dir, app, input, keeping, swift, entries: manifest.entries });
    const underWay = input.concurrency + WRITTEN_AT_ONCE;
    const rows = selection.rows((row) => puller.expect(row));
    for await (const { file, entry, fault } of mapConcurrent(rows, underWay, (row) => puller.pull(row))) {
      if (entry !== undefined) manifest.add(entry);
      if (fault !== undefined) faults.push(fault);
      files.push(file);
      progress.onFile(file);
    }
    puller.end();
    const here = files.filter(({ verdict }) => verdict === 'match');
    await removeFinishedPartials(
      dir,
      found,
      here.map(({ expected }) => expected!),
    );
  } finally {
    await progress.end();
    await desk.close();
    await manifest.close().catch((error: unknown) => {
      if (!(error instanceof Fault)) throw error;
      // The files are there all the same, and the next pull knows them by their hashes.
      faults.push(error);
    });
    const kept = `${files.filter(({ verdict }) => verdict === 'match').length} files`;
    for (const { kind, message, detail } of faults) app.fail(new Fault(kind, message, { kept, ...detail }));
  }
  const report = { ...verifyReportOf(files, selection.fault() === undefined), files } satisfies PullReport;
  await printFiles(app, report);
  const { withheld, match } = report.verdicts;
  if (withheld > 0)
    app.fail(
      new Fault('partial', `${withheld} of ${files.length} files are withheld`, { kept: `${match} files` }),
    );
  failShort(app, selection, files.length);
}

async function foresee(input: Input, app: App, dir: string | undefined): Promise<void> {
  const { world } = app;
  const found = dir === undefined ? emptyScan() : await scanFolder(dir, world, { readOnly: true });
  const entries =
    (dir === undefined ? undefined : await readManifest(dir)) ?? new Map<string, ManifestEntry>();
  const selection = await select(input, app);
  const keeping = {
    world,
    force: input.force,
    desk: openDiskWorker(world),
    survey: found,
    freshKey: () => '',
  };
  const puller = pullerFor({ dir: dir ?? input.to, app, input, keeping, entries });
  const plan: PullPlan = { version: 1, files: 0, bytes: 0, unsized: 0, here: 0, withheld: 0, refused: 0 };
  const progress = app.progress();
  let rows = 0;
  try {
    for await (const { row, fate } of mapConcurrent(selection.rows(), LOOKED_AT_AT_ONCE, async (row) => ({
      row,
      fate: await puller.foresee(row),
    }))) {
      rows += 1;
      progress.update({ label: 'looked at', done: rows, unit: 'files' });
      if (fate instanceof Fault) {
        plan.refused += 1;
        app.fail(fate);
      } else if (fate !== 'comes') plan[fate] += 1;
      else {
        plan.files += 1;
        plan.bytes += row.bytes ?? 0;
        if (row.bytes === undefined) plan.unsized += 1;
      }
    }
    puller.end();
  } finally {
    await progress.end();
  }
  await app.printer.record(pullPlanView, plan);
  failShort(app, selection, rows);
}

/** A list that is short of something is no success. */
function failShort(app: App, selection: Selection, files: number): void {
  if (files === 0) app.fail(new Fault('partial', 'no file was asked for that the catalogue has'));
  const fault = selection.fault();
  if (fault !== undefined) app.fail(fault);
}

/** Files and bytes; how much is left once it is known how much there is. */
function progressOf(app: App, { known }: Selection) {
  const progress = app.progress();
  let files = 0;
  let bytes = 0;
  let skipped = 0;
  const show = (): void => {
    const isSized = known.isAll && known.unsized === 0;
    progress.update({
      label: `${files}${known.isAll ? ` of ${known.files}` : ''} files`,
      done: bytes,
      total: isSized ? known.bytes - skipped : undefined,
      unit: 'bytes',
    });
  };
  show();
  return {
    onBytes: (count: number) => {
      bytes += count;
      show();
    },
    onFile: (file: PulledFile) => {
      if (file.verdict !== 'withheld') files += 1;
      // What is not fetched is no part of the rate.
      if (file.attempts === 0) skipped += file.bytes ?? 0;
      show();
    },
    end: () => progress.end(),
  };
}
