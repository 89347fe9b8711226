// Commands about all archives of a PostgreSQL database, each in a schema of its own.
import { join } from 'node:path';
import type { App } from '../../app.ts';
import { mapConcurrent } from '../../concurrency/map-concurrent.ts';
import { Fault, NOTHING_CHANGED } from '../../faults.ts';
import type { ArchiveLocation } from '../../service/index.ts';
import type { BucketPlace, PostgresServer } from '../../service/administration.ts';
import { archivePlace } from './database-option.ts';

/** A database with archives. */
export type DatabaseServer = {
  server: PostgresServer;
  /** Returns where one of its archives is. */
  placeOf(name: string): { url: string; server: PostgresServer; blobs?: string | BucketPlace };
};

/** Where the databases are, and the option or argument that named them. */
type Databases = {
  databases: readonly string[];
  blobs?: string | undefined;
  readOnly?: boolean;
  option: string;
  blobsOption?: string;
  /** How long the writer of one archive is waited for, so that one that is locked does not hold up the others. */
  lockTimeoutMs?: number;
};

/**
 * Runs `work` with connections to databases, which are closed when it has ended. `blobs` is the folder or the bucket in which each archive
 * has a part of its own. Throws Fault 'usage' for a wrong address and for one that names a schema, and the Fault that a database's
 * failure means.
 */
export async function withServers<T>(
  { databases, blobs, readOnly = false, option, blobsOption = '--blobs', lockTimeoutMs = 5_000 }: Databases,
  app: App,
  work: (servers: readonly DatabaseServer[]) => Promise<T>,
): Promise<T> {
  const { storeFault } = await import('../../service/index.ts');
  const { connectServer, parseAddress, withSchema } = await import('../../service/administration.ts');
  const servers: DatabaseServer[] = [];
  for (const database of databases) {
    const place = await archivePlace({ database, blobs }, app, { database: option, blobs: blobsOption });
    if (place === undefined || !('url' in place))
      throw new Fault('usage', `${option} takes postgres://…, a database whose schemas are archives`);
    const url = withLockTimeout(place.url, lockTimeoutMs);
    const address = parseAddress(url);
    if (typeof address === 'string' || address.settings['search_path'] !== undefined)
      throw new Fault('usage', `${option} names a database, without a schema`);
    const server = await connectServer({ url, readOnly });
    servers.push({
      server,
      placeOf: (name) => ({ url: withSchema(url, name), server, ...filesOf(place, name) }),
    });
  }
  try {
    return await work(servers);
  } catch (error) {
    throw storeFault(error);
  } finally {
    await Promise.all(servers.map(({ server }) => server.end()));
  }
}

/** Archives that are worked on together: each takes a connection of its own, or waits for many commits. */
const CONCURRENT_ARCHIVES = 4;

/** Yields what `work` makes of each archive, in their order, and shows how many are done. Throws the reason of the signal. */
export async function* eachArchive<T>(
  names: readonly string[],
  app: App,
  work: (name: string) => Promise<T>,
): AsyncGenerator<T> {
  const progress = app.progress();
  const one = async (name: string): Promise<T> => {
    app.world.signal.throwIfAborted();
    return work(name);
  };
  try {
    let done = 0;
    for await (const outcome of mapConcurrent(names, CONCURRENT_ARCHIVES, one)) {
      done += 1;
      yield outcome;
      progress.update({ label: 'archives', done, total: names.length, unit: 'archives' });
    }
  } finally {
    await progress.end();
  }
}

/** Adds the limit where the address has none. Connections for changes of tables have no other. */
function withLockTimeout(url: string, ms: number): string {
  return /[?&]lock_timeout=/.test(url) ? url : `${url}${url.includes('?') ? '&' : '?'}lock_timeout=${ms}`;
}

type FilesPart = { blobs?: string | BucketPlace; blobsOption?: string | undefined };

/** Returns the part of a folder or a bucket that one archive has. */
function filesOf(place: ArchiveLocation, name: string): FilesPart {
  if (!('url' in place) || place.blobs === undefined) return {};
  const { blobs, blobsOption } = place;
  if (typeof blobs === 'string') return { blobs: join(blobs, name), blobsOption };
  return {
    blobsOption,
    blobs: { ...blobs, name: `${blobs.name}/${name}`, prefix: `${blobs.prefix}${name}/` },
  };
}

/** Returns the Fault for a name that is not among the archives of a database: its schema may not be used, or there is none. */
export async function missingArchiveFault(
  server: PostgresServer,
  name: string,
  detail: { hint?: string } = {},
): Promise<Fault> {
  const { isSchemaDenied } = await import('../../service/administration.ts');
  const kept = NOTHING_CHANGED;
  return (await isSchemaDenied(server, name))
    ? new Fault('store', `${name}: this user may not use its schema: the right USAGE is missing`, { kept })
    : new Fault('not_found', `there is no archive ${name} in ${server.place}`, { kept, ...detail });
}
