// `arx attachments verify [DIR]`: holds what is on disk against the manifest of a pull, the catalogue or a sums file.
import { lstat, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import { everyRow } from '../../client/pages.ts';
import type { VerifiedFile } from '../../contract/report.ts';
import { Fault } from '../../faults.ts';
import { compare, observe, type CheckOptions } from '../../verify/check.ts';
import { diskFault } from '../../disk-fault.ts';
import { MANIFEST_FILE, readManifest } from '../../verify/manifest.ts';
import { parseSums } from '../../verify/sums.ts';
import { faultsOf, reportOf, type Expected } from '../../verify/verdicts.ts';
import { readWitness } from '../../verify/witness.ts';
import { present } from '../input.ts';
import { printFiles } from './files.ts';

const Witness = z.enum(['manifest', 'catalogue', 'sums']);
type Witness = z.infer<typeof Witness>;

export const Input = z.object({
  dir: z.string().min(1).default('.'),
  against: Witness.optional(),
  offline: z.boolean().default(false),
});
type Input = z.infer<typeof Input>;

const SUMS_FILE = 'SHA256SUMS';
const FILES = { manifest: MANIFEST_FILE, sums: SUMS_FILE };
const HINT = 'against the catalogue itself: --against catalogue';

export async function run(input: Input, app: App): Promise<void> {
  if (input.offline && input.against === 'catalogue')
    throw new Fault('usage', '--offline: the catalogue is asked from the service');
  const dir = resolve(app.world.cwd, input.dir);
  await checkIsFolder(dir);
  const witness = await chooseWitness(input.against, dir);
  const progress = app.progress();
  let bytes = 0;
  const options: CheckOptions = {
    signal: app.world.signal,
    onBytes: (count) => progress.update({ label: 'verified', done: (bytes += count), unit: 'bytes' }),
  };
  const { files, whole } = await checkFiles(dir, witness, options, app).finally(() => progress.end());
  const report = reportOf(files, whole);
  await printFiles(app, report);
  for (const fault of faultsOf(report)) app.fail(fault);
}

async function checkIsFolder(dir: string): Promise<void> {
  const found = await stat(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw diskFault(error, dir);
  });
  if (found === undefined) {
    throw new Fault('not_found', `${dir} does not exist`, { hint: 'name the folder of a pull' });
  }
  if (!found.isDirectory()) throw new Fault('unsafe', `${dir} is not a folder`);
}

/** What was named, else the manifest, else the sums file. */
async function chooseWitness(named: Witness | undefined, dir: string): Promise<Witness> {
  if (named === 'catalogue') return named;
  for (const witness of ['manifest', 'sums'] as const) {
    if (named !== undefined && named !== witness) continue;
    if (await isThere(join(dir, FILES[witness]))) return witness;
    if (named === witness) throw new Fault('not_found', `${dir} has no ${FILES[witness]}`, { hint: HINT });
  }
  throw new Fault('partial', `nothing to check ${dir} against`, { hint: HINT });
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw diskFault(error, path);
    },
  );
}

type Checked = { files: VerifiedFile[]; whole: boolean };

/** Files are hashed while the witness is read. */
async function checkFiles(dir: string, witness: Witness, options: CheckOptions, app: App): Promise<Checked> {
  const observing = observe(dir, options);
  try {
    await observing.listed;
    const { expected, whole } = await expectation(witness, dir, app);
    const files = compare(expected, await observing.observation);
    // The sums file is the witness, not part of the collection.
    return { files: witness === 'sums' ? files.filter(({ path }) => path !== SUMS_FILE) : files, whole };
  } catch (error) {
    await observing.stop();
    throw error;
  }
}

async function expectation(
  witness: Witness,
  dir: string,
  app: App,
): Promise<{ expected: Expected[]; whole: boolean }> {
  if (witness === 'catalogue') return await catalogue(dir, app);
  if (witness === 'sums') {
    return { expected: parseSums((await readWitness(dir, SUMS_FILE)) ?? ''), whole: true };
  }
  const manifest = (await readManifest(dir)) ?? new Map();
  const expected = [...manifest.values()].map(({ bytes, ...row }): Expected => ({
    ...row,
    ...present({ bytes: bytes ?? undefined }),
  }));
  // What a manifest names is what was asked for then, which may not be all there is.
  return { expected, whole: manifest.size > 0 };
}

async function catalogue(dir: string, app: App): Promise<{ expected: Expected[]; whole: boolean }> {
  const manifest = await readManifest(dir);
  const client = await app.client();
  const listing = everyRow(
    async (window) => (await client.attachments(window)).body,
    (row) => row.id,
  );
  const expected: Expected[] = [];
  for await (const row of listing.rows) {
    const { id, sha256, redacted } = row;
    expected.push({
      id,
      path: manifest?.get(id)?.path ?? null,
      sha256,
      redacted,
      ...present({ bytes: row.bytes }),
    });
  }
  if (!listing.complete())
    app.fail(new Fault('partial', 'the catalogue may be cut: completeness is not known'));
  return { expected, whole: listing.complete() };
}
