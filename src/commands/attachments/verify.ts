// `arx attachments verify [DIR]`: holds what is on disk against the manifest of a pull, the catalogue or a sums file.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import { everyRow } from '../../client/pages.ts';
import { Fault } from '../../faults.ts';
import { checkFolder } from '../../verify/check.ts';
import { diskFault } from '../../disk-fault.ts';
import { readManifest } from '../../verify/manifest.ts';
import { parseSums } from '../../verify/sums.ts';
import { faultsOf, reportOf, type Expected } from '../../verify/verdicts.ts';
import { present } from '../input.ts';
import { printFiles } from './files.ts';

export const Input = z.object({
  dir: z.string().min(1).default('.'),
  against: z.enum(['manifest', 'catalogue', 'sums']).default('manifest'),
});
type Input = z.infer<typeof Input>;

const SUMS_FILE = 'SHA256SUMS';

export async function run(input: Input, app: App): Promise<void> {
  const dir = resolve(app.world.cwd, input.dir);
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

async function expectation(
  { against }: Input,
  dir: string,
  app: App,
): Promise<{ expected: Expected[]; whole: boolean; witness?: string }> {
  if (against === 'sums') {
    const text = await readFile(join(dir, SUMS_FILE), 'utf8').catch((error: unknown) => {
      throw diskFault(error, join(dir, SUMS_FILE));
    });
    return { expected: parseSums(text), whole: true, witness: SUMS_FILE };
  }
  const manifest = await readManifest(dir);
  // What a manifest names is what was asked for then, which may not be all there is.
  if (against === 'manifest')
    return {
      expected: [...manifest.values()].map(({ bytes, ...row }) => ({
        ...row,
        ...present({ bytes: bytes ?? undefined }),
      })),
      whole: manifest.size > 0,
    };
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
