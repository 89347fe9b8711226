// `arx fsck`: checks every row and every stored byte of an archive, or what is new in it, and changes nothing.
import * as z from 'zod';
import type { App } from '../app.ts';
import { Fault } from '../faults.ts';
import { plural } from '../format/numbers.ts';
import { fsckLines } from '../format/views/index.ts';
import { DATABASE_INPUT, localPlace, shownPlace } from './archive/database-option.ts';
import { checkPagesElsewhere } from './archive/check-pages.ts';
import { openState } from './archive/fsck-state.ts';
import { hashFiles } from './archive/hash-files.ts';
import { periodOf } from './lists/row-tests.ts';
import type { ArchiveLocation } from '../service/index.ts';
import { withoutPassword } from '../shell-words.ts';
import { uncheckedFault } from './archive/unchecked-fault.ts';

export const Input = z.object({
  ...DATABASE_INPUT,
  since: z.string().optional(),
  state: z.string().min(1).optional(),
});

/** Runs `arx fsck`. */
export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const place = (await localPlace(input, 'fsck', app)) ?? { dir: app.directories.data };
  const since =
    input.since === undefined ? undefined : periodOf('--since', input.since, app.world.now()).start;
  // The first moment of a day may still be ahead: the date of a user is one of UTC here.
  if (since !== undefined && since > app.world.now())
    app.notice(`--since ${input.since} lies in the future (UTC), so nothing was checked`);
  const state =
    input.state === undefined ? undefined : await openState(input.state, nameOf(place, input), app);
  const { ArchiveUnreadable } = await import('../service/index.ts');
  const archive = await app
    .openArchive({ ...place, readOnly: true, allowDamaged: true })
    .catch((error: unknown) => {
      const isDamaged =
        error instanceof Fault && error.cause instanceof ArchiveUnreadable && error.cause.isDamaged;
      throw isDamaged ? new Fault('integrity', error.message, error.detail) : error;
    });
  const { checkArchive } = await import('../service/fsck/check-archive.ts');
  const { signal } = app.world;
  app.onInterrupt(() =>
    state === undefined
      ? { kept: 'nothing was changed', next: 'run the same command to check from the start' }
      : { kept: `what was checked is in ${input.state}`, next: 'run the same command to continue' },
  );
  const progress = app.progress();
  const report = await checkArchive(archive, {
    hash: hashFiles(app),
    checkPagesElsewhere: checkPagesElsewhere(app),
    signal,
    progress: progress.update,
    since,
    ...(state === undefined ? {} : { resume: state.resume, checkpoint: state.checkpoint }),
  })
    .catch((error: unknown) => {
      state?.keep();
      throw error;
    })
    .finally(() => progress.end());
  await app.printer.report(report, () => fsckLines(report, app.screen));
  state?.remove();
  if (report.verdict === 'nothing_checked')
    app.addFault(new Fault('partial', 'nothing was checked: the archive is empty'));
  for (const fault of uncheckedFault(report)) app.addFault(fault);
  if (report.verdict !== 'damaged') return;
  const damaged = report.findings.filter(({ severity }) => severity === 'damage');
  const total = damaged.reduce((sum, { count }) => sum + count, 0);
  app.addFault(
    new Fault('integrity', `the archive ${shownPlace(place)} is damaged: ${plural(total, 'finding')}`, {
      hint: 'arx help maintenance says how to restore a backup',
    }),
  );
}

/** Returns the name of a check in its state file: the archive, and the date as it was typed, since ‘yesterday’ moves. */
function nameOf(place: ArchiveLocation, { since }: z.infer<typeof Input>): string {
  const archive = 'dir' in place ? `sqlite:${place.dir}` : withoutPassword(place.url);
  return since === undefined ? archive : `${archive} --since ${since}`;
}
