// `arx archive create DATABASE NAME…`: makes empty archives, each in a schema of its own.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { mapConcurrent } from '../../concurrency/map-concurrent.ts';
import { plural } from '../../format/numbers.ts';
import { openLocalArchive } from '../../wiring/local-archive.ts';
import { archiveNamesInput } from './archive-names.ts';
import { withServers } from './database-servers.ts';

export const Input = z.object({
  database: z.string().min(1),
  names: archiveNamesInput,
  blobs: z.string().min(1).optional(),
});

/** Archives that are made together. */
const MAX_CONCURRENT = 4;

/** Runs `arx archive create`. */
export async function run({ database, names, blobs }: z.infer<typeof Input>, app: App): Promise<void> {
  const { archiveNames } = await import('../../service/administration.ts');
  const report = await withServers(
    { databases: [database], blobs, option: '<database>' },
    app,
    async ([only]) => {
      const { server, placeOf } = only!;
      const there = new Set(await archiveNames(server));
      const missing = names.filter((name) => !there.has(name));
      const progress = app.progress();
      const created: string[] = [];
      app.onInterrupt(() => ({
        kept: `${plural(created.length, 'archive')} created`,
        next: 'run the same command to create the others',
      }));
      const create = async (name: string): Promise<string> => {
        app.world.signal.throwIfAborted();
        const archive = await openLocalArchive({ ...placeOf(name), createSchema: true }, app.world);
        await archive.close();
        return name;
      };
      try {
        for await (const name of mapConcurrent(missing, MAX_CONCURRENT, create)) {
          created.push(name);
          progress.update({
            label: 'archives',
            done: created.length,
            total: missing.length,
            unit: 'archives',
          });
        }
      } finally {
        await progress.end();
      }
      return { created, there: names.filter((name) => there.has(name)) };
    },
  );
  await app.printer.report(report, () => [
    `${plural(report.created.length, 'archive')} created`,
    ...(report.there.length === 0
      ? []
      : [`${plural(report.there.length, 'archive')} there before: ${report.there.join(', ')}`]),
  ]);
}
