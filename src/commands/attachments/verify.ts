// `arx attachments verify [DIR]`: compares files with a pull's manifest, the catalogue or a checksum list, or checks a bag.
import { lstat, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { fileStateOf, isPullable, reasonOf } from '../../contract/attachment-file.ts';
import { sameHash } from '../../contract/scalars.ts';
import type { VerifiedFile, VerifyReport } from '../../contract/reports/files.ts';
import { Fault } from '../../faults.ts';
import { bagFaultsOf, checkBag } from '../../bagit/validate.ts';
import { openFolderSource } from '../../bagit/folder-source.ts';
import { openZipSource } from '../../bagit/zip-source.ts';
import { compareFolder, readFolder, type VerifyOptions } from '../../verify/check-folder.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import {
  isKept,
  MANIFEST_FILE,
  readManifest,
  type KeptEntry,
  type ManifestEntry,
} from '../../download/manifest.ts';
import { isOwnFile } from '../../download/own-files.ts';
import { isUndecidedMark, isUnfinishedMark } from '../../download/unfinished-pull.ts';
import { parseChecksumList } from '../../verify/checksum-list.ts';
import { verifyFaultsOf, verifyReportOf, type ExpectedFile, type Reference } from '../../verify/verdicts.ts';
import { readReferenceFile } from '../../verify/reference-file.ts';
import { formatBytes } from '../../format/numbers.ts';
import { checkOutputFile, OutputFile, writeHtmlPage } from '../shared/output-file.ts';
import { printFileReport } from './file-report.ts';
import { checkSelectors, optionOf, Selectors, SELECTOR_NAMES } from './filter.ts';
import { missedFiles } from './kept-files.ts';
import { unlistedText } from './kept-file-news.ts';
import { withNewerEntries } from './newer-entries.ts';
import { limitedNotices } from './notices.ts';
import { failIncomplete, select } from './selection.ts';
import { spareMemory } from '../shared/v8-flags.ts';
import { checkAllowWithheld } from '../shared/unavailable.ts';
import { sayUndecided, unfinishedPullFault } from './unfinished-pull.ts';

export const Input = Selectors.extend({
  dir: z.string().min(1).default('.'),
  against: z.enum(['manifest', 'catalogue', 'sums', 'bag']).optional(),
  offline: z.boolean().default(false),
  html: OutputFile.optional(),
  force: z.boolean().default(false),
  allowWithheld: z.boolean().default(false),
});
type Input = z.infer<typeof Input>;

/** The options that select rows of the catalogue. */

const SUMS_FILE = 'SHA256SUMS';
/** The reference file of each kind; the first that exists is used. */
const FILES = { manifest: MANIFEST_FILE, sums: SUMS_FILE, bag: 'bagit.txt' };
const HINT = 'against the catalogue itself: --against catalogue';

export async function run(input: Input, app: App): Promise<void> {
  if (input.offline && input.against === 'catalogue')
    throw new Fault('usage', '--against catalogue asks the service, so it does not go with --offline');
  checkAllowWithheld(input, app);
  await checkPart(input, app);
  checkOutputFile('--html', { file: input.html, force: input.force }, app);
  const { report, faults } = await verifyPath(input.dir, input.against, app, input);
  if (input.html !== undefined) {
    const { verifyPage } = await import('../../format/html/verify-page.ts');
    await writeHtmlPage(input.html, verifyPage(report, input.dir, app.version), input.force, app);
  }
  if (input.html !== '-') await printFileReport(app, report);
  const odd = limitedNotices(app.notice);
  for (const { kind, what } of report.bag?.problems ?? [])
    if (kind === 'odd' || (kind === 'lacking' && !app.strict)) odd.add(what);
  odd.end('oddities of the bag');
  for (const fault of faults) app.addFault(fault);
}

/** Throws Fault 'usage' for options that select rows of the catalogue where it is not compared with, or whose values are wrong. */
async function checkPart(input: Input, app: App): Promise<void> {
  const given = SELECTOR_NAMES.find((name) => input[name] !== undefined);
  if (given !== undefined && input.against !== 'catalogue') {
    throw new Fault(
      'usage',
      `${optionOf(given)} goes with --against catalogue: it compares with a part of it`,
    );
  }
  await checkSelectors(input, app);
}

