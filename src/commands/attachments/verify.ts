// `arx attachments verify [DIR]`: holds what is on disk against a pull's manifest, the catalogue, a sums file or as a bag.
import { lstat, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import { isPullable } from '../../contract/attachment-file.ts';
import type { VerifyReport } from '../../contract/reports/files.ts';
import { Fault } from '../../faults.ts';
import { bagFaultsOf, checkBag } from '../../bagit/validate.ts';
import { openFolderSource } from '../../bagit/folder-source.ts';
import { openZipSource } from '../../bagit/zip-source.ts';
import { compareFolder, readFolder, type VerifyOptions } from '../../verify/check-folder.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { MANIFEST_FILE, readManifest } from '../../download/manifest.ts';
import { isOwnFile } from '../../download/own-files.ts';
import { parseChecksumList } from '../../verify/checksum-list.ts';
import { verifyFaultsOf, verifyReportOf, type ExpectedFile } from '../../verify/verdicts.ts';
import { readReferenceFile } from '../../verify/reference-file.ts';
import { OutputFile, writeHtmlPage } from '../output-file.ts';
import { wholeCatalogue } from './catalogue.ts';
import { printFileReport } from './file-report.ts';
import { limitedNotices } from './notices.ts';
import { spareMemory } from './v8-flags.ts';

const Witness = z.enum(['manifest', 'catalogue', 'sums', 'bag']);
type Witness = z.infer<typeof Witness>;

export const Input = z.object({
  dir: z.string().min(1).default('.'),
  against: Witness.optional(),
  offline: z.boolean().default(false),
  html: OutputFile.optional(),
  force: z.boolean().default(false),
});
type Input = z.infer<typeof Input>;

const SUMS_FILE = 'SHA256SUMS';
/** The file that speaks for a folder, in the order they are looked for. */
const FILES = { manifest: MANIFEST_FILE, sums: SUMS_FILE, bag: 'bagit.txt' };
const HINT = 'against the catalogue itself: --against catalogue';

export async function run(input: Input, app: App): Promise<void> {
  if (input.offline && input.against === 'catalogue')
    throw new Fault('usage', '--offline: the catalogue is asked from the service');
  if (input.force && input.html === undefined && !app.isRecorded)
    throw new Fault('usage', '--force goes with --html FILE');
  const path = resolve(app.world.cwd, input.dir);
  const isFolder = await lookAt(path, input.against);
  const witness = isFolder ? await chooseWitness(input.against, path) : 'bag';
  const progress = app.progress();
  let bytes = 0;
  const options: VerifyOptions = {
    signal: app.world.signal,
    thread: app.world.thread,
    onBytes: (count) => progress.update({ label: 'verified', done: (bytes += count), unit: 'bytes' }),
  };
  const checking =
    witness === 'bag' ? checkPackage(path, isFolder, options, app) : checkFolder(path, witness, options, app);
  const report = await checking.finally(() => progress.end());
  if (input.html !== undefined) {
    const { verifyPage } = await import('../../format/html/verify-page.ts');
    await writeHtmlPage(input.html, verifyPage(report, input.dir, app.version), input.force, app);
  }
  await printFileReport(app, report);
  const odd = limitedNotices(app.notice);
  for (const { kind, what } of report.bag?.problems ?? []) if (kind === 'odd') odd.add(what);
  odd.end('oddities of the bag');
  for (const fault of [...verifyFaultsOf(report), ...bagFaultsOf(report.bag)]) app.addFault(fault);
}

/** Whether it is a folder; only a bag may be a file. */
async function lookAt(path: string, against: Witness | undefined): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw diskFault(error, path);
  });
  if (found === undefined) {
    throw new Fault('not_found', `${path} does not exist`, { hint: 'name the folder of a pull' });
  }
  if (found.isFile() && (against === 'bag' || (against === undefined && path.endsWith('.zip')))) return false;
  if (!found.isDirectory()) throw new Fault('unsafe', `${path} is not a folder`);
  return true;
}

/** What was named, else the first that is there. */
async function chooseWitness(named: Witness | undefined, dir: string): Promise<Witness> {
  if (named === 'catalogue') return named;
  for (const witness of ['manifest', 'sums', 'bag'] as const) {
    if (named !== undefined && named !== witness) continue;
    if (await isThere(join(dir, FILES[witness]))) return witness;
    if (named === witness)
      throw new Fault(
        'not_found',
        `${dir} has no ${FILES[witness]}`,
        witness === 'bag' ? {} : { hint: HINT },
      );
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

async function checkPackage(
  path: string,
  isFolder: boolean,
  options: VerifyOptions,
  app: App,
): Promise<VerifyReport> {
  spareMemory();
  const source = await (isFolder ? openFolderSource(path, options.signal) : openZipSource(path));
  try {
    return await checkBag(source, path, { ...options, warn: app.notice });
  } finally {
    source.close();
  }
}

/** Files are hashed while the witness is read. */
async function checkFolder(
  dir: string,
  witness: Exclude<Witness, 'bag'>,
  options: VerifyOptions,
  app: App,
): Promise<VerifyReport> {
  const observing = readFolder(dir, { ...options, isIgnored: isOwnFile });
  try {
    await observing.listed;
    const { expected, whole } = await expectation(witness, dir, app);
    const files = compareFolder(expected, await observing.contents);
    // The sums file is the witness, not part of the collection.
    return verifyReportOf(witness === 'sums' ? files.filter(({ path }) => path !== SUMS_FILE) : files, whole);
  } catch (error) {
    await observing.stop();
    throw error;
  }
}

async function expectation(
  witness: Exclude<Witness, 'bag'>,
  dir: string,
  app: App,
): Promise<{ expected: ExpectedFile[]; whole: boolean }> {
  if (witness === 'catalogue') return await catalogue(dir, app);
  if (witness === 'sums') {
    const sums = (await readReferenceFile(dir, SUMS_FILE))?.toString() ?? '';
    return { expected: parseChecksumList(sums), whole: true };
  }
  const manifest = await readManifest(dir);
  const expected = [...(manifest?.values() ?? [])];
  // What a manifest names is what was asked for then, which may not be all there is.
  return { expected, whole: expected.length > 0 };
}

async function catalogue(dir: string, app: App): Promise<{ expected: ExpectedFile[]; whole: boolean }> {
  const manifest = await readManifest(dir);
  const listing = await wholeCatalogue(app);
  const expected: ExpectedFile[] = [];
  for await (const row of listing.rows) {
    const { id, sha256 } = row;
    expected.push({
      id,
      path: manifest?.get(id)?.path ?? null,
      sha256,
      redacted: !isPullable(row),
      bytes: row.bytes ?? null,
    });
  }
  const fault = listing.fault();
  if (fault !== undefined) app.addFault(fault);
  return { expected, whole: listing.complete() };
}
