// `arx archive copy FROM TO`: copies an archive to another place and engine, with its ids, and compares both.
import { join } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import { withExclusiveLock } from '../../config/lock.ts';
import type { ArchiveCopyReport } from '../../contract/reports/archive.ts';
import { Fault, NOTHING_CHANGED } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { archiveCopyLines } from '../../format/views/index.ts';
import type { ArchiveLocation, OpenArchive } from '../../service/index.ts';
import { archivePlace, shownPlace } from './database-option.ts';
import { checkArchiveFolder } from './new-archive-folder.ts';
import { checkPagesElsewhere } from './check-pages.ts';
import { hashFiles } from './hash-files.ts';
import { uncheckedFault } from './unchecked-fault.ts';

export const Input = z.object({
  from: z.string().min(1),
  to: z.string().min(1),
  fromBlobs: z.string().min(1).optional(),
  toBlobs: z.string().min(1).optional(),
  dryRun: z.boolean().default(false),
});
type Input = z.infer<typeof Input>;

const FROM = { database: '<from>', blobs: '--from-blobs' };
const TO = { database: '<to>', blobs: '--to-blobs' };

/** Runs `arx archive copy`. */
export async function run(input: Input, app: App): Promise<void> {
  const from = (await archivePlace({ database: input.from, blobs: input.fromBlobs }, app, FROM))!;
  const to = (await archivePlace({ database: input.to, blobs: input.toBlobs }, app, TO))!;
  const source = await app.openArchive({ ...from, readOnly: true, mustExist: true });
  const shown = { from: shownPlace(from), to: shownPlace(to) };
  if ('dir' in to) await refuseFolder(to.dir, source);
  const { CopyTargetError, CopyTakenOver } = await import('../../service/copy/index.ts');
  const report = await (input.dryRun ? planned(source, to, app) : copied(source, to, shown, app)).catch(
    (error: unknown) => {
      if (error instanceof CopyTargetError)
        throw new Fault('unsafe', `${shown.to}: ${error.message}`, {
          kept: NOTHING_CHANGED,
          cause: error,
        });
      if (error instanceof CopyTakenOver)
        throw new Fault('store', `${shown.to}: ${error.message}`, { cause: error });
      throw error;
    },
  );
  await app.printer.report(report, (canvas) => archiveCopyLines(report, canvas));
  for (const fault of faultsOf(report, shown)) app.addFault(fault);
}

/** Throws Fault 'unsafe' for a folder inside the source, and for one with other things than an archive. */
async function refuseFolder(dir: string, source: OpenArchive): Promise<void> {
  const { BackupTargetError, refuseOwnFolder } = await import('../../service/administration.ts');
  if (source.database.engine === 'sqlite' && source.blobs.dir !== undefined)
    await refuseOwnFolder(dir, source.blobs.dir).catch((error: unknown) => {
      throw error instanceof BackupTargetError
        ? new Fault('unsafe', `${dir}: ${error.message}`, { kept: NOTHING_CHANGED, cause: error })
        : error;
    });
  await checkArchiveFolder(dir);
}

async function planned(source: OpenArchive, to: ArchiveLocation, app: App): Promise<ArchiveCopyReport> {
  const { planCopy } = await import('../../service/copy/index.ts');
  const { NoSchema } = await import('../../service/index.ts');
  const target = await app
    .openArchive({ ...to, readOnly: true, mustExist: true, asCopy: true })
    .catch((error: unknown) => {
      if (!(error instanceof Fault) || error.kind !== 'not_found') throw error;
      if (error.cause instanceof NoSchema) app.notice(`the schema of ${shownPlace(to)} would be created`);
      return undefined;
    });
  const engine = 'dir' in to ? 'sqlite' : 'postgres';
  const blobs = 'dir' in to ? to.dir : to.blobs;
  const files = blobs === undefined ? 'database' : typeof blobs === 'string' ? 'folder' : 'bucket';
  return { ...(await planCopy(source, target, { engine, files })), fsck: null };
}

type Shown = { from: string; to: string };

async function copied(
  source: OpenArchive,
  to: ArchiveLocation,
  shown: Shown,
  app: App,
): Promise<ArchiveCopyReport> {
  const { copyArchive } = await import('../../service/copy/index.ts');
  const target = await app.openArchive({
    ...to,
    asCopy: true,
    ...('url' in to ? { createSchema: true } : {}),
  });
  const progress = app.progress();
  const options = { signal: app.world.signal, progress: progress.update };
  const work = async (): Promise<ArchiveCopyReport> => {
    app.onInterrupt(() => ({
      kept: `what was copied is kept in ${shown.to}, which opens as an archive only when it is complete`,
      next: 'run the same command to continue',
    }));
    let fsck: ArchiveCopyReport['fsck'] = null;
    const report = await copyArchive(source, target, {
      ...options,
      async check() {
        const { checkArchive } = await import('../../service/fsck/check-archive.ts');
        fsck = await checkArchive(target, {
          ...options,
          hash: hashFiles(app),
          checkPagesElsewhere: checkPagesElsewhere(app),
        });
      },
    });
    return { ...report, fsck };
  };
  try {
    // No `arx serve` may open the folder before it is complete.
    return await ('dir' in to ? withExclusiveLock(join(to.dir, 'serve'), app.storeWorld, work) : work());
  } finally {
    await progress.end();
  }
}

function faultsOf({ verdict, files, fsck }: ArchiveCopyReport, shown: Shown): Fault[] {
  const faults: Fault[] = [];
  if (verdict === 'different')
    faults.push(
      new Fault('integrity', 'the copy differs from the source', {
        kept: `${shown.to} stays an unfinished copy, which no other command opens`,
        hint: 'run the same command again; if it differs again, run arx fsck on the source',
      }),
    );
  if (files.damaged > 0)
    faults.push(
      new Fault(
        'integrity',
        `${plural(files.damaged, 'file')} of the source missing or damaged, not copied`,
        {
          hint: 'arx fsck on the source names them',
        },
      ),
    );
  if (fsck !== null) faults.push(...uncheckedFault(fsck));
  if (fsck?.verdict === 'damaged' && files.damaged === 0)
    faults.push(new Fault('integrity', 'the copy is equal to the source, and damaged as it is'));
  return faults;
}
