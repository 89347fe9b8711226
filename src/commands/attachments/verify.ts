// `arx attachments verify [DIR]`: holds what is on disk against the manifest of a pull, the catalogue or a sums file.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import { everyRow } from '../../client/pages.ts';
import { Fault } from '../../faults.ts';
import { checkFolder } from '../../verify/check.ts';
import { diskFault } from '../../disk-fault.ts';
import { MANIFEST_FILE, readManifest, type ManifestEntry } from '../../verify/manifest.ts';
import { parseSums } from '../../verify/sums.ts';
import { faultsOf, reportOf, type Expected } from '../../verify/verdicts.ts';
import { readWitness } from '../../verify/witness.ts';
import { present } from '../input.ts';
import { printFiles } from './files.ts';

export const Input = z.object({
  dir: z.string().min(1).default('.'),
  against: z.enum(['manifest', 'catalogue', 'sums']).optional(),
});
type Input = z.infer<typeof Input>;

type Expectation = { expected: Expected[]; whole: boolean; witness?: string };

const SUMS_FILE = 'SHA256SUMS';
const HINT = 'against the catalogue itself: --against catalogue';

export async function run(input: Input, app: App): Promise<void> {
  const dir = resolve(app.world.cwd, input.dir);
  await checkIsFolder(dir);
  const { expected, whole, witness } = await expectation(input, dir, app);
  const progress = app.progress();
  let bytes = 0;
  const files = [];
  try {
    const options = {
      signal: app.world.signal,
      onBytes: (count: number) =>
        progress.update({ label: 'verified', done: (bytes += count), unit: 'bytes' }),
    };
    // The sums file is the witness, not part of the collection.
    for await (const file of checkFolder(dir, expected, options)) if (file.path !== witness) files.push(file);
  } finally {
    await progress.end();
  }
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
async function expectation({ against }: Input, dir: string, app: App): Promise<Expectation> {
  if (against === 'catalogue') return catalogue((await readManifest(dir)) ?? new Map(), app);
  if (against !== 'sums') {
    const manifest = await readManifest(dir);
    if (manifest !== undefined) {
      const expected = [...manifest.values()].map(({ bytes, ...row }): Expected => ({
        ...row,
        ...present({ bytes: bytes ?? undefined }),
      }));
      // What a manifest names is what was asked for then, which may not be all there is.
      return { expected, whole: manifest.size > 0 };
    }
  }
  if (against !== 'manifest') {
    const text = await readWitness(dir, SUMS_FILE);
    if (text !== undefined) return { expected: parseSums(text), whole: true, witness: SUMS_FILE };
  }
  if (against === undefined) throw new Fault('partial', `nothing to check ${dir} against`, { hint: HINT });
  const name = against === 'sums' ? SUMS_FILE : MANIFEST_FILE;
  throw new Fault('not_found', `${dir} has no ${name}`, { hint: HINT });
}

async function catalogue(manifest: ReadonlyMap<string, ManifestEntry>, app: App): Promise<Expectation> {
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
      path: manifest.get(id)?.path ?? null,
      sha256,
      redacted,
      ...present({ bytes: row.bytes }),
    });
  }
  if (!listing.complete())
    app.fail(new Fault('partial', 'the catalogue may be cut: completeness is not known'));
  return { expected, whole: listing.complete() };
}
