// `arx content get MSG --save DIR`: the record as received, its stored bytes and the files it names, none over another.
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import type { Content, RawRecord } from '../../contract/content.ts';
import type { PulledFile, PullReport } from '../../contract/reports/files.ts';
import { Fault } from '../../faults.ts';
import { saveVerified } from '../../download/save-verified.ts';
import type { ManifestEntry } from '../../download/manifest.ts';
import { safeName } from '../../download/safe-name.ts';
import { verifyReportOf } from '../../verify/verdicts.ts';
import { printFileReport } from '../attachments/file-report.ts';
import { pullRows } from '../attachments/pull-rows.ts';
import { openTargetFolder } from '../../download/target-folder.ts';
import { storedBytes } from './stored-bytes.ts';

type Saving = {
  message: string;
  view: 'raw' | 'lore';
  dir: string;
  force: boolean;
  content: Content;
  /** The answer as received. */
  text: string;
};

/** Extensions of stored messages by their format; what is not known is bytes. */
const EXTENSIONS: Record<string, string> = { rfc822: 'eml', slack: 'json' };

/** Each file is checked against the hash that the archive has of it; what cannot be had is told, and the rest comes. */
export async function save(saving: Saving, app: App): Promise<void> {
  const { message, view, content, text } = saving;
  const folder = await openTargetFolder(resolve(app.world.cwd, saving.dir));
  try {
    const dir = folder.path;
    const name = safeName(message, `${message}.${view}.json`).name;
    const entries = new Map([[name, taken(name)]]);
    await put(Buffer.from(text), { dir, name }, saving, app);
    app.notice(`the record is in ${name}`);
    const files: PulledFile[] = [];
    if (view === 'raw') {
      const record = content.data as RawRecord;
      const own = safeName(message, `${message}.${EXTENSIONS[record.format ?? ''] ?? 'bin'}`).name;
      entries.set(own, taken(own));
      files.push(await stored(record, { dir, name: own }, saving, app));
    }
    const rows = await named(content, app);
    for (const { file, fault } of await pullRows(dir, rows, { force: saving.force, entries }, app)) {
      files.push(file);
      if (fault !== undefined) app.addFault(fault);
    }
    const report = { ...verifyReportOf(files, true), files } satisfies PullReport;
    await printFileReport(app, report);
    const { withheld, match } = report.verdicts;
    if (withheld > 0)
      app.addFault(
        new Fault('partial', `${withheld} of ${files.length} files are withheld`, {
          kept: `${match} files`,
        }),
      );
  } finally {
    await folder.close();
  }
}

/** A name that no file of the message may have. */
const taken = (path: string): ManifestEntry => ({
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

/** Rows of the attachments and assets it names; what the catalogue does not know is said. */
async function named({ data }: Content, app: App): Promise<Attachment[]> {
  const { attachments = [] } = data as RawRecord;
  const assets = data.pipeline?.assets.map(({ asset_id: id }) => id) ?? [];
  const client = await app.client();
  const rows: Attachment[] = [];
  for (const id of new Set([...attachments, ...assets])) {
    try {
      rows.push((await client.attachment(id)).body);
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'not_found') throw error;
      app.notice(`${id}: the catalogue does not have it`);
    }
  }
  return rows;
}
