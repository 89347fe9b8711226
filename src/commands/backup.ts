// `arx backup --to DIR`: copies the folder of an archive, also while it is served and written.
import { resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../app.ts';
import { withExclusiveLock } from '../config/lock.ts';
import { diskFault } from '../disk/disk-fault.ts';
import { Fault } from '../faults.ts';
import { formatBytes, plural } from '../format/numbers.ts';
import { backupLines } from '../format/views/index.ts';
import { DATABASE_INPUT, localPlace } from './archive/database-option.ts';

export const Input = z.object({
  to: z.string({ error: 'name the folder of the backup' }).min(1),
  database: DATABASE_INPUT.database,
});

const TARGET_HINT = 'name a folder of an earlier backup, or one that does not exist yet';

/** Runs `arx backup`. */
export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const place = (await localPlace(input, 'backup', app)) ?? { dir: app.directories.data };
  if (!('dir' in place)) {
    throw new Fault('usage', 'backup copies a folder; back up PostgreSQL with pg_dump', {
      hint: 'arx help maintenance shows how',
    });
  }
  const archive = await app.openArchive({ ...place, readOnly: true });
  const { backUp, BackupTargetError } = await import('../service/administration.ts');
  const to = resolve(app.world.cwd, input.to);
  const progress = app.progress();
  let there = 0;
  app.onInterrupt(() => ({
    kept: `${formatBytes(there)} of files are in ${to}, its database is unchanged`,
    next: 'run the same command to continue',
  }));
  const damaged: string[] = [];
  const report = await backUp(archive, to, {
    onDamaged: (sha256, attachment) =>
      void damaged.push(attachment === undefined ? sha256 : `${sha256} (${attachment})`),
    signal: app.world.signal,
    progress: (state) => {
      if (state.label === 'files') there = state.done;
      progress.update(state);
    },
    exclusively: (path, work) => withExclusiveLock(path, app.storeWorld, work),
  })
    .catch((error: unknown) => {
      if (error instanceof BackupTargetError)
        throw new Fault('unsafe', `${to}: ${error.message}`, {
          cause: error,
          hint: TARGET_HINT,
        });
      // The lock beside the backup is on the disk of the target, too.
      const cause = error instanceof Fault && error.kind === 'store' ? error.detail.cause : error;
      if (app.world.signal.aborted || (cause as NodeJS.ErrnoException | undefined)?.syscall === undefined)
        throw error;
      const fault = diskFault(cause, to);
      if (fault instanceof Fault && fault.kind === 'unsafe') fault.detail.hint = TARGET_HINT;
      throw fault;
    })
    .finally(() => progress.end());
  await app.printer.report(report, (canvas) => backupLines(report, canvas));
  if (damaged.length > 0)
    app.addFault(
      new Fault(
        'integrity',
        `${plural(damaged.length, 'file')} of the archive cannot be backed up: ${firstNames(damaged)}`,
        {
          kept: `everything else is in ${to}`,
          hint: 'arx fsck names what is damaged or missing',
        },
      ),
    );
}

/** So many damaged files are named. */
const MAX_NAMES = 3;

function firstNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return `${names.slice(0, MAX_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
