// `arx doctor`: checks this installation; each check has a verdict.
import * as z from 'zod';
import type { App } from '../app.ts';
import { checks } from '../config/doctor.ts';
import { Fault } from '../faults.ts';
import { plural } from '../format/numbers.ts';
import { checkView } from '../format/views/index.ts';

export const Input = z.object({});

/** Stored files that are checked: enough to notice a lost disk, few enough to answer at once. */
const MAX_CHECKED_FILES = 200;

/** Runs `arx doctor`. */
export async function run(_input: z.infer<typeof Input>, app: App): Promise<void> {
  const { settings, directories, tokens: store, world } = app;
  const rows = await checks({
    settings,
    directories,
    store,
    env: world.env,
    nodeVersion: world.nodeVersion,
    uid: world.uid,
    now: world.now,
    health: async () => (await app.anonymousClient()).health(),
    openArchive: async () => {
      const archive = await app.openArchive();
      const { spotCheckFiles } = await import('../service/index.ts');
      const { looked, missing, damaged } = await spotCheckFiles(archive, MAX_CHECKED_FILES);
      if (missing + damaged > 0) {
        throw new Fault(
          'integrity',
          `of ${looked} stored files checked, ${missing} are missing and ${damaged} are damaged`,
        );
      }
      const found = await archive.database.get<{ n: number }>(
        'SELECT COALESCE(MAX(n), 0) AS n FROM messages',
      );
      return `${found?.n ?? 0} messages; ${looked} stored files checked`;
    },
  });
  const failed = rows.filter(({ verdict }) => verdict === 'fail').length;
  const warned = rows.filter(({ verdict }) => verdict === 'warn').length;
  await app.printer.list(checkView, {
    status: failed > 0 ? 'fail' : warned > 0 ? 'warn' : 'ok',
    rows,
    summary: () => ({ checks: rows.length, failed, warned, complete: true }),
  });
  if (failed > 0) app.addFault(new Fault('store', `${failed} of ${plural(rows.length, 'check')} failed`));
}
