// `arx archive drop DATABASE NAME…`: deletes archives with their schemas.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import type { ArchiveEntry } from '../../service/administration.ts';
import { archiveNamesInput } from './archive-names.ts';
import { CONFIRM_INPUT, confirm } from '../shared/confirm.ts';
import { missingArchiveFault, withServers } from './database-servers.ts';

export const Input = z.object({ database: z.string().min(1), names: archiveNamesInput, ...CONFIRM_INPUT });

/** Runs `arx archive drop`. */
export async function run({ database, names, ...input }: z.infer<typeof Input>, app: App): Promise<void> {
  const { UnusableArchive } = await import('../../service/index.ts');
  const { archiveNames, checkDroppable, describeArchive, dropArchive } =
    await import('../../service/administration.ts');
  const report = await withServers({ databases: [database], option: '<database>' }, app, async ([only]) => {
    const { server, placeOf } = only!;
    const there = new Set(await archiveNames(server));
    const missing = names.find((name) => !there.has(name));
    if (missing !== undefined)
      throw await missingArchiveFault(server, missing, { hint: 'arx archive ls DATABASE lists them' });
    const archives: ArchiveEntry[] = [];
    let done = 0;
    const refused = (name: string, error: unknown): unknown =>
      error instanceof UnusableArchive
        ? new Fault('unsafe', `${name}: ${error.message}`, {
            kept: `${plural(done, 'archive')} deleted`,
            cause: error,
          })
        : error;
    for (const name of names) {
      await checkDroppable(server.catalogue, name).catch((error: unknown) => {
        throw refused(name, error);
      });
      archives.push(await describeArchive(server, name));
    }
    if (!input.dryRun) {
      await confirm(`delete ${archives.map(sizeOf).join(', ')}?`, input, app);
      app.onInterrupt(() => ({
        kept: `${plural(done, 'archive')} deleted`,
        next: 'run the same command with the other names to delete them',
      }));
      for (const name of names) {
        app.world.signal.throwIfAborted();
        await dropArchive({ ...placeOf(name), name, sleep: app.world.sleep }).catch((error: unknown) => {
          throw refused(name, error);
        });
        done += 1;
      }
    }
    return { dropped: !input.dryRun, archives };
  });
  await app.printer.report(report, () =>
    report.archives.map((archive) => `${report.dropped ? 'deleted' : 'would delete'} ${sizeOf(archive)}`),
  );
}

function sizeOf({ name, messages, attachments }: ArchiveEntry): string {
  const counts =
    messages === null || attachments === null
      ? ''
      : ` with ${plural(messages, 'message')} and ${plural(attachments, 'attachment')}`;
  return `archive ${name}${counts}`;
}
