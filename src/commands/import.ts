// `arx import PATH…`: imports mail, exports of chats and files, and accounts for every message that was read.
import { resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../app.ts';
import { IMPORT_KINDS, type ImportKind } from '../contract/import-kind.ts';
import { TIERS } from '../contract/token.ts';
import { Fault } from '../faults.ts';
import { plural } from '../format/numbers.ts';
import type { ArchiveLocation, OpenArchive } from '../service/index.ts';
import { importLines } from '../format/views/index.ts';
import { DATABASE_INPUT, archivePlace } from './database-option.ts';
import { compileLess } from './v8-flags.ts';

export const Input = z.object({
  paths: z.array(z.string().min(1)).min(1),
  originCity: z
    .string()
    .max(200)
    .regex(/^[\p{Ll}\p{Nd}_-]+$/u, 'must be a lower-case label, e.g. lisbon')
    .optional(),
  ...DATABASE_INPUT,
  tier: z.enum(TIERS).optional(),
  dryRun: z.boolean().default(false),
  kind: z.enum(Object.keys(IMPORT_KINDS) as [ImportKind, ...ImportKind[]]).optional(),
});

/** Runs `arx import`. */
export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const place = archivePlace(input, app);
  if (place === undefined && app.isRemote) {
    throw new Fault('usage', 'import works on the local archive only, and a base URL is set');
  }
  compileLess(app.world.nodeVersion);
  const archive = await (input.dryRun ? existingArchive(place, app) : app.openArchive(place));
  const { importPaths } = await import('../service/import/index.ts');
  const progress = app.progress();
  let stored = 0;
  app.onInterrupt(() => ({
    kept: `${plural(stored, 'message')} stored`,
    next: 'run the same command to continue',
  }));
  const report = await importPaths(
    archive,
    input.paths.map((path) => resolve(app.world.cwd, path)),
    {
      ...(input.originCity === undefined ? {} : { originCity: input.originCity }),
      ...(input.tier === undefined ? {} : { tier: input.tier }),
      ...(input.kind === undefined ? {} : { kind: input.kind }),
      dryRun: input.dryRun,
      signal: app.world.signal,
      progress: ({ path, read, stored: count, done, total }) => {
        stored = count;
        progress.update(
          done === null || total === null
            ? { label: path, done: read, unit: 'messages' }
            : { label: path, done, total, unit: 'bytes' },
        );
      },
    },
  ).finally(() => progress.end());
  await app.printer.report(report, () => importLines(report, app.screen));
  if (input.dryRun) app.notice('dry run: nothing was stored');
  for (const { path, notice } of report.notices) app.notice(`${path} ${notice}`);
  if (report.refused.length > 0) {
    app.addFault(
      new Fault(
        'partial',
        `${plural(report.refused.length, 'item')} could not be stored; see "refused" in the report`,
      ),
    );
  }
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
