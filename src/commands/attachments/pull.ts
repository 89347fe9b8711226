// `arx attachments pull`: downloads files and verifies them; a file gets its name only when its hash matches.
import { resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import { mapConcurrent } from '../../concurrency/map-concurrent.ts';
import type { Attachment } from '../../contract/attachment.ts';
import type { PulledFile, PullReport } from '../../contract/reports/files.ts';
import { FileLeftOut } from '../../download/download-limits.ts';
import { openDiskWorker } from '../../download/disk-worker-client.ts';
import {
  isKept,
  openManifest,
  readManifest,
  withSelection,
  type ManifestEntry,
} from '../../download/manifest.ts';
import { markUnfinished } from '../../download/unfinished-pull.ts';
import { removeFinishedPartials, scanFolder } from '../../download/folder-scan.ts';
import { createUniqueKeys } from '../../download/partial-names.ts';
import { createPuller, type UnlistedResult } from '../../download/puller.ts';
import { openSmallFileFetcher, type SmallFileFetcher } from '../../download/small-file-fetcher.ts';
import { openTargetFolder } from '../../download/target-folder.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { shellLine } from '../../shell-words.ts';
import { verifyReportOf } from '../../verify/verdicts.ts';
import { isLimited, LIMIT_INPUT, limitDownloads } from '../shared/download-limits.ts';
import { readIds, withPipedIds } from '../shared/id-list.ts';
import { wholeNumber } from '../shared/input.ts';
import { ID_FIELDS } from './catalogue.ts';
import { printFileReport } from './file-report.ts';
import { checkSelectors, Selectors, SELECTOR_NAMES } from './filter.ts';
import { missedFiles, pullMissed } from './kept-files.ts';
import { KeptFileNews } from './kept-file-news.ts';
import { PullFaults } from './pull-faults.ts';
import { LAYOUTS, layoutOf } from './pull-layout.ts';
import { showPullProgress } from './pull-progress.ts';
import { pullerOptionsOf, renamedNotices } from './pull-rows.ts';
import { failIncomplete, select, type Selection } from './selection.ts';
import { compileLess } from '../shared/v8-flags.ts';
import { checkAllowWithheld, failWithheld } from '../shared/unavailable.ts';

/** Files downloaded at the same time: with one, the disk and the service wait for each other. */
const DEFAULT_CONCURRENCY = 6;
const MAX_CONCURRENCY = 32;
/** For fewer files a worker costs more than it saves. */
const MIN_FILES_FOR_WORKER = 8;
/** Files that are hashed, synced or named meanwhile: the disk syncs many at little more than the cost of one. */
const MAX_FILES_BEING_WRITTEN = 250;

export const Input = Selectors.extend({
  attachments: z.array(z.string().min(1)).default([]),
  ids: z.string().min(1).optional(),
  by: z.enum(LAYOUTS).optional(),
  flat: z.boolean().default(false),
  all: z.boolean().default(false),
  to: z.string().min(1).default('.'),
  concurrency: wholeNumber(1)
    .refine((count) => count <= MAX_CONCURRENCY, `must be at most ${MAX_CONCURRENCY}`)
    .default(DEFAULT_CONCURRENCY),
  dryRun: z.boolean().default(false),
  exactNames: z.boolean().default(false),
  allowWithheld: z.boolean().default(false),
  force: z.boolean().default(false),
  ...LIMIT_INPUT,
});
type Input = z.infer<typeof Input>;

/** What is pulled, and how: the input with the ids that files and pipes hold. */
type PullInput = Omit<Input, 'ids'> & { ids: readonly string[] };

export async function run(given: Input, app: App): Promise<void> {
  checkAllowWithheld(given, app);
  const input: PullInput = { ...given, ids: await idsOf(given, app) };
  if (input.dryRun) {
    if (input.maxBytes !== undefined)
      throw new Fault('usage', '--dry-run counts all files, so it does not go with --max-bytes');
    const { planPull } = await import('./pull-plan.ts');
    return planPull(input, app);
  }
  const folder = await openTargetFolder(resolve(app.world.cwd, input.to));
  try {
    await pullInto(folder.path, input, app);
  } finally {
    await folder.close();
  }
}

/** Returns the ids that are named; none where files are selected in another way. Throws Fault 'usage' for several ways at once. */
async function idsOf(
  { attachments, ids: file, all, by, flat, ...input }: Input,
  app: App,
): Promise<string[]> {
  const isFiltered = SELECTOR_NAMES.some((name) => input[name] !== undefined);
  const isNamed = attachments.length > 0;
  const choices = [isNamed, file !== undefined, isFiltered, all].filter(Boolean).length;
  if (choices === 0)
    throw new Fault(
      'usage',
      'name attachments, or give --ids, a filter such as --city or --matching, or --all',
    );
  if (choices > 1) {
    throw new Fault('usage', 'choose one of attachments by id, --ids, --all, and filters such as --city');
  }
  if (flat && by !== undefined)
    throw new Fault('usage', '--flat puts all files into one folder: it does not go with --by');
  await checkSelectors(input, app);
  if (!isNamed && file === undefined) return [];
  const ids =
    file === undefined
      ? await withPipedIds(attachments, ID_FIELDS, app)
      : await readIds(file, ID_FIELDS, app);
  if (ids.length === 0) throw new Fault('partial', 'no ids were given');
  return ids;
}

async function pullInto(dir: string, input: PullInput, app: App): Promise<void> {
  compileLess(app.world.nodeVersion);
  // The worker starts while the first page is requested.
  const fetcher = startFetcher(dir, input, app);
  try {
    await pullWith(fetcher, dir, input, app);
  } finally {
    await fetcher?.close();
  }
}

/** Undefined where it is not worth it, or where all requests must go through the API transport. */
function startFetcher(dir: string, input: PullInput, app: App): SmallFileFetcher | undefined {
  const { thread, signal } = app.world;
  const isWorthIt = input.ids.length === 0 || input.ids.length >= MIN_FILES_FOR_WORKER;
  // The worker has connections of its own, which the limits of the others do not reach.
  if (isLimited(input)) return undefined;
  if (!app.hasFileSockets || !isWorthIt || thread === undefined) return undefined;
  const timeoutMs = app.settings.timeout.value * 1000;
  return openSmallFileFetcher({ dir, timeoutMs, connections: input.concurrency }, thread, signal);
}

async function pullWith(
  fetcher: SmallFileFetcher | undefined,
  dir: string,
  input: PullInput,
  app: App,
): Promise<void> {
  const { world } = app;
  const limited = limitDownloads(input, app);
  // A failure here is one of the whole run, and not of each file.
  const { allowedOrigins, baseUrl } = await app.fileAccess();
  const scan = await scanFolder(dir, world);
  const selection = await select(input, app);
  const early: Attachment[] = [];
  let tellSeen: (row: Attachment) => void = (row) => void early.push(row);
  const first = await firstRow(selection, (row) => tellSeen(row));
  if (first.isEmpty && ![...((await readManifest(dir))?.values() ?? [])].some(isKept)) {
    limited.end();
    // For people the notice says it.
    const report = { ...verifyReportOf([], isWhole(selection)), files: [] };
    if (app.printer.output !== 'table') await printFileReport(app, report);
    failIncomplete(app, selection, 0);
    return;
  }
  const mark = await markUnfinished(dir, selectionText(input));
  const manifest = await openManifest(dir);
  const progress = showPullProgress(app, selection);
  const diskWorker = openDiskWorker(world);
  const files: PulledFile[] = [];
  const news = new KeptFileNews();
  const faults = new PullFaults();
  let selected = 0;
  let isRecorded = true;
  /** Results of files whose turn in the report has not come. */
  const ended = new Set<UnlistedResult>();
  const record = (result: UnlistedResult): void => {
    const { file, entry, fault } = result;
    ended.delete(result);
    if (entry !== undefined && !news.add(result, entry)) manifest.add(entry);
    if (fault !== undefined) faults.add(fault, result);
    if (file === undefined) return;
    files.push(file);
    progress.onFile(file);
  };
  try {
    const renamed = renamedNotices(app);
    const layout = layoutOf(input.by, app);
    const puller = createPuller({
      ...pullerOptionsOf(app),
      dir,
      folderOf: layout?.folderOf,
      entries: manifest.entries,
      save: {
        world,
        force: input.force,
        diskWorker,
        scan,
        uniqueKey: createUniqueKeys(world.randomBytes),
        onBytes: progress.onBytes,
      },
      smallFiles: fetcher && { fetcher, allowedOrigins, baseUrl },
      exactNames: input.exactNames,
      concurrency: input.concurrency,
      onRenamed: renamed.add,
    });
    tellSeen = (row) => puller.prefetch(row);
    for (const row of early) tellSeen(row);
    const rows = layout?.prepare(first.rows) ?? first.rows;
    const filesInProgress = input.concurrency + MAX_FILES_BEING_WRITTEN;
    const results = mapConcurrent(rows, filesInProgress, async (row) => {
      const { entry, ...pulled } = await puller.pull(row);
      const earlier = manifest.entries.get(row.id);
      const result = {
        ...pulled,
        ...(entry === undefined ? {} : { entry: withSelection(entry, earlier, selection.options) }),
      };
      ended.add(result);
      return result;
    });
    for await (const result of results) record(result);
    selected = files.length;
    const missed = missedFiles(selection, manifest.entries, new Set(files.flatMap(({ id }) => id ?? [])));
    const checks = mapConcurrent(missed, filesInProgress, async (each) => {
      const result = await pullMissed(each, puller, selection);
      ended.add(result);
      return result;
    });
    for await (const result of checks) record(result);
    renamed.end();
    const finished = files.filter(({ verdict }) => verdict === 'match');
    await removeFinishedPartials(
      dir,
      scan,
      finished.map(({ expected }) => expected!),
    );
  } finally {
    // In a run that is interrupted, files behind one that did not end have their names already.
    for (const result of ended) record(result);
    await progress.end();
    await diskWorker.close();
    await manifest.close().catch((error: unknown) => {
      if (!(error instanceof Fault)) throw error;
      // The files are saved all the same, and the next pull knows them by their hashes.
      faults.add(error);
      isRecorded = false;
    });
    const kept = plural(files.filter(({ verdict }) => verdict === 'match').length, 'file');
    for (const fault of faults.all()) {
      const { kind, message, detail } = fault;
      limited.addFault(fault instanceof FileLeftOut ? fault : new Fault(kind, message, { kept, ...detail }));
    }
    limited.end();
  }
  const isEnded = isRecorded && selection.fault() === undefined && !faults.isLeftOut;
  if (isEnded) await mark.remove({ isAll: input.all, isUndecided: selection.isUndecided() });
  // A list that lacks rows which it had may lack others, too.
  const areAll = isWhole(selection) && !files.some(({ now }) => now === 'unlisted');
  const report = { ...verifyReportOf(files, areAll), files } satisfies PullReport;
  await printFileReport(app, report);
  sayNext(app, { to: input.to, isRecorded }, report);
  news.fail(app);
  if (isRecorded) await addEntries(dir, news.entries);
  // A pull in which no file is available is no success, as a verification in which nothing is checked.
  const { withheld, absent } = report.verdicts;
  if (!input.allowWithheld || (files.length > 0 && withheld + absent === files.length))
    failWithheld(app, report);
  failIncomplete(app, selection, selected);
}

/** Returns, after the last row, whether the rows are known to be all that were asked for. */
function isWhole(selection: Selection): boolean {
  return selection.fault() === undefined && !selection.isUndecided();
}

/** Adds entries to the manifest of a folder, which another pull may have changed meanwhile. Throws Fault 'disk'. */
async function addEntries(dir: string, entries: readonly ManifestEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const manifest = await openManifest(dir);
  for (const entry of entries) manifest.add(entry);
  await manifest.close();
}

/** Tells people where the files are, and how to check them. `isRecorded`: the manifest lists them. */
function sayNext(
  app: App,
  { to, isRecorded }: { to: string; isRecorded: boolean },
  { verdicts: { match } }: PullReport,
): void {
  if (match === 0 || !(app.world.stderr.isTTY || app.printer.output === 'table')) return;
  const are = match === 1 ? 'is' : 'are';
  // The folder may hold files of other pulls.
  const where = `${plural(match, 'file')} of this pull ${are} in ${to}`;
  app.notice(
    isRecorded
      ? `${where}; check later: ${shellLine(['arx', 'attachments', 'verify', to])}`
      : `${where}, but the manifest may not list ${match === 1 ? 'it' : 'them'}: the same pull, run again, does that and downloads nothing twice`,
  );
}

/** Returns the same text for the same selection. */
function selectionText({ ids, all, ...input }: PullInput): string {
  const filters = SELECTOR_NAMES.map((name) => input[name] ?? null);
  return JSON.stringify([all, filters, ids.toSorted()]);
}

/**
 * Waits until a row of the selection is known, or that there is none: then nothing need be written. `onSeen` as in
 * {@link Selection.rows}. The rows that are returned begin with the first one, and throw what it throws.
 */
async function firstRow(
  selection: Selection,
  onSeen: (row: Attachment) => void,
): Promise<{ isEmpty: boolean; rows: AsyncGenerator<Attachment> }> {
  let tell = (): void => {};
  const seen = new Promise<void>((resolve) => (tell = resolve));
  const selected = selection.rows((row) => {
    onSeen(row);
    tell();
  });
  const first = selected.next();
  // It is awaited once more, by who reads the rows.
  first.catch(() => {});
  const known = await Promise.race([first, seen]);
  async function* rows(): AsyncGenerator<Attachment> {
    try {
      const { value, done } = await first;
      if (done === true) return;
      yield value;
      yield* selected;
    } finally {
      await selected.return(undefined);
    }
  }
  return { isEmpty: known?.done === true, rows: rows() };
}
