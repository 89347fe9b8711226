// `arx attachments pull`: downloads files while hashing them; a file gets its name only when its hash matches.
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import { openFile } from '../../client/files.ts';
import { everyRow } from '../../client/pages.ts';
import type { Attachment } from '../../contract/attachment.ts';
import type { PulledFile, PullReport } from '../../contract/report.ts';
import { Fault } from '../../faults.ts';
import { diskFault } from '../../disk-fault.ts';
import { keep, present as alreadyHere, type KeepOptions } from '../../verify/keep.ts';
import { openManifest, type Manifest } from '../../verify/manifest.ts';
import { freeName, nameKey } from '../../verify/name.ts';
import { reportOf } from '../../verify/verdicts.ts';
import { present } from '../input.ts';
import { printFiles } from './files.ts';

export const Input = z.object({
  ids: z.array(z.string().min(1)).default([]),
  city: z.string().min(1).optional(),
  all: z.boolean().default(false),
  to: z.string().min(1).default('.'),
  exactNames: z.boolean().default(false),
  force: z.boolean().default(false),
});
type Input = z.infer<typeof Input>;

export async function run(input: Input, app: App): Promise<void> {
  if ([input.ids.length > 0, input.city !== undefined, input.all].filter(Boolean).length !== 1) {
    throw new Fault('usage', 'name attachments, or --city, or --all');
  }
  const dir = resolve(app.world.cwd, input.to);
  await mkdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw diskFault(error, dir);
  });
  const manifest = await openManifest(dir);
  const taken = new Map<string, string>();
  for (const { id, path } of manifest.entries.values()) if (path !== null) taken.set(nameKey(path), id);
  const progress = app.progress();
  const files: PulledFile[] = [];
  const selection = await select(input, app);
  try {
    for await (const row of selection.rows) {
      files.push(await pullOne(row, { dir, manifest, taken, input, app }));
      progress.update({ label: 'pulled', done: files.length, unit: 'files' });
    }
  } finally {
    await progress.end();
    await manifest.close();
  }
  const report = { ...reportOf(files, selection.complete()), files } satisfies PullReport;
  await printFiles(app, report);
  const { withheld, match } = report.verdicts;
  if (withheld > 0)
    app.fail(
      new Fault('partial', `${withheld} of ${files.length} files are withheld`, { kept: `${match} files` }),
    );
  else if (files.length === 0) app.fail(new Fault('partial', 'no file was asked for that the catalogue has'));
  if (!selection.complete()) app.fail(new Fault('partial', 'the list of files may be cut'));
}

async function select(
  input: Input,
  app: App,
): Promise<{ rows: AsyncIterable<Attachment>; complete: () => boolean }> {
  const client = await app.client();
  if (input.ids.length > 0) {
    async function* named(): AsyncGenerator<Attachment> {
      for (const id of input.ids) {
        try {
          yield (await client.attachment(id)).body;
        } catch (error) {
          if (!(error instanceof Fault) || error.kind !== 'not_found') throw error;
          app.fail(error);
        }
      }
    }
    return { rows: named(), complete: () => true };
  }
  const filter = present({ origin_city: input.city });
  return everyRow(
    async (window) => (await client.attachments({ ...filter, ...window })).body,
    (row) => row.id,
  );
}

type Place = { dir: string; manifest: Manifest; taken: Map<string, string>; input: Input; app: App };

/** One file's fate; a failure is counted and never stops the others, unless the run itself ends. */
async function pullOne(row: Attachment, { dir, manifest, taken, input, app }: Place): Promise<PulledFile> {
  const sha256 = row.sha256.toLowerCase();
  const file = {
    path: null,
    id: row.id,
    expected: sha256,
    actual: null,
    bytes: null,
    resumed_from: 0,
    attempts: 0,
  };
  if (row.redacted || row.file_url === null) {
    await manifest.add({ id: row.id, path: null, sha256, bytes: row.bytes ?? null, redacted: true });
    return { ...file, verdict: 'withheld' };
  }
  try {
    const known = manifest.entries.get(row.id)?.path;
    const { name, changed } =
      known === undefined || known === null
        ? freeName(row.id, row.filename, taken, { exact: input.exactNames })
        : { name: known, changed: false };
    taken.set(nameKey(name), row.id);
    if (changed) app.notice(`${row.id}: its name is not safe here and is kept as ${name}`);
    const target = { dir, name, sha256, ...present({ bytes: row.bytes }) };
    const options: KeepOptions = {
      force: input.force,
      randomBytes: app.world.randomBytes,
      signal: app.world.signal,
    };
    const here = await alreadyHere(target, options);
    const kept = here ?? (await keep(await bytesOf(row.file_url, app), target, options));
    if (here !== undefined) app.log(`${name}: already here, verified`);
    await manifest.add({ id: row.id, path: name, sha256, bytes: kept.bytes, redacted: false });
    return {
      ...file,
      path: name,
      verdict: 'match',
      actual: kept.sha256,
      bytes: kept.bytes,
      attempts: here === undefined ? 1 : 0,
    };
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    app.fail(new Fault(error.kind, `${row.id}: ${error.message}`, error.detail));
    return { ...file, verdict: error.kind === 'integrity' ? 'mismatch' : 'missing', attempts: 1 };
  }
}

async function bytesOf(address: string, app: App): Promise<AsyncIterable<Uint8Array>> {
  const access = await app.files();
  const retries = app.settings.retries.value;
  return (await openFile(address, { ...access, world: app.world, retries, log: app.log })).bytes;
}
