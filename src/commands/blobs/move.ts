// `arx blobs move --to PLACE`: moves the files of an archive on PostgreSQL between the database, a folder and a bucket.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { FilesMoveReport } from '../../contract/reports/archive.ts';
import { Fault } from '../../faults.ts';
import { formatBytes, plural } from '../../format/numbers.ts';
import { filesMoveLines } from '../../format/views/index.ts';
import type { ArchiveLocation } from '../../service/index.ts';
import { CONFIRM_INPUT, confirm } from '../shared/confirm.ts';
import { archivePlace, DATABASE_INPUT } from '../archive/database-option.ts';

/** In place of a folder or a bucket: the database itself. */
const DATABASE = 'database';

export const Input = z.object({
  to: z.string().min(1),
  leaveDamaged: z.boolean().default(false),
  ...CONFIRM_INPUT,
  ...DATABASE_INPUT,
});
type Input = z.infer<typeof Input>;

/** Runs `arx blobs move`. */
export async function run(input: Input, app: App): Promise<void> {
  const { from, to } = await places(input, app);
  const { openFiles } = await import('../../service/index.ts');
  let isThere = false;
  const archive = await app
    .openArchive({ ...from, mustExist: true, readOnly: input.dryRun })
    .catch(async (error: unknown) => {
      // A move that was killed after its last statement, and is run again.
      const opened = await app.openArchive({ ...to, readOnly: true }).catch(() => undefined);
      if (opened === undefined) throw error;
      isThere = true;
      return opened;
    });
  const { checkNewPlace, countFiles, missingFiles, moveFiles } = await import('../../service/copy/index.ts');
  const target = await openFiles('url' in to ? to : {}, archive.database, app.world);
  if (input.dryRun && target.mark !== undefined) await checkNewPlace(archive, target.mark);
  const { count, bytes } = await countFiles(archive.database);
  const report: FilesMoveReport = {
    version: 1,
    ...(input.dryRun ? { dry_run: true } : {}),
    from: archive.blobs.mark?.place ?? DATABASE,
    to: target.mark?.place ?? DATABASE,
    files: { count, bytes, copied: 0, copied_bytes: 0, damaged: 0, damaged_files: [] },
    verdict: isThere ? 'there_already' : 'not_moved',
  };
  if (!input.dryRun && !isThere) {
    const what = `${plural(count, 'file')} (${formatBytes(bytes)}) from ${report.from} to ${report.to}`;
    await confirm(
      `move ${what}? What serves or imports with the old place must be started anew.`,
      input,
      app,
    );
    app.onInterrupt(() => ({
      kept: 'the archive keeps its files where they were, and what was copied is kept',
      next: 'run the same command to continue',
    }));
    const progress = app.progress();
    let done = 0;
    const moved = await moveFiles(archive, target, {
      leaveDamaged: input.leaveDamaged,
      signal: app.world.signal,
      progress(more) {
        done += more;
        progress.update({ label: 'files', done, total: bytes, unit: 'bytes' });
      },
    }).finally(() => progress.end());
    if (moved === undefined) report.verdict = 'there_already';
    else {
      const { isMoved, ...files } = moved;
      Object.assign(report.files, files);
      report.verdict = isMoved ? 'moved' : 'not_moved';
    }
  }
  if (report.verdict === 'there_already')
    Object.assign(report.files, await missingFiles(archive.database, archive.blobs));
  await app.printer.report(report, () => filesMoveLines(report, app.screen));
  if (report.files.damaged > 0)
    app.addFault(
      new Fault('integrity', `${plural(report.files.damaged, 'file')} missing or damaged, not copied`, {
        hint:
          report.verdict === 'not_moved'
            ? 'the files stay where they are; arx fsck names the damaged ones; --leave-damaged moves without them'
            : 'arx fsck names them; where the old place has them whole, move the files back there and then again',
      }),
    );
}

/** Returns where the files are and where they go. Throws Fault 'usage' for an archive that keeps them in its folder. */
async function places(input: Input, app: App): Promise<{ from: ArchiveLocation; to: ArchiveLocation }> {
  const from = await archivePlace(input, app);
  if (from === undefined || 'dir' in from)
    throw new Fault('usage', 'blobs move takes --database postgres://…', {
      hint: 'arx archive copy moves an archive that is a folder',
    });
  const blobs = input.to === DATABASE ? undefined : input.to;
  const names = { database: '--database', blobs: '--to' };
  return { from, to: (await archivePlace({ database: from.url, blobs }, app, names))! };
}
