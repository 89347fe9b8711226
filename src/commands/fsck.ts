// `arx fsck`: checks every row and every stored byte of an archive, and changes nothing.
import * as z from 'zod';
import type { App } from '../app.ts';
import { Fault } from '../faults.ts';
import { fsckLines } from '../format/views/index.ts';
import { DATABASE_INPUT, archivePlace } from './database-option.ts';
import { hashFiles } from './hash-files.ts';
import { uncheckedFault } from './unchecked-fault.ts';

export const Input = z.object(DATABASE_INPUT);

/** Runs `arx fsck`. */
export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const place = await archivePlace(input, app);
  if (place === undefined && app.isRemote) {
    throw new Fault('usage', 'fsck checks the local archive or --database, and a base URL is set');
  }
  const { ArchiveUnreadable } = await import('../service/index.ts');
  const archive = await app
    .openArchive({ ...(place ?? { dir: app.directories.data }), readOnly: true, allowDamaged: true })
    .catch((error: unknown) => {
      const isDamaged =
        error instanceof Fault && error.cause instanceof ArchiveUnreadable && error.cause.isDamaged;
      throw isDamaged ? new Fault('integrity', error.message, error.detail) : error;
    });
  const { checkArchive } = await import('../service/fsck/check-archive.ts');
  const { signal } = app.world;
  app.onInterrupt(() => ({
    kept: 'nothing was changed',
    next: 'run the same command to check from the start',
  }));
  const progress = app.progress();
  const report = await checkArchive(archive, {
    hash: hashFiles(app),
    signal,
    progress: progress.update,
  }).finally(() => progress.end());
  await app.printer.report(report, () => fsckLines(report, app.screen));
  if (report.verdict === 'nothing_checked')
    app.addFault(new Fault('partial', 'nothing was checked: the archive is empty'));
  for (const fault of uncheckedFault(report)) app.addFault(fault);
  if (report.verdict !== 'damaged') return;
  const damaged = report.findings.filter(({ severity }) => severity === 'damage');
  const total = damaged.reduce((sum, { count }) => sum + count, 0);
  app.addFault(
    new Fault('integrity', `the archive is damaged: ${total} ${total === 1 ? 'finding' : 'findings'}`),
  );
}
