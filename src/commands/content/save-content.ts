// `arx content get MSG --save DIR`: saves the record as received, its stored bytes and the files that it names.
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import type { Content, RawRecord } from '../../contract/content.ts';
import { storedExtension } from '../../contract/message-format.ts';
import type { PulledFile, PullReport } from '../../contract/reports/files.ts';
import { Fault } from '../../faults.ts';
import { saveVerified } from '../../download/save-verified.ts';
import type { ManifestEntry } from '../../download/manifest.ts';
import { safeName } from '../../download/safe-name.ts';
import { verifyReportOf } from '../../verify/verdicts.ts';
import { attachmentSource } from '../attachments/catalogue.ts';
import { printFileReport } from '../attachments/file-report.ts';
import { failWithheld } from '../attachments/withheld.ts';
import { pullRows } from '../attachments/pull-rows.ts';
import { changesAmong, countContradictions } from '../contradictions.ts';
import { findRecords } from '../find-record.ts';
import { openTargetFolder } from '../../download/target-folder.ts';
import { storedBytes } from './stored-bytes.ts';

type Saving = {
  message: string;
  view: 'raw' | 'lore';
  dir: string;
  force: boolean;
  content: Content;
  /** The response body as received. */
  text: string;
};

/**
 * Saves a record and prints a report of its files. Each file is verified by the hash in the archive. A file that cannot be
 * had is a line of the report and a Fault of the run; the others are saved.
 */
export async function save(saving: Saving, app: App): Promise<void> {
  const { message, view, content, text } = saving;
  const folder = await openTargetFolder(resolve(app.world.cwd, saving.dir));
  try {
    const dir = folder.path;
    const name = safeName(message, `${message}.${view}.json`).name;
    const entries = new Map([[name, reserved(name)]]);
    await put(Buffer.from(text), { dir, name }, saving, app);
    app.notice(`the record is in ${name}`);
    const files: PulledFile[] = [];
    if (view === 'raw') {
      const record = content.data as RawRecord;
      const own = safeName(message, `${message}.${storedExtension(record.format)}`).name;
      entries.set(own, reserved(own));
      files.push(await stored(record, { dir, name: own }, saving, app));
    }
    const rows = await named(content, app);
    for (const { file, fault } of await pullRows(dir, rows, { force: saving.force, entries }, app)) {
      files.push(file);
      if (fault !== undefined) app.addFault(fault);
    }
    const report = { ...verifyReportOf(files, true), files } satisfies PullReport;
    await printFileReport(app, report);
    failWithheld(app, report);
  } finally {
    await folder.close();
  }
}

/** Returns a manifest entry that reserves a name, so that no file of the message gets it. */
const reserved = (path: string): ManifestEntry => ({
  id: `/${path}`,
  path,
  sha256: '',
  bytes: null,
  redacted: false,
});

async function stored(
  record: RawRecord,
  place: { dir: string; name: string },
  saving: Saving,
  app: App,
): Promise<PulledFile> {
  const file: PulledFile = {
    path: null,
    id: saving.message,
    verdict: 'withheld',
    expected: record.sha256?.toLowerCase() ?? null,
    actual: null,
    bytes: null,
    resumed_from: 0,
    attempts: 1,
  };
  try {
    const bytes = await storedBytes(record, saving.message, app);
    const sha256 = await put(bytes, place, saving, app);
    return { ...file, path: place.name, verdict: 'match', actual: sha256, bytes: bytes.length };
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    app.addFault(error);
    const verdict = { partial: 'withheld', integrity: 'mismatch' }[error.kind as string] ?? 'missing';
    return { ...file, verdict: verdict as PulledFile['verdict'] };
  }
}

async function put(
  bytes: Buffer,
  place: { dir: string; name: string },
  { force }: Saving,
  app: App,
): Promise<string> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  await saveVerified(stream(), { ...place, sha256, bytes: bytes.length }, { force, world: app.world });
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
