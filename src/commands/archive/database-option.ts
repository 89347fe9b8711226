// The options `--database` and `--blobs`: which archive a command opens.
import { access, constants } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import { awsCredentialsOf, awsDefaults } from '../../config/aws-credentials.ts';
import { unreadableInput } from '../../disk/disk-fault.ts';
import { Fault } from '../../faults.ts';
import { commandAgain } from '../shared/command-again.ts';
import type { ArchiveLocation, OpenArchive } from '../../service/index.ts';
import {
  isBucketAddress,
  parseAddress,
  parseBucketAddress,
  shownAddress,
  withVariables,
  type BucketPlace,
} from '../../service/administration.ts';

/** The input of `--database` and `--blobs`. */
export const DATABASE_INPUT = {
  database: z.string().optional(),
  blobs: z.string().min(1).optional(),
};
const DatabaseInput = z.object(DATABASE_INPUT);

/** The modes of PostgreSQL's own programs, and `no-verify` of its client for Node. */
const SSL_MODES = new Set(['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']);

/** How messages call the address of the database and the place of the files. */
const OPTION_NAMES = { database: '--database', blobs: '--blobs' };

/**
 * Returns the archive that the options name, undefined for the local one. Throws Fault 'usage' for a wrong address; the
 * message never quotes it, since it may contain a password.
 */
export async function archivePlace(
  { database, blobs }: z.infer<typeof DatabaseInput>,
  app: App,
  names = OPTION_NAMES,
): Promise<ArchiveLocation | undefined> {
  const [, scheme, path] = /^(\w+):(.+)$/s.exec(database ?? '') ?? [];
  const isPostgres = scheme === 'postgres' || scheme === 'postgresql';
  if (blobs !== undefined && !isPostgres)
    throw new Fault('usage', `${names.blobs} goes with ${names.database} postgres://…`);
  if (database === undefined) return undefined;
  if (scheme === 'sqlite' && path !== undefined) return { dir: resolve(app.world.cwd, path) };
  if (!isPostgres) throw new Fault('usage', `${names.database} takes sqlite:FOLDER or postgres://…`);
  const { world } = app;
  const address = withVariables(database, world.env);
  const parsed = parseAddress(address);
  if (typeof parsed === 'string') throw new Fault('usage', `${names.database}: ${parsed}`);
  const url = new URL(parsed.urls[0]!);
  // The client for Node replaces an unknown mode by another one, and ignores PGSSLMODE.
  const mode = url.searchParams.getAll('sslmode').at(-1) || world.env['PGSSLMODE'] || undefined;
  if (mode !== undefined && !SSL_MODES.has(mode)) {
    throw new Fault(
      'usage',
      `${names.database}: sslmode, or PGSSLMODE, is one of ${[...SSL_MODES].join(', ')}`,
    );
  }
  // The client reads these files for each connection, with messages that name neither the file nor the parameter.
  for (const name of mode === 'disable' ? [] : ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = url.searchParams.getAll(name).at(-1);
    if (!file) continue;
    await access(file, constants.R_OK).catch((error: unknown) => {
      throw unreadableInput(`the file of ${name}, ${file}`, error);
    });
  }
  if (url.password !== '' || url.searchParams.has('password')) {
    app.notice('a password on the command line can be seen by others; PGPASSWORD and ~/.pgpass cannot');
  }
  return {
    url: address,
    ...(blobs === undefined
      ? {}
      : { blobs: await filesPlace(blobs, names.blobs, app), blobsOption: names.blobs }),
  };
}

/**
 * Returns the archive that the options name, undefined for the local one. `words` are those of the command. Throws Fault 'usage' as
 * {@link archivePlace}, and where a base URL is set and no archive is named.
 */
export async function localPlace(
  options: z.infer<typeof DatabaseInput>,
  words: string,
  app: App,
): Promise<ArchiveLocation | undefined> {
  const place = await archivePlace(options, app);
  if (place === undefined && app.isRemote)
    throw new Fault('usage', `${words} works on the local archive, and a base URL is set`, {
      hint: localCommand(app),
    });
  return place;
}

/** Returns the command line of this run for the local archive. An address of a database is left out, since it may contain a password. */
export function localCommand(app: Pick<App, 'world'>): string {
  return commandAgain(app, { without: ['--base-url', '--database'], more: ['--local'] });
}

/** Returns the folder or the bucket that an option names. Throws Fault 'usage'. */
async function filesPlace(text: string, option: string, { world }: App): Promise<string | BucketPlace> {
  if (!isBucketAddress(text)) return resolve(world.cwd, text);
  const place = parseBucketAddress(text, await awsDefaults(world.env, world.home));
  if (typeof place === 'string') throw new Fault('usage', `${option}: ${place}`);
  return { ...place, credentials: awsCredentialsOf(world.env, world.home, world.now) };
}

/** Returns a place for messages, without a password. */
export function shownPlace(place: ArchiveLocation): string {
  return 'dir' in place ? place.dir : shownAddress(place.url);
}

/** Says that an archive is new or empty: a mistyped address makes a new one. */
export async function noticeEmpty(
  { database, isNew }: OpenArchive,
  place: ArchiveLocation,
  app: App,
): Promise<void> {
  if ((await database.get('SELECT n FROM messages LIMIT 1')) !== undefined) return;
  const isDefault = 'dir' in place && place.dir === app.directories.data;
  app.notice(({ sourceOf }) => {
    const source = isDefault ? sourceOf('data_dir') : undefined;
    const where = 'dir' in place ? place.dir + (source === undefined ? '' : ` (${source})`) : 'the database';
    return isNew ? `no archive was in ${where}: made a new one` : `the archive in ${where} is empty`;
  });
}
