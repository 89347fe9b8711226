// Imports archives: detects what each path is, reads it, stores what is new, and accounts for every message read.
import { stat } from 'node:fs/promises';
import type { ImportReport } from '../../contract/reports/archive.ts';
import { Fault } from '../../faults.ts';
import type { Archive } from '../store/archive.ts';
import { DatabaseTrouble, troubleFault } from '../store/sql/database-error.ts';
import { createDrain } from '../store/event-worker.ts';
import { KEPT, storeItems, type ImportCounts } from './store-items.ts';
import { detect, detectAs, type Detected } from './detect.ts';
import { readFolder } from './folder.ts';
import { readMaildir, readMailFile } from './maildir.ts';
import { readMbox } from './mbox.ts';
import type { RawMail, ImportItem, SourceKind } from '../records/import-items.ts';
import { readSlack } from './slack/export.ts';

/** How far the reading of one path is: messages read, and bytes `done` of `total` where it is one mbox (else null). */
export type ImportProgress = {
  path: string;
  kind: SourceKind;
  read: number;
  done: number | null;
  total: number | null;
};

/** A file that was not written to for so long is written by nobody. */
const UNFINISHED_MS = 3_600_000;

export type ImportOptions = {
  /** City label for files that have none of their own. */
  originCity?: string;
  /** The reader for all paths; without it each path tells its own. */
  kind?: SourceKind;
  signal: AbortSignal;
  progress?(state: ImportProgress): void;
};

type Readable = Exclude<Detected, 'uploads'>;

/**
 * Imports the paths in order. A message is known by the hash of its stored bytes, so a second import adds nothing
 * and one that was killed goes on where it stopped; `read = stored + known + refused` for each path. `conversations`
 * are those the archive has now. Throws a usage Fault before anything is stored where a path cannot be imported, and
 * the signal's reason when it is aborted; what was stored by then stays.
 */
export async function importPaths(
  archive: Archive,
  paths: readonly string[],
  { originCity, kind: forced, signal, progress }: ImportOptions,
): Promise<ImportReport> {
  const { readable, companions } = await detectAll(paths, forced);
  try {
    return await importAll(archive, readable, {
      originCity: originCity ?? null,
      companions,
      signal,
      progress,
    });
  } catch (error) {
    throw error instanceof DatabaseTrouble ? troubleFault(error, KEPT) : error;
  }
}

type Readables = { path: string; detected: Readable }[];
type Common = Pick<Reading, 'originCity' | 'companions'> & {
  signal: AbortSignal;
  progress: ImportOptions['progress'];
};

async function importAll(
  archive: Archive,
  readable: Readables,
  { progress, ...common }: Common,
): Promise<ImportReport> {
  // What a killed import left of unfinished files.
  await archive.blobs.sweep(archive.now() - UNFINISHED_MS);
  const report: ImportReport = { version: 1, sources: [], conversations: 0, refused: [] };
  for (const { path, detected } of readable) {
    const kinds = new Set<SourceKind>();
    const met = (one: SourceKind) => void kinds.add(one);
    const reading = { ...common, met };
    const { kind, read: items } = READERS[detected];
    const total = kind === 'mbox' ? (await stat(path)).size : null;
    const { messages, attachments, refused } = await storeItems(archive, items(path, reading), {
      ...reading,
      stored: ({ messages: { read } }, position) =>
        progress?.({ path, kind, read, done: total === null ? null : position, total }),
    });
    const [only = kind, another] = kinds;
    report.sources.push({ path, kind: another === undefined ? only : 'folder', messages, attachments });
    report.refused.push(...refused);
  }
  // Events that waited for what has come now; what another process works on beside us may be done by it.
  await createDrain(archive)();
  const row = await archive.database.get<{ n: number }>('SELECT COUNT(*) AS n FROM conversations');
  report.conversations = row?.n ?? 0;
  return report;
}

/** Stores records that were made and not read (the sample archive); the same rules and counts. */
export function importItems(archive: Archive, items: AsyncIterable<ImportItem>): Promise<ImportCounts> {
  return storeItems(archive, items, {
    originCity: null,
    signal: new AbortController().signal,
    stored: () => {},
  });
}

async function detectAll(paths: readonly string[], kind: SourceKind | undefined) {
  const readable: Readables = [];
  const companions: string[] = [];
  for (const path of paths) {
    const detected = await (kind === undefined ? detect(path) : detectAs(path, kind));
    if (detected === 'uploads') companions.push(path);
    else readable.push({ path, detected });
  }
  if (companions.length > 0 && !readable.some(({ detected }) => detected === 'slack')) {
    throw new Fault('usage', `${companions[0]} holds only the uploads of a Slack export`, {
      hint: 'name the export in the same command',
    });
  }
  return { readable, companions };
}

type Reading = {
  originCity: string | null;
  signal: AbortSignal;
  companions: readonly string[];
  met(kind: SourceKind): void;
};
type Reader = { kind: SourceKind; read(path: string, reading: Reading): AsyncIterable<ImportItem | RawMail> };

const READERS: Record<Readable, Reader> = {
  mbox: { kind: 'mbox', read: (path) => readMbox(path) },
  maildir: { kind: 'maildir', read: readMaildir },
  mail: { kind: 'mail', read: readOneMail },
  mails: { kind: 'mail', read: (path, reading) => readFolder(path, { ...reading, files: 'mails' }) },
  'every-mail': { kind: 'mail', read: (path, reading) => readFolder(path, { ...reading, files: 'mail' }) },
  slack: { kind: 'slack', read: readSlack },
  folder: { kind: 'folder', read: readFolder },
  'every-file': { kind: 'folder', read: (path, reading) => readFolder(path, { ...reading, files: 'file' }) },
};

async function* readOneMail(path: string): AsyncGenerator<ImportItem | RawMail> {
  yield readMailFile(path);
}
