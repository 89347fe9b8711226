// What `bench service` puts load on: an archive with many rows on either engine, and the statement of a page; bundled by service.mjs.
import { sampleArchive } from '../support/archive.ts';
import { startCluster } from '../support/cluster.ts';
import { generate } from '../support/generated-rows.ts';
import { freshUrl } from '../support/postgres.ts';
import { readAttachments } from '../../src/service/store/lists/attachments.ts';
import type { Statements } from '../../src/service/store/sql/database.ts';

export { startCluster as startPostgres };

/** Makes an archive of `rows` attachments on the engine; resolves to its place: a folder, or an address. */
export async function makeArchive(engine: 'sqlite' | 'postgres', rows: number): Promise<string> {
  const url = engine === 'sqlite' ? undefined : await freshUrl();
  const sample = await sampleArchive({
    conversations: 0,
    attachments: 0,
    ...(url === undefined ? {} : { place: { url } }),
  });
  await generate(sample.archive.database, rows);
  await sample.leave();
  return url ?? sample.dir;
}

/** The statement by which a page of 100 attachments behind number `$1` is read, its limit `$2`. */
export async function pageStatement(): Promise<string> {
  let asked = '';
  const noting: Pick<Statements, 'get'> = {
    get: async (sql) => {
      asked = sql;
      return undefined;
    },
  };
  const span = { after: { row: 1 }, before: null, limit: 100, direction: 'forward' } as const;
  await readAttachments(noting as Statements, {}, 'internal', span);
  return asked;
}
