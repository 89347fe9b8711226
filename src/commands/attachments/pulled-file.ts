// One row of a pull and what becomes of it: its name, what is here already, what is fetched, and what is told of it.
import type { App } from '../../app.ts';
import { checkedFileUrl } from '../../download/allowed-origins.ts';
import { downloadFile, type FileOptions } from '../../download/open-file.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { isPullable } from '../../contract/attachment-file.ts';
import type { PulledFile } from '../../contract/reports/files.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { Fault } from '../../faults.ts';
import {
  createFileWriter,
  mayExist,
  acceptExisting,
  findExisting as alreadyHere,
  WrongContent,
  type SavedFile,
  type SaveOptions,
  type TargetFile,
} from '../../download/verified-file.ts';
import { createSemaphore } from '../../concurrency/semaphore.ts';
import type { ManifestEntry } from '../../download/manifest.ts';
import { uniqueName, nameKey, unsafeReason } from '../../download/safe-name.ts';
import { partialKeyOf, partialFileName } from '../../download/partial-files.ts';
import {
  MAX_SMALL_FILE_BYTES,
  type PendingDownload,
  type SmallFileFetcher,
} from '../../download/small-file-fetcher.ts';
import { present } from '../input.ts';
import { fewNotices } from './notices.ts';

export type Place = {
  /** The target folder, and what its manifest says. */
  dir: string;
  entries: ReadonlyMap<string, ManifestEntry>;
  app: App;
  keeping: SaveOptions;
  /** Where there is one, and the origins that it may ask. */
  swift?: { lane: SmallFileFetcher; allowedOrigins: ReadonlySet<string> } | undefined;
  /** `concurrency`: files fetched at once. */
  input: { exactNames: boolean; concurrency: number };
};

export type Pulled = { file: PulledFile; entry?: ManifestEntry; fault?: Fault };

/** Files hashed at once to see whether they are the right ones. */
const HASHED_AT_ONCE = 4;
/** Files that are begun before their rows have a place in the list. */
const MOST_EARLY = 10_000;

export type Puller = {
  /**
   * A row that some page shows. Into an empty folder its file is fetched at once if it is small; it gets its name, and is
   * told of, only when it is pulled.
   */
  expect(row: Attachment): void;
  /** One file's fate; a failure is told and never stops the others, unless the run itself ends. */
  pull(row: Attachment): Promise<Pulled>;
  /** What it would be. Nothing is asked for or written. */
  foresee(row: Attachment): Promise<'withheld' | 'here' | 'comes' | Fault>;
  /** To be called at last: what is said of all together. */
  end(): void;
};

