// `arx archive ls DATABASE`: lists the archives of a PostgreSQL database, each in a schema of its own.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { archiveEntryView, type ListedArchive } from '../../format/views/index.ts';
import { eachArchive, withServers } from './database-servers.ts';

export const Input = z.object({ database: z.string().min(1) });

/** Runs `arx archive ls`. */
export async function run({ database }: z.infer<typeof Input>, app: App): Promise<void> {
  const { DatabaseAccessError } = await import('../../service/index.ts');
  const { archiveBytes, archiveNames, describeArchive } = await import('../../service/administration.ts');
  const rows = await withServers({ databases: [database], option: '<database>' }, app, async ([only]) => {
    const { server } = only!;
    const names = await archiveNames(server);
    const describe = async (name: string): Promise<ListedArchive> => {
      try {
        const entry = await describeArchive(server, name);
        return { ...entry, bytes: await archiveBytes(server, name), problem: null };
      } catch (error) {
        // Whatever else fails does so for all archives.
        if (!(error instanceof DatabaseAccessError && error.kind === 'denied')) throw error;
        const unknown = { schema: null, messages: null, attachments: null, bytes: null };
        return { name, state: 'denied', ...unknown, problem: error.message };
      }
    };
    const found: ListedArchive[] = [];
    for await (const entry of eachArchive(names, app, describe)) found.push(entry);
    return found;
  });
  const denied = rows.filter(({ problem }) => problem !== null).length;
  await app.printer.list(archiveEntryView, {
    status: 'stable',
    rows,
    summary: () => ({ rows: rows.length, complete: denied === 0 }),
  });
  if (denied > 0)
    app.addFault(
      new Fault('partial', `${plural(denied, 'archive')} may not be read by this user`, {
        hint: 'name another user in the address, or give this one the right to read its tables',
      }),
    );
}
