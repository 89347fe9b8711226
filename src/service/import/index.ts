// Imports paths into an archive: detects the kind of each, stores what is new, and counts every item that was read.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ImportKind } from '../../contract/import-kind.ts';
import type { ImportReport } from '../../contract/reports/archive.ts';
import type { Tier } from '../../contract/tier.ts';
import { Fault } from '../../faults.ts';
import type { ImportItem } from '../records/import-items.ts';
import type { Archive } from '../store/archive.ts';
import { searchTextReader } from '../mail/search-text.ts';
import { readChecked } from '../store/files/read-checked.ts';
import { indexNext } from '../store/search/build-index.ts';
import { createDrain } from '../store/event-worker.ts';
import type { TierChange } from '../store/additions/message-batches.ts';
import { storeFault } from '../store/sql/database-error.ts';
import { detectSource } from './detect.ts';
import type { Read, ReadOptions } from './readers.ts';
import { createDryRunWriter } from './dry-run-writer.ts';
import { createItemLists } from './item-lists.ts';
import { sizeOfSource } from './source-size.ts';
import { importWriter, KEPT, storeItems, type ImportCounts, type StoreOptions } from './store-items.ts';

/**
 * The progress on one path: items `read`, and bytes `done` of `total`, both null for an export of a chat and while the files of a
 * folder are counted. `stored` messages are of all paths.
 */
export type ImportProgress = {
  path: string;
  kind: ImportKind;
  read: number;
  stored: number;
  done: number | null;
  total: number | null;
};

/** A temporary file of the archive that nobody wrote to for this long is left over from a killed import. */
const MAX_UNFINISHED_MS = 3_600_000;

/**
 * How paths are imported. `kind` is for {@link detectPaths}, the others for {@link importDetected}. `progress` is called before the
 * first item of a path, and after each batch that was stored.
 */
export type ImportOptions = {
  /** City label for files that have none of their own. */
  originCity?: string;
  /** The kind of all paths. Without it the content of each path decides. */
  kind?: ImportKind;
  /**
   * Who may read what is imported (interface 5) [internal]. Messages of private Slack channels are `internal` in place of
   * `external`. Where it is named, messages that the archive has already get it, too.
   */
  tier?: Tier;
  /** Reads and counts everything, and stores nothing. Then the archive may be missing. */
  dryRun?: boolean;
  signal: AbortSignal;
  progress?(state: ImportProgress): void;
};

/** Paths that can be imported, with the reader of each. `companions`: paths with only the uploads of a Slack export. */
export type DetectedPaths = { sources: readonly DetectedPath[]; companions: readonly string[] };

type DetectedPath = { path: string; kind: ImportKind; read: Read };

/**
 * Returns how each path is read. Call it before the archive is opened, so that no archive is made for a mistyped path. Throws Fault 'usage'
 * when a path cannot be imported, and the reason of the signal when it is aborted.
 */
export function detectPaths(
  paths: readonly string[],
  { kind, signal }: Pick<ImportOptions, 'kind' | 'signal'>,
): Promise<DetectedPaths> {
  return untilAborted(signal, detectAll(paths, kind));
}

/**
 * Imports the paths in order into the archive. `read = stored + known + refused` for the messages of each path, and
 * `seen = read + known + refused + skipped` for its files; `conversations` is the number in the whole archive. A message is recognized by
 * the hash of its stored bytes, so a second import stores nothing, and an import after an interrupted one continues it.
 *
 * Throws the reason of the signal when it is aborted; what was stored by then stays. Throws Fault 'disk' when the archive cannot be written.
 */
export async function importDetected(
  archive: Archive | undefined,
  { sources, companions }: DetectedPaths,
  { originCity, tier, dryRun = false, signal, progress }: Omit<ImportOptions, 'kind'>,
): Promise<ImportReport> {
  const options = {
    originCity: originCity ?? null,
    tier: tier ?? 'internal',
    changesTiers: tier !== undefined,
    companions,
    signal,
    dryRun,
  };
  try {
    return await importSources(archive, sources, options, progress);
  } catch (error) {
    throw storeFault(error, KEPT);
  }
}

/** Returns what `work` returns. Throws the reason of the signal as soon as it is aborted: `work` may read a large directory of a zip. */
function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

async function detectAll(paths: readonly string[], named: ImportKind | undefined): Promise<DetectedPaths> {
  const sources: DetectedPath[] = [];
  const companions: string[] = [];
  for (const path of paths) {
    const detected = await detectSource(path, named);
    if (detected.kind === 'uploads') companions.push(path);
    else sources.push({ path, ...detected });
  }
  if (companions.length > 0 && !sources.some(({ kind }) => kind === 'slack')) {
    throw new Fault('usage', `${companions[0]} holds only the uploads of a Slack export`, {
      hint: 'name the export in the same command',
    });
  }
  return { sources, companions };
}