/**
 * Compares the files of a folder, or of a bag, with their reference; without one, with the first that is there. `part`: which rows of
 * the catalogue. `allowWithheld`: withheld and absent files are no failure. Returns the report, and why the verification failed, if so. Throws Fault
 * `not_found` where there is no such path, and `partial` where there is nothing to compare with.
 */
export async function verifyPath(
  dir: string,
  against: Reference | undefined,
  app: App,
  { allowWithheld = false, ...part }: Selectors & { allowWithheld?: boolean } = {},
): Promise<{ report: VerifyReport; faults: Fault[] }> {
  const path = resolve(app.world.cwd, dir);
  const isFolder = await lookAt(path, against);
  const reference = isFolder ? await chooseReference(against, path) : 'bag';
  const progress = app.progress();
  let bytes = 0;
  let total: number | undefined;
  app.onInterrupt(() => ({
    kept: `nothing was changed, ${formatBytes(bytes)} read`,
    next: 'run the same command to check from the start',
  }));
  const options: VerifyOptions = {
    signal: app.world.signal,
    thread: app.world.thread,
    onBytes: (count) => progress.update({ label: 'verified', done: (bytes += count), total, unit: 'bytes' }),
  };
  const checking =
    reference === 'bag'
      ? checkPackage(path, isFolder, options, app)
      : checkFolder(path, { reference, part }, options, app, (sum) => (total = sum));
  const { report, isPart = false } = await checking.finally(() => progress.end());
  return {
    report,
    faults: [
      ...verifyFaultsOf(report, reference, { isPart, allowWithheld }),
      ...bagFaultsOf(report.bag, app),
    ],
  };
}

/** Returns whether the path is a folder. Only a bag may be a file. */
async function lookAt(path: string, against: Reference | undefined): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw diskFault(error, path);
  });
  if (found === undefined) {
    throw new Fault('not_found', `${path} does not exist`, { hint: 'name the folder of a pull' });
  }
  if (found.isFile() && (against === 'bag' || (against === undefined && path.endsWith('.zip')))) return false;
  if (!found.isDirectory())
    throw new Fault('unsafe', `${path} is not a folder`, {
      hint: 'name the folder of a pull, or a bag: a folder or FILE.zip',
    });
  return true;
}