export function pullerFor(place: Place): Puller {
  const { dir, app, keeping, entries, input, swift } = place;
  const lane = swift?.lane;
  const { world, settings, log } = app;
  const fetches = createSemaphore(input.concurrency);
  const hashes = createSemaphore(HASHED_AT_ONCE);
  let elsewhere = 0;
  const renamed = fewNotices(app.notice);
  const taken = new Map<string, string>();
  for (const { id, path } of entries.values()) if (path !== null) taken.set(nameKey(path), id);

  /** The name of an earlier pull, else a free one, taken now. A manifest is only a file: its names are not trusted either. */
  function nameOf({ id, filename }: Attachment): string {
    const known = entries.get(id)?.path ?? '';
    if (unsafeReason(known) === undefined && taken.get(nameKey(known)) === id) return known;
    const { name, changed } = uniqueName(id, filename, taken, { exact: input.exactNames });
    taken.set(nameKey(name), id);
    if (changed) {
      const why =
        unsafeReason(filename) === undefined
          ? 'its name is taken by another file, so it is kept as'
          : 'its name is not safe here and is kept as';
      renamed.say(`${id}: ${why} ${name}`);
    }
    return name;
  }
  const targetOf = (row: Attachment): TargetFile => ({
    dir,
    name: nameOf(row),
    sha256: row.sha256.toLowerCase(),
    ...present({ bytes: row.bytes }),
  });
  async function here(target: TargetFile): Promise<SavedFile | undefined> {
    if (!mayExist(target, keeping)) return undefined;
    const release = await hashes.acquire();
    return alreadyHere(target, keeping).finally(release);
  }

  const turn = async (): Promise<() => void> => {
    const release = await fetches.acquire();
    elsewhere += 1;
    lane?.reserveConnections(elsewhere);
    return () => {
      elsewhere -= 1;
      lane?.reserveConnections(elsewhere);
      release();
    };
  };

  /** Small files the swift way; undefined where it is not for this one. */
  function beginSwiftly(url: string, sha256: string, size: number | undefined): PendingDownload | undefined {
    if (swift?.lane.isEnabled() !== true || (size ?? 0) > MAX_SMALL_FILE_BYTES) return undefined;
    if (keeping.survey.resumable.has(partialKeyOf(sha256))) return undefined;
    try {
      const temporary = partialFileName(keeping.freshKey(), world.pid);
      return swift.lane.begin(checkedFileUrl(url, swift.allowedOrigins), { temporary, sha256, size });
    } catch {
      // An address that may not be asked: the other way says so.
      return undefined;
    }
  }

  /** By id; undefined once it is pulled. */
  const early = new Map<
    string,
    { sha256: string; size: number | undefined; begun: PendingDownload } | undefined
  >();
  let ahead = 0;
  function expectRow(row: Attachment): void {
    const mayBeKnown = keeping.force || keeping.survey.names.size > 0;
    if (mayBeKnown || ahead >= MOST_EARLY || early.has(row.id) || !isPullable(row)) return;
    const [sha256, size] = [row.sha256.toLowerCase(), row.bytes];
    const begun = beginSwiftly(row.file_url, sha256, size);
    if (begun === undefined) return;
    early.set(row.id, { sha256, size, begun });
    ahead += 1;
  }
  function takeEarly(id: string, { sha256, bytes }: TargetFile): PendingDownload | undefined {
    const known = early.get(id);
    if (known === undefined) return undefined;
    early.set(id, undefined);
    ahead -= 1;
    return known.sha256 === sha256 && known.size === bytes ? known.begun : undefined;
  }

  /** Undefined where nothing came of it. */
  async function fetchSwiftly(
    url: string,
    target: TargetFile,
    file: PulledFile,
  ): Promise<SavedFile | undefined> {
    const { name, sha256 } = target;
    const begun = takeEarly(file.id!, target) ?? beginSwiftly(url, sha256, target.bytes);
    if (begun === undefined) return undefined;
    file.attempts += 1;
    const stored = await begun.end({ name, force: keeping.force }).catch((error: unknown) => {
      throw diskFault(error, name);
    });
    if (stored === 'unplain') return undefined;
    if (stored.outcome === 'taken') return acceptExisting(target, keeping);
    // Answers to requests sent ahead may have come in another order: the other way decides.
    if (stored.outcome === 'wrong') return undefined;
    keeping.onBytes?.(stored.bytes);
    return { ...stored, path: `${dir}/${name}`, outcome: 'kept' };
  }

  /** `file` is told what happens as it does. */
  async function fetch(url: string, target: TargetFile, file: PulledFile): Promise<SavedFile> {
    const options: FileOptions = {
      ...(await app.files()),
      world,
      retries: settings.retries.value,
      size: target.bytes,
      turn,
      onTry: () => void (file.attempts += 1),
      log,
    };
    const keeper = createFileWriter(target, keeping);
    const taker = {
      ...keeper,
      resume: () => {
        const range = keeper.resume();
        file.resumed_from = range?.from ?? 0;
        return range;
      },
      take: (incoming: Parameters<typeof keeper.take>[0]) => {
        file.resumed_from = incoming.from;
        return keeper.take(incoming);
      },
    };
    try {
      const whole = await keeper.whole();
      if (whole !== undefined) return whole;
      const isResumed = keeper.resume() !== undefined;
      return await downloadFile(url, options, taker).catch((error: unknown) => {
        if (!isResumed || !(error instanceof WrongContent)) throw error;
        // What was here may have been the wrong part of it (faults D7).
        log(`${target.name}: the part that was here does not belong to it, from the start again`);
        return downloadFile(url, options, taker);
      });
    } finally {
      await keeper.end();
    }
  }

  return {
    expect: expectRow,
    end: () => renamed.end('files are kept under another name'),
    async pull(row) {
      const sha256 = row.sha256.toLowerCase();
      const file: PulledFile = {
        path: null,
        id: row.id,
        verdict: 'withheld',
        expected: sha256,
        actual: null,
        bytes: null,
        resumed_from: 0,
        attempts: 0,
      };
      if (!isPullable(row)) {
        return { file, entry: { id: row.id, path: null, sha256, bytes: row.bytes ?? null, redacted: true } };
      }
      try {
        // Before the first wait, so that names are given in the order of the rows.
        const target = targetOf(row);
        const path = target.name;
        file.path = path;
        const found = await here(target);
        if (found !== undefined) log(`${path}: already here, verified`);
        const { bytes } =
          found ??
          (await fetchSwiftly(row.file_url, target, file)) ??
          (await fetch(row.file_url, target, file));
        Object.assign(file, { verdict: 'match', actual: sha256, bytes });
        return { file, entry: { id: row.id, path, sha256, bytes, redacted: false } };
      } catch (error) {
        if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
        if (error instanceof WrongContent) Object.assign(file, { actual: error.sha256, bytes: error.bytes });
        file.verdict = error.kind === 'integrity' ? 'mismatch' : 'missing';
        return { file, fault: new Fault(error.kind, `${row.id}: ${error.message}`, error.detail) };
      }
    },
    async foresee(row) {
      if (!isPullable(row)) return 'withheld';
      try {
        return (await here(targetOf(row))) === undefined ? 'comes' : 'here';
      } catch (error) {
        if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
        return new Fault(error.kind, `${row.id}: ${error.message}`, error.detail);
      }
    },
  };
}
