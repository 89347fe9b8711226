// Pulls one catalogue row at a time: its name, what is here already, the download, and the line of the report.
import type { RetryOptions } from '../client/retry.ts';
import { createSemaphore } from '../concurrency/semaphore.ts';
import type { Attachment } from '../contract/attachment.ts';
import { fileStateOf, isPullable, reasonOf } from '../contract/attachment-file.ts';
import { sameHash } from '../contract/scalars.ts';
import type { PulledFile } from '../contract/reports/files.ts';
import { NOT_BEGUN } from '../contract/reports/not-begun.ts';
import { Fault } from '../faults.ts';
import { CHANGED_HASH } from '../verify/verdicts.ts';
import { FileLeftOut } from './download-limits.ts';
import { findExisting, mayExist, OtherContent, type SavedFile, type TargetFile } from './existing-file.ts';
import type { FileAccess } from './file-request.ts';
import type { SaveOptions } from './file-writer.ts';
import { sha256Of } from './hash-of-row.ts';
import { checkKeptFile } from './kept-file.ts';
import { isKept, type KeptEntry, type ManifestEntry } from './manifest.ts';
import { createNameAssigner } from './name-assigner.ts';
import { downloadResumable } from './resumable-download.ts';
import { createSmallFiles, type SmallFilesOptions } from './small-files.ts';
import { createSubfolders } from './subfolders.ts';
import { WrongContent } from './wrong-content.ts';

/** Options of a pull. They hold for all of its files. */
export type PullerOptions = {
  /** The target folder, and what its manifest says. */
  dir: string;
  entries: ReadonlyMap<string, ManifestEntry>;
  save: SaveOptions;
  world: RetryOptions['world'] & { readonly pid: number };
  /** Is called for the first file that is downloaded. */
  access: () => Promise<FileAccess>;
  /** Downloads small files, where there is one, from these origins. */
  smallFiles?: Pick<SmallFilesOptions, 'fetcher' | 'allowedOrigins' | 'baseUrl'> | undefined;
  retries: number;
  /** Throw Fault 'unsafe' instead of changing a name. */
  exactNames: boolean;
  /** Files downloaded at the same time. */
  concurrency: number;
  onRenamed: (text: string) => void;
  /** Names the folder inside the target folder for a row, see {@link createNameAssigner}; absent: all files are in the target folder. */
  folderOf?: ((row: Attachment) => string) | undefined;
  /** Nothing is written: folders are not made either. */
  readOnly?: boolean;
  log: (line: string) => void;
};

/**
 * A row of the report, its line of the manifest, and why it failed. `isNews`: an earlier pull kept the file, and now it is withheld,
 * absent or unlisted for the first time. `isGivenUp`: it kept the file, which is gone and cannot be had, and is no longer expected.
 * `isChanged`: it kept the file, and the archive gives another hash now than then.
 */
export type PullResult = {
  file: PulledFile;
  entry?: ManifestEntry;
  fault?: Fault;
  isNews?: boolean;
  isGivenUp?: boolean;
  isChanged?: boolean;
};

/** The result for a file that is no longer in the list. One that is given up has no row. */
export type UnlistedResult = Omit<PullResult, 'file'> & { file?: PulledFile };

/**
 * What would be done with a file, and its path below the target folder; null for one that is refused, or is not there and cannot be had. `isNews` and
 * `fault` of a file that an earlier pull kept, and `isChanged`: as in {@link PullResult}.
 */
export type PlannedFile = {
  action: 'withheld' | 'absent' | 'here' | 'download' | 'refused';
  path: string | null;
  isNews?: boolean;
  isChanged?: boolean;
  fault?: Fault;
};

/** Fault 'unsafe': the archive gives another hash for a file than when it was downloaded, and a file has its name. */
export class ChangedHash extends OtherContent {
  constructor(name: string, actual: OtherContent['actual'], isIntact: boolean) {
    super(name, actual, {
      message: `${CHANGED_HASH} for ${name} than when it was downloaded, and the file here is ${isIntact ? 'as it was' : 'another one'}`,
      hint: '--to another folder keeps both; --force replaces files, also those that are as they were downloaded',
    });
  }
}

/** Downloads the files of catalogue rows into one folder. Several rows may be pulled at the same time. */
export type Puller = {
  /** Gets each row that some page shows, so that its file may be downloaded early, see {@link SmallFiles.prefetch}. */
  prefetch(row: Attachment): void;
  /** Downloads the file of a row. A Fault is a result. What ends the run, an interruption or a time limit, is thrown. */
  pull(row: Attachment): Promise<PullResult>;
  /** Checks a file that an earlier pull kept, and that the list of the archive no longer has. Writes nothing. */
  unlisted(entry: KeptEntry): Promise<UnlistedResult>;
  /** Returns what {@link Puller.pull} would do, without a request or a write. `here`: the file exists and is verified. */
  plan(row: Attachment): Promise<PlannedFile>;
};