async function importSources(
  archive: Archive | undefined,
  sources: readonly DetectedPath[],
  options: ReadOptions & Pick<StoreOptions, 'changesTiers'> & { dryRun: boolean },
  progress: ImportOptions['progress'],
): Promise<ImportReport> {
  const { originCity, tier, changesTiers, signal } = options;
  const target = options.dryRun ? undefined : archive;
  await target?.blobs.removeUnfinished(target.now() - MAX_UNFINISHED_MS);
  const intake = target === undefined ? createDryRunWriter(archive?.database) : importWriter(target);
  const report: ImportReport = {
    version: 1,
    ...(options.dryRun ? { dry_run: true as const } : {}),
    sources: [],
    conversations: 0,
    refused: [],
    skipped: [],
    notices: [],
  };
  const lists = createItemLists();
  const tierChanges: NonNullable<ImportReport['tier_changes']> = [];
  const tierChanged = ({ from, to }: TierChange): void => {
    const same = tierChanges.find((change) => change.from === from && change.to === to);
    if (same === undefined) tierChanges.push({ from, to, messages: 1 });
    else same.messages += 1;
  };
  for (const { path, kind, read } of sources) {
    const before = report.sources.reduce((sum, { messages }) => sum + messages.stored, 0);
    const size = sizeOfSource(path, kind, signal);
    const show = (messages: { read: number; stored: number }, done: number): void => {
      const total = size.bytes();
      progress?.({
        path,
        kind,
        read: messages.read,
        stored: before + messages.stored,
        done: total === null ? null : Math.min(done, total),
        total,
      });
    };
    show({ read: 0, stored: 0 }, 0);
    const counts = await storeItems(intake, read(options), {
      originCity,
      tier,
      changesTiers,
      signal,
      lists,
      tierChanged,
      // Only in an mbox are positions byte offsets.
      stored: ({ messages }, { position, bytes }) => show(messages, kind === 'mbox' ? position : bytes),
    }).finally(() => size.stop());
    const { messages, attachments, files } = counts;
    const formats = [...counts.formats].map(([format, count]) => ({ format, files: count }));
    report.sources.push({
      path,
      kind: reportedKind(kind, formats),
      ...(kind === 'slack' && options.companions.length > 0 ? { uploads: [...options.companions] } : {}),
      messages,
      attachments,
      files,
      formats,
    });
  }
  Object.assign(report, lists.report(), tierChanges.length === 0 ? {} : { tier_changes: tierChanges });
  // Applies the events that waited for what was imported. Another process may have begun to.
  if (target !== undefined) {
    await createDrain(target)();
    await indexDue(target, signal);
  }
  const row = await archive?.database.get<{ n: number }>('SELECT COUNT(*) AS n FROM conversations');
  report.conversations = row?.n ?? 0;
  return report;
}

/** Indexes what the import made due: messages whose files another tier may read now. */
async function indexDue(archive: Archive, signal: AbortSignal): Promise<void> {
  const readText = searchTextReader((sha256) => readChecked(archive.blobs, sha256));
  let isComplete = false;
  while (!isComplete) {
    signal.throwIfAborted();
    isComplete = await indexNext(archive, async (message) => {
      await nextTurn();
      signal.throwIfAborted();
      return readText(message);
    });
  }
}

/** A folder whose files all had one format, or variants of it such as `mbox (Thunderbird)`, is reported as that format. */
function reportedKind(kind: ImportKind, formats: readonly { format: string }[]): string {
  const [only, ...others] = new Set(formats.map(({ format }) => format));
  if (only === undefined) return kind;
  const family = new Set(formats.map(({ format }) => format.split(' ', 1)[0] ?? format));
  if (family.size > 1) return kind === 'mail' ? 'folder' : kind;
  if (only === 'file') return 'folder';
  return others.length === 0 ? only : ([...family][0] ?? kind);
}

/** Stores records that were generated and not read, such as the sample archive. Returns the same counts as an import. */
export function importItems(archive: Archive, items: AsyncIterable<ImportItem>): Promise<ImportCounts> {
  return storeItems(importWriter(archive), items, {
    originCity: null,
    tier: 'internal',
    changesTiers: false,
    signal: new AbortController().signal,
    lists: createItemLists(),
    stored: () => {},
  });
}
