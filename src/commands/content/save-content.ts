// `arx content get MSG… --save DIR`: saves records as received, their stored bytes and the files that they name.
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import type { Content, RawRecord } from '../../contract/content.ts';
import { STORED_EXTENSIONS, storedExtension } from '../../contract/message-format.ts';
import type { PulledFile, PullReport } from '../../contract/reports/files.ts';
import { Fault } from '../../faults.ts';
import { FileLeftOut } from '../../download/download-limits.ts';
import { saveVerified } from '../../download/save-verified.ts';
import type { ManifestEntry } from '../../download/manifest.ts';
import { safeName } from '../../download/safe-name.ts';
import { verifyReportOf } from '../../verify/verdicts.ts';
import { attachmentSource } from '../attachments/catalogue.ts';
import { printFileReport } from '../attachments/file-report.ts';
import { failWithheld } from '../shared/unavailable.ts';
import { limitedNotices, type LimitedNotices } from '../attachments/notices.ts';
import { openRowPuller, type RowPuller } from '../attachments/pull-rows.ts';
import { changesAmong, countContradictions } from '../lists/contradictions.ts';
import { limitDownloads, type LimitedDownloads } from '../shared/download-limits.ts';
import { findRecords } from '../lists/find-record.ts';
import { openTargetFolder } from '../../download/target-folder.ts';
import { isOfOneRecord } from '../lists/single-record.ts';
import { storedBytes } from './stored-bytes.ts';

/** A record that is saved. */
export type SavedRecord = {
  message: string;
  view: 'raw' | 'lore';
  content: Content;
  /** The response body as received. */
  text: string;
};

/** Where records are saved. `messages`: all that may come, whose names no file gets. */
type Saving = {
  dir: string;
  force: boolean;
  messages: readonly string[];
  view: 'raw' | 'lore';
  maxRate?: number | undefined;
  maxBytes?: number | undefined;
};

/**
 * Saves records and prints a report of their files. Each file is verified by the hash in the archive. A file that cannot be
 * had is a line of the report and a Fault of the run; the others are saved.
 */
export async function save(
  records: AsyncIterable<SavedRecord>,
  { dir, force, messages, view, ...limits }: Saving,
  app: App,
): Promise<void> {
  const limited = limitDownloads(limits, app);
  // A message that cannot be read leaves no folder.
  const reading = records[Symbol.asyncIterator]();
  const first = await reading.next();
  const folder = await openTargetFolder(resolve(app.world.cwd, dir));
  const notices = limitedNotices(app.notice);
  try {
    const own = messages.flatMap((message) => [
      nameOf(message, `${view}.json`),
      ...(view === 'raw' ? STORED_EXTENSIONS.map((extension) => nameOf(message, extension)) : []),
    ]);
    const entries = new Map(own.map((name) => [name, reserved(name)]));
    const puller = await openRowPuller(folder.path, { force, entries }, app);
    const files: PulledFile[] = [];
    const stored = new Set<PulledFile>();
    try {
      for (let next = first; next.done !== true; next = await reading.next()) {
        try {
          await saveOne(
            next.value,
            { dir: folder.path, force, puller, files, stored, notices, limited },
            app,
          );
        } catch (error) {
          if (messages.length === 1 || !isOfOneRecord(error)) throw error;
          app.addFault(error);
        }
      }
    } finally {
      await puller.close();
      await reading.return?.();
    }
    notices.end('records are saved');
    limited.end();
    const report = { ...verifyReportOf(files, true), files } satisfies PullReport;
    await printFileReport(app, report);
    // Of stored bytes that are withheld their own Fault says why.
    failWithheld(app, { ...report, files: files.filter((file) => !stored.has(file)) });
  } finally {
    await folder.close();
  }
}

type Place = {
  dir: string;
  force: boolean;
  puller: RowPuller;
  files: PulledFile[];
  /** Those of `files` that are stored bytes of a message. */
  stored: Set<PulledFile>;
  notices: Pick<LimitedNotices, 'add'>;
  limited: LimitedDownloads;
};

async function saveOne(saved: SavedRecord, place: Place, app: App): Promise<void> {
  const { message, view, content, text } = saved;
  const { files, puller } = place;
  const name = nameOf(message, `${view}.json`);
  await put(Buffer.from(text), name, place, app);
  place.notices.add(`the record is in ${name}`);
  if (view === 'raw') {
    const record = content.data as RawRecord;
    const file = await saveStored(record, message, place, app);
    place.stored.add(file);
    files.push(file);
  }
  for (const row of await named(content, app)) {
    const { file, fault } = await puller.pull(row);
    files.push(file);
    if (fault !== undefined) place.limited.addFault(fault);
  }
}

const nameOf = (message: string, extension: string): string =>
  safeName(message, `${message}.${extension}`).name;

/** Returns a manifest entry that reserves a name, so that no file of the message gets it. */
const reserved = (path: string): ManifestEntry => ({
  id: `/${path}`,
  path,
  sha256: '',
  bytes: null,
  redacted: false,
});

async function saveStored(record: RawRecord, message: string, place: Place, app: App): Promise<PulledFile> {
  const file: PulledFile = {
    path: null,
    id: message,
    verdict: 'withheld',
    expected: record.sha256?.toLowerCase() ?? null,
    actual: null,
    bytes: null,
    resumed_from: 0,
    attempts: 1,
  };
  try {
    const bytes = await storedBytes(record, message, app);
    const name = nameOf(message, storedExtension(record.format));
    const sha256 = await put(bytes, name, place, app);
    return { ...file, path: name, verdict: 'match', actual: sha256, bytes: bytes.length };
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    const kept = `the record, in ${nameOf(message, 'raw.json')}`;
    place.limited.addFault(
      error instanceof FileLeftOut ? error : new Fault(error.kind, error.message, { ...error.detail, kept }),
    );
    if (error instanceof FileLeftOut) return { ...file, verdict: 'missing' };
    const verdict = { partial: 'withheld', integrity: 'mismatch' }[error.kind as string] ?? 'missing';
    return { ...file, verdict: verdict as PulledFile['verdict'] };
  }
}

async function put(
  bytes: Buffer,
  name: string,
  { dir, force }: Pick<Place, 'dir' | 'force'>,
  app: App,
): Promise<string> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  await saveVerified(stream(), { dir, name, sha256, bytes: bytes.length }, { force, world: app.world });
  return sha256;
}

/** Returns the catalogue rows of the attachments and assets that the record names. A missing row is a notice. */
async function named({ data }: Content, app: App): Promise<Attachment[]> {
  const { attachments = [] } = data as RawRecord;
  const assets = data.pipeline?.assets.map(({ asset_id: id }) => id) ?? [];
  const rows: Attachment[] = [];
  const ids = new Set([...attachments, ...assets]);
  for await (const found of findRecords(ids, await attachmentSource(app), app)) {
    if ('row' in found) rows.push(found.row);
    else if (found.fault.kind === 'not_found') app.notice(`${found.id} is not in the catalogue`);
    else app.addFault(found.fault);
  }
  countContradictions(app, undefined, changesAmong((await app.client()).changesOf('attachments'), ids));
  return rows;
}
