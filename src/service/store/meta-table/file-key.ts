// The secret key of an archive that signs file addresses, stored in the table `meta`.
import { createHash } from 'node:crypto';
import { createFilePaths, type FilePaths } from '../../rules/signed-path.ts';
import type { Archive } from '../archive.ts';
import type { Database, Statements } from '../sql/database.ts';

const FILE_KEY_BYTES = 32;

type FileKey = { key: Uint8Array; paths: FilePaths };
const KEYS = new WeakMap<Database, FileKey>();

/** Returns the function that makes the path of a file from its attachment number. */
export async function filePaths(archive: Archive): Promise<FilePaths> {
  return (await keyOf(archive)).paths;
}

/** Returns the key: 32 random bytes, created and stored at the first use. It never changes. */
export async function fileKey(archive: Archive): Promise<Uint8Array> {
  return (await keyOf(archive)).key;
}

/** Returns an id that this archive and its copies share and no other archive has. It does not reveal the key. */
export async function archiveId(archive: Archive): Promise<string> {
  return createHash('sha256')
    .update(await fileKey(archive))
    .digest('hex');
}

async function keyOf(archive: Archive): Promise<FileKey> {
  const known = KEYS.get(archive.database);
  if (known !== undefined) return known;
  const key = await storedKey(archive);
  const fileKey = { key, paths: createFilePaths(key) };
  KEYS.set(archive.database, fileKey);
  return fileKey;
}

async function storedKey(archive: Archive): Promise<Uint8Array> {
  const { database } = archive;
  const find = async () =>
    (await database.get<{ value: string }>(`SELECT value FROM meta WHERE key = 'file_key'`))?.value;
  const known = await find();
  if (known !== undefined) return Buffer.from(known, 'base64');
  await storeFileKey(database, archive.randomBytes);
  // Another process may have stored its key first.
  return Buffer.from((await find()) ?? '', 'base64');
}

/** Gives a copy the key of the archive that it is a copy of. Call {@link forgetFileKey} after the commit. */
export async function replaceFileKey(statements: Pick<Statements, 'run'>, key: Uint8Array): Promise<void> {
  await statements.run(`UPDATE meta SET value = $1 WHERE key = 'file_key'`, [
    Buffer.from(key).toString('base64'),
  ]);
}

/** Makes the next use read the key again. */
export function forgetFileKey(database: Database): void {
  KEYS.delete(database);
}

/** Stores a new key, unless there is one. */
export async function storeFileKey(
  statements: Pick<Statements, 'run'>,
  randomBytes: Archive['randomBytes'],
): Promise<void> {
  const fresh = Buffer.from(randomBytes(FILE_KEY_BYTES)).toString('base64');
  await statements.run(`INSERT INTO meta VALUES ('file_key', $1) ON CONFLICT (key) DO NOTHING`, [fresh]);
}
