// `arx import PATH…`: imports mail, exports of chats and files, and accounts for every message that was read.
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../app.ts';
import { IMPORT_KINDS, type ImportKind } from '../contract/import-kind.ts';
import type { ImportReport } from '../contract/reports/archive.ts';
import { TIERS } from '../contract/tier.ts';
import { diskFault } from '../disk/disk-fault.ts';
import { Fault } from '../faults.ts';
import { formatCount, plural } from '../format/numbers.ts';
import type { ArchiveLocation, OpenArchive } from '../service/index.ts';
import { importLines, countOf, tierChangeTexts } from '../format/views/index.ts';
import { refuseOwnFolders } from './archive/archive-folder.ts';
import { DATABASE_INPUT, localPlace } from './archive/database-option.ts';
import { checkArchiveFolder } from './archive/new-archive-folder.ts';
import { withSpoolFolder } from './shared/spool-folder.ts';
import { compileLess } from './shared/v8-flags.ts';

export const Input = z.object({
  paths: z.array(z.string().min(1)).min(1),
  originCity: z
    .string()
    .max(200)
    .regex(/^[\p{Ll}\p{Nd}_-]+$/u, {
      error: ({ input: city }) => `must be a lower-case label, e.g. ${labelOf(String(city))}`,
    })
    .optional(),
  ...DATABASE_INPUT,
  tier: z.enum(TIERS).optional(),
  dryRun: z.boolean().default(false),
  kind: z.enum(Object.keys(IMPORT_KINDS) as [ImportKind, ...ImportKind[]]).optional(),
});

type Input = z.infer<typeof Input>;

/** Notices on stderr. The report has more. */
const MAX_NOTICES = 10;

/** Returns the label of a city whose name was given. */
function labelOf(city: string): string {
  const words = city
    .slice(0, 100)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[\p{Ll}\p{Nd}_]+/gu);
  return words === null ? 'lisbon' : words.join('-');
}

/** Runs `arx import`. */
export async function run(input: Input, app: App): Promise<void> {
  if (!input.paths.includes('-')) return importFrom(input, (path) => path, app);
  return withSpoolFolder(app, async (dir) => {
    const spooled = join(dir, 'standard-input');
    await spool(spooled, app);
    // What is read from there is said to be of `-`.
    const shown = (path: string): string =>
      path.startsWith(spooled) ? `-${path.slice(spooled.length)}` : path;
    const paths = input.paths.map((path) => (path === '-' ? spooled : path));
    await importFrom({ ...input, paths }, shown, app).catch((error: unknown) => {
      if (!(error instanceof Fault)) throw error;
      throw new Fault(error.kind, error.message.replaceAll(spooled, 'standard input'), error.detail);
    });
  });
}

/** Copies standard input into a file that only its owner may read. */
async function spool(path: string, { world }: App): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw diskFault(error, path);
  });
  try {
    for await (const chunk of world.stdin.bytes())
      await file.appendFile(chunk).catch((error: unknown) => {
        throw diskFault(error, 'cannot keep what is read from standard input');
      });
  } finally {
    await file.close();
  }
}

async function importFrom(input: Input, shown: (path: string) => string, app: App): Promise<void> {
  const place = await localPlace(input, 'import', app);
  const paths = input.paths.map((path) => resolve(app.world.cwd, path));
  const { data, config, cache } = app.directories;
  const folder = place === undefined ? data : 'dir' in place ? place.dir : undefined;
  await refuseOwnFolders(paths, { archive: folder, config, cache });
  if (place !== undefined && 'dir' in place) await checkArchiveFolder(place.dir);
  compileLess(app.world.nodeVersion);
  const { detectPaths, importDetected } = await import('../service/import/index.ts');
  const progress = app.progress();
  // Finding out what a large zip holds takes long, too.
  progress.update({ label: shown(paths[0]!), done: 0, unit: 'messages' });
  let stored = 0;
  app.onInterrupt(() =>
    input.dryRun
      ? { kept: 'nothing was stored', next: 'run the same command again' }
      : { kept: `${plural(stored, 'message')} stored`, next: 'run the same command to continue' },
  );
  const importAll = async (): Promise<ImportReport> => {
    const { kind, tier, originCity, dryRun } = input;
    const { signal } = app.world;
    const detected = await detectPaths(paths, { signal, ...(kind === undefined ? {} : { kind }) });
    const archive = await (dryRun ? existingArchive(place, app) : app.openArchive(place));
    return importDetected(archive, detected, {
      ...(originCity === undefined ? {} : { originCity }),
      ...(tier === undefined ? {} : { tier }),
      dryRun,
      signal,
      progress: ({ path, read, stored: count, done, total }) => {
        stored = count;
        progress.update(
          done === null || total === null
            ? { label: shown(path), done: read, unit: 'messages' }
            : { label: shown(path), done, total, unit: 'bytes' },
        );
      },
    });
  };
  const imported = await importAll().finally(() => progress.end());
  const withShownPath = <T extends { path: string }>(each: T): T => ({ ...each, path: shown(each.path) });
  const report = {
    ...imported,
    sources: imported.sources.map(({ uploads, ...source }) => ({
      ...withShownPath(source),
      ...(uploads === undefined ? {} : { uploads: uploads.map(shown) }),
    })),
    refused: imported.refused.map(withShownPath),
    skipped: imported.skipped.map(withShownPath),
    notices: imported.notices.map(withShownPath),
  };
  await app.printer.report(report, () => importLines(report, app.screen));
  if (input.dryRun)
    app.notice('dry run: nothing was stored; --database sqlite:FOLDER stores it in an archive of its own');
  for (const text of tierChangeTexts(report)) app.notice(text);
  for (const { path, notice } of report.notices.slice(0, MAX_NOTICES)) app.notice(`${path} ${notice}`);
  const others = countOf(report, 'notices') - MAX_NOTICES;
  if (others > 0) app.notice(`and ${formatCount(others)} more; see "notices" in the report`);
  failEmpty(report.sources, app);
  // The commands would not read the archive of `--database`.
  if (
    !input.dryRun &&
    place === undefined &&
    app.world.stderr.isTTY &&
    report.sources.some(({ messages }) => messages.read > 0)
  )
    app.notice(({ arx }) => `next: ${arx} attachments ls; ${arx} search WORD; ${arx} explore`);
  const refused = countOf(report, 'refused');
  if (refused > 0) {
    app.addFault(
      new Fault('partial', `${plural(refused, 'item')} could not be stored; see "refused" in the report`),
    );
  }
}

/** Fails the run where no message was found at all. A path without one among others is named, and fails the run under `--strict`. */
function failEmpty(sources: ImportReport['sources'], app: App): void {
  const empty = sources.filter(({ messages }) => messages.read === 0);
  if (empty.length === 0) return;
  const [first] = empty;
  const where = empty.length === 1 ? first!.path : `these ${empty.length} paths`;
  if (empty.length === sources.length || app.strict)
    app.addFault(
      new Fault('partial', `no message was found in ${where}`, {
        hint: 'an empty file or folder may be an export that failed',
      }),
    );
  else for (const { path } of empty.slice(0, MAX_NOTICES)) app.notice(`no message was found in ${path}`);
}

/** Returns the archive for reading, undefined where there is none yet. */
async function existingArchive(
  place: ArchiveLocation | undefined,
  app: App,
): Promise<OpenArchive | undefined> {
  const target = place ?? { dir: app.directories.data };
  return app.openArchive({ ...target, readOnly: true }).catch((error: unknown) => {
    if (error instanceof Fault && error.kind === 'not_found') return undefined;
    throw error;
  });
}