/** Existing files that are hashed at the same time. */
const MAX_CONCURRENT_HASHES = 4;

/** Messages may quote what a service says. */
const MAX_REASON_LENGTH = 300;

/** Returns a puller into one folder. Names are given in the order in which rows are pulled. */
export function createPuller(options: PullerOptions): Puller {
  const { dir, entries, save, log } = options;
  const fetcher = options.smallFiles?.fetcher;
  const smallFiles =
    options.smallFiles && createSmallFiles({ ...options.smallFiles, save, world: options.world });
  const nameOf = createNameAssigner(entries, {
    exact: options.exactNames,
    onRenamed: options.onRenamed,
    folderOf: options.folderOf,
    isPlan: options.readOnly === true,
    subfolders: createSubfolders(dir, save.scan, { readOnly: options.readOnly === true }),
  });
  const hashes = createSemaphore(MAX_CONCURRENT_HASHES);
  const connections = createSemaphore(options.concurrency);
  let connectionsInUse = 0;

  function targetOf(row: Attachment): TargetFile {
    const { bytes } = row;
    const sha256 = sha256Of(row);
    const size = bytes === undefined ? {} : { bytes };
    return { dir, name: nameOf(row), sha256, ...size };
  }
  async function existing(target: TargetFile): Promise<SavedFile | undefined> {
    if (!mayExist(target, save)) return undefined;
    const release = await hashes.acquire();
    return findExisting(target, save).finally(release);
  }
  /** Returns the entry of the file that an earlier pull kept of a row, where the row gives another hash now. */
  function changedEntry({ id }: Attachment, { sha256 }: TargetFile): KeptEntry | undefined {
    const earlier = entries.get(id);
    return isKept(earlier) && !sameHash(earlier.sha256, sha256) ? earlier : undefined;
  }
  /** As {@link existing}, but says of a file of other content whether the archive gave another hash for it earlier. */
  async function existingOf(row: Attachment, target: TargetFile): Promise<SavedFile | undefined> {
    return existing(target).catch((error: unknown) => {
      const changed = changedEntry(row, target);
      if (!(error instanceof OtherContent) || changed === undefined) throw error;
      const isIntact = target.name === changed.path && sameHash(error.actual.sha256, changed.sha256);
      throw new ChangedHash(target.name, error.actual, isIntact);
    });
  }
  /** All downloads together use no more connections than `concurrency`, so the fetcher gets fewer. */
  async function acquireConnection(): Promise<() => void> {
    const release = await connections.acquire();
    fetcher?.reserveConnections(++connectionsInUse);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      fetcher?.reserveConnections(--connectionsInUse);
      release();
    };
  }
  async function saveFileOf(
    row: Attachment & { file_url: string },
    file: PulledFile,
  ): Promise<SavedFile & { isChanged?: boolean }> {
    // Before the first await, so that names are given in the order of the rows.
    const target = targetOf(row);
    file.path = target.name;
    const isChanged = changedEntry(row, target) !== undefined;
    const found = await existingOf(row, target);
    if (found !== undefined) {
      log(`${target.name}: already here, verified`);
      return found;
    }
    const onRequest = (): void => void (file.attempts += 1);
    const small = await smallFiles?.download(row, target, onRequest);
    if (small !== undefined) return { ...small, isChanged };
    const access = await options.access();
    let isBegun = false;
    /** A file that waits for a connection is not begun. */
    const begin = async (): Promise<() => void> => {
      const release = await acquireConnection();
      try {
        if (!isBegun) access.limits?.begin(row.id, target.bytes);
      } catch (error) {
        release();
        throw error;
      }
      isBegun = true;
      return release;
    };
    const saved = await downloadResumable(row.file_url, target, {
      access,
      save,
      world: options.world,
      retries: options.retries,
      log,
      acquireConnection: begin,
      onRequest,
      onStart: (from) => void (file.resumed_from = from),
    });
    return { ...saved, isChanged };
  }

  /** The entry of a file that could not be kept. None where an earlier pull kept one, or the user set the limit that was reached. */
  function notKept(row: Attachment, { path, expected }: PulledFile, fault: Fault): { entry?: ManifestEntry } {
    const { id, bytes = null } = row;
    const earlier = entries.get(id);
    if (fault instanceof FileLeftOut || isKept(earlier)) return {};
    const reason = fault.message.slice(0, MAX_REASON_LENGTH);
    // What stands at a name that was refused is not ours.
    const name = fault.kind === 'unsafe' ? null : path;
    return { entry: { id, path: name, sha256: expected, bytes, redacted: false, reason } };
  }

  /**
   * Returns what is known of a file whose row is withheld or absent. With `force`, one that an earlier pull kept and that is gone from the
   * folder is no longer expected.
   */
  async function unavailable(row: Attachment): Promise<PullResult & { entry: ManifestEntry }> {
    const file = emptyResult(row);
    const { id } = row;
    const state = noFileStateOf(row);
    const why = {
      redacted: state === 'withheld',
      ...(state === 'absent' ? { absent: true } : {}),
      ...reasonPart(row),
    };
    const without = { id, path: null, sha256: file.expected, bytes: row.bytes ?? null, ...why };
    const earlier = entries.get(id);
    if (!isKept(earlier)) return { file, entry: without };
    const { path, sha256, bytes } = earlier;
    const release = await hashes.acquire();
    const { fields, fault } = await checkKeptFile(dir, earlier, state, save.world).finally(release);
    if (fields.verdict === 'missing' && save.force) return { file, entry: without, isGivenUp: true };
    const isNews = !earlier.redacted && earlier.absent !== true;
    Object.assign(file, { path, expected: sha256, now: state }, fields, isNews ? { newly: true } : {});
    const entry = { id, path, sha256, bytes, ...why };
    return { file, entry, isNews, ...(fault === undefined ? {} : { fault }) };
  }

  async function unlisted(earlier: KeptEntry): Promise<UnlistedResult> {
    const { id, path, sha256 } = earlier;
    const release = await hashes.acquire();
    const { fields, fault } = await checkKeptFile(dir, earlier, 'unlisted', save.world).finally(release);
    const entry: ManifestEntry = { ...earlier, unlisted: true };
    if (fields.verdict === 'missing' && save.force)
      return { entry: { ...entry, path: null }, isGivenUp: true };
    const isNews = earlier.unlisted !== true;
    const file: PulledFile = {
      ...emptyResult({ id, sha256 }),
      path,
      verdict: 'match',
      now: 'unlisted',
      ...fields,
      ...(isNews ? { newly: true } : {}),
    };
    return { file, entry, isNews, ...(fault === undefined ? {} : { fault }) };
  }

  return {
    unlisted,
    prefetch: (row) => smallFiles?.prefetch(row),
    async pull(row) {
      if (!isPullable(row)) return unavailable(row);
      const file = emptyResult(row);
      const { id } = row;
      const sha256 = file.expected;
      try {
        const { bytes, isChanged = false } = await saveFileOf(row, file);
        Object.assign(file, { verdict: 'match', actual: sha256, bytes }, isChanged ? { changed: true } : {});
        return { file, entry: { id, path: file.path, sha256: sha256!, bytes, redacted: false }, isChanged };
      } catch (error) {
        // A run that is ended by a signal or its time limit says nothing of the files that it was at.
        save.world.signal.throwIfAborted();
        const fault = faultOfRow(error, id);
        const isOther = error instanceof WrongContent || error instanceof OtherContent;
        if (isOther && error.actual !== undefined)
          Object.assign(file, { actual: error.actual.sha256, bytes: error.actual.bytes });
        file.verdict = isOther || fault.kind === 'integrity' ? 'mismatch' : 'missing';
        if (sha256 === null) file.verdict = 'unverifiable';
        if (fault instanceof FileLeftOut) file.reason = NOT_BEGUN;
        const isChanged = error instanceof ChangedHash;
        if (isChanged) file.changed = true;
        return { file, fault, isChanged, ...notKept(row, file, error as Fault) };
      }
    },
    async plan(row) {
      if (!isPullable(row)) {
        const { file, isNews, fault } = await unavailable(row);
        return {
          action: noFileStateOf(row),
          path: file.path,
          ...(isNews === true ? { isNews } : {}),
          ...(fault && { fault }),
        };
      }
      try {
        const target = targetOf(row);
        const found = await existingOf(row, target);
        if (found !== undefined) return { action: 'here', path: target.name };
        const isChanged = changedEntry(row, target) !== undefined;
        return { action: 'download', path: target.name, isChanged };
      } catch (error) {
        save.world.signal.throwIfAborted();
        const fault = faultOfRow(error, row.id);
        return { action: 'refused', path: null, fault, isChanged: error instanceof ChangedHash };
      }
    },
  };
}

/** Returns the state of a row without a file that can be downloaded. */
export function noFileStateOf(row: Attachment): 'withheld' | 'absent' {
  return fileStateOf(row) === 'absent' ? 'absent' : 'withheld';
}

function reasonPart(row: Attachment): { reason?: string } {
  const reason = reasonOf(row);
  return reason === null ? {} : { reason };
}

function emptyResult(row: Attachment): PulledFile {
  const { id, sha256 } = row;
  return {
    path: null,
    id,
    verdict: noFileStateOf(row),
    expected: sha256?.toLowerCase() ?? null,
    actual: null,
    bytes: null,
    resumed_from: 0,
    attempts: 0,
    ...reasonPart(row),
  };
}

/** Throws what ends the run. */
function faultOfRow(error: unknown, id: string): Fault {
  if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
  if (error instanceof FileLeftOut) return error;
  return new Fault(error.kind, `${id}: ${error.message}`, error.detail);
}