/** Returns the reference that was named, else the first that exists. */
async function chooseReference(named: Reference | undefined, dir: string): Promise<Reference> {
  if (named === 'catalogue') return named;
  for (const reference of ['manifest', 'sums', 'bag'] as const) {
    if (named !== undefined && named !== reference) continue;
    if (await isThere(join(dir, FILES[reference]))) return reference;
    if (named === reference)
      throw new Fault(
        'not_found',
        `${dir} has no ${FILES[reference]}`,
        reference === 'bag' ? {} : { hint: HINT },
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

/** `isPart`: the manifest is that of a pull that did not end, and may lack files. */
type Checked = { report: VerifyReport; isPart?: boolean };

async function checkPackage(
  path: string,
  isFolder: boolean,
  options: VerifyOptions,
  app: App,
): Promise<Checked> {
  spareMemory();
  const source = await (isFolder ? openFolderSource(path, options.signal) : openZipSource(path));
  try {
    return { report: await checkBag(source, path, { ...options, warn: app.notice }) };
  } finally {
    source.close();
  }
}

const NO_ENTRIES: ReadonlyMap<string, ManifestEntry> = new Map();

/** What the files of a folder are compared with; `part`: which rows of the catalogue. */
type Wanted = { reference: Exclude<Reference, 'bag'>; part: Selectors };

/** Files are hashed while the reference is read. */
async function checkFolder(
  dir: string,
  { reference, part }: Wanted,
  options: VerifyOptions,
  app: App,
  onTotal: (bytes: number) => void,
): Promise<Checked> {
  // Before the folder is listed: a file that a pull writes meanwhile is then not expected yet, instead of missing.
  const known = reference === 'manifest' ? ((await readManifest(dir)) ?? NO_ENTRIES) : undefined;
  let isUnfinished = false;
  let isUndecided = false;
  const observing = readFolder(dir, {
    ...options,
    isIgnored: (path) => {
      isUnfinished ||= isUnfinishedMark(path);
      isUndecided ||= known !== undefined && isUndecidedMark(path);
      return isOwnFile(path);
    },
  });
  try {
    await observing.listed;
    const { expected, whole, unlisted } = await expectation({ reference, part }, dir, app, known);
    // A pull that goes on has removed its mark when the manifest lists what it was asked for.
    const isPart = known !== undefined && isUnfinished;
    if (isPart) app.addFault(unfinishedPullFault(dir));
    if (isUndecided) sayUndecided(app);
    if (whole) onTotal(expected.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0));
    const compared = compareFolder(expected, await observing.contents);
    const files =
      known === undefined
        ? withUnlisted(compared, unlisted, app)
        : await withNewerEntries(compared, { dir, known }, options, app);
    // A checksum list is no file of the collection: it is the reference, or what -o sums left here.
    const isList = ({ path, verdict }: (typeof files)[number]): boolean =>
      path === SUMS_FILE && (reference === 'sums' || verdict === 'extra');
    const collection = files.filter((file) => !isList(file));
    // A list that lacks rows which it had may lack others, too.
    const isWhole = whole && !isPart && !isUndecided && !files.some(isUnlistedExtra);
    return { report: verifyReportOf(collection, isWhole), isPart };
  } catch (error) {
    await observing.stop();
    throw error;
  }
}

const isUnlistedExtra = ({ verdict, now }: VerifiedFile): boolean =>
  verdict === 'extra' && now === 'unlisted';

/** Returns the files with the ids of extra ones that a pull kept and that the catalogue no longer has, and says how many there are. */
function withUnlisted(
  files: readonly VerifiedFile[],
  unlisted: readonly KeptEntry[],
  app: Pick<App, 'notice'>,
): readonly VerifiedFile[] {
  if (unlisted.length === 0) return files;
  const ids = new Map(unlisted.map(({ id, path }) => [path, id]));
  const found = files.map((file) => {
    const id = file.verdict === 'extra' ? ids.get(file.path ?? '') : undefined;
    return id === undefined ? file : { ...file, id, now: 'unlisted' as const };
  });
  const count = found.filter(isUnlistedExtra).length;
  if (count > 0) app.notice(unlistedText(count));
  return found;
}

/** `unlisted`: files that a pull of these rows kept, and that the catalogue does not have. */
type Expectation = { expected: ExpectedFile[]; whole: boolean; unlisted: readonly KeptEntry[] };

async function expectation(
  { reference, part }: Wanted,
  dir: string,
  app: App,
  known: ReadonlyMap<string, ManifestEntry> | undefined,
): Promise<Expectation> {
  if (reference === 'catalogue') return await catalogue(dir, part, app);
  // The manifest lists what earlier pulls were asked for, which may not be the whole catalogue.
  if (known !== undefined) return { expected: [...known.values()], whole: known.size > 0, unlisted: [] };
  const sums = (await readReferenceFile(dir, SUMS_FILE))?.toString() ?? '';
  return { expected: parseChecksumList(sums), whole: true, unlisted: [] };
}

async function catalogue(dir: string, part: Selectors, app: App): Promise<Expectation> {
  const manifest = await readManifest(dir);
  const selection = await select({ ...part, ids: [] }, app);
  const expected: ExpectedFile[] = [];
  const expect = (row: Attachment): void => {
    const { id } = row;
    const entry = manifest?.get(id);
    const kept = isKept(entry) ? entry : undefined;
    expected.push({
      id,
      path: (isPullable(row) ? entry : kept)?.path ?? null,
      // The row does not show the hash of a file above the tier.
      sha256: row.sha256 ?? (isPullable(row) ? null : (kept?.sha256 ?? null)),
      redacted: fileStateOf(row) === 'withheld',
      absent: fileStateOf(row) === 'absent',
      reason: reasonOf(row) ?? undefined,
      bytes: row.bytes ?? null,
      changed: kept !== undefined && row.sha256 !== undefined && !sameHash(kept.sha256, row.sha256),
    });
  };
  for await (const row of selection.rows()) expect(row);
  const listed = expected.length;
  const seen = new Set(expected.map(({ id }) => id ?? ''));
  const unlisted: KeptEntry[] = [];
  for await (const { row, entry } of missedFiles(selection, manifest ?? NO_ENTRIES, seen))
    if (row === undefined) unlisted.push(entry);
    else expect(row);
  failIncomplete(app, selection, listed);
  const whole = selection.fault() === undefined && !selection.isUndecided();
  return { expected, whole, unlisted };
}
