// `arx archive ls DATABASE`: lists the archives of a PostgreSQL database, each in a schema of its own.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { archiveEntryView } from '../../format/views/index.ts';
import type { ArchiveEntry } from '../../service/administration.ts';
import { eachArchive, withServers } from '../database-servers.ts';

export const Input = z.object({ database: z.string().min(1) });

/** Runs `arx archive ls`. */
export async function run({ database }: z.infer<typeof Input>, app: App): Promise<void> {
  const { archiveNames, describeArchive } = await import('../../service/administration.ts');
  const rows = await withServers({ databases: [database], option: '<database>' }, app, async ([only]) => {
    const { server } = only!;
    const names = await archiveNames(server);
    const found: ArchiveEntry[] = [];
    for await (const entry of eachArchive(names, app, (name) => describeArchive(server, name)))
      found.push(entry);
    return found;
  });
  await app.printer.list(archiveEntryView, {
    status: 'stable',
    rows,
    summary: () => ({ rows: rows.length, complete: true }),
  });
}
