// Files that a pull wrote while its folder was verified: they are compared with the lines that the pull has added to the manifest.
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../app.ts';
import type { VerifiedFile } from '../../contract/reports/files.ts';
import { readManifest, type ManifestEntry } from '../../download/manifest.ts';
import type { VerifyOptions } from '../../verify/check-folder.ts';
import { openHashPool } from '../../verify/hash-pool.ts';
import { verdictRow, type FoundFile } from '../../verify/verdicts.ts';

/** A pull puts a file in its place before it writes its line. The line follows within milliseconds. */
const WAIT_FOR_LINES_MS = 100;

/**
 * Returns the verdicts with those of files that are wrong or missing looked at again, where the manifest has another line for
 * them now than `known`. Waits once for such lines, and only where some file is wrong or missing.
 */
export async function withNewerEntries(
  files: readonly VerifiedFile[],
  { dir, known }: { dir: string; known: ReadonlyMap<string, ManifestEntry> },
  options: VerifyOptions,
  app: App,
): Promise<VerifiedFile[]> {
  if (!files.some(isSuspect)) return [...files];
  await app.world.sleep(WAIT_FOR_LINES_MS, options.signal);
  const manifest = (await readManifest(dir)) ?? new Map<string, ManifestEntry>();
  const newer = new Map<string, ManifestEntry>();
  for (const file of files) {
    const entry = file.id === null ? undefined : manifest.get(file.id);
    if (!isSuspect(file) || entry === undefined) continue;
    if (JSON.stringify(entry) !== JSON.stringify(known.get(entry.id))) newer.set(entry.id, entry);
  }
  const found = await filesAt(
    dir,
    [...newer.values()].flatMap(({ path }) => path ?? []),
    options,
  );
  return files.flatMap((file) => {
    const entry = file.id === null ? undefined : newer.get(file.id);
    if (entry !== undefined) return verdictRow(entry, found.get(entry.path ?? ''));
    // Its file has a line now.
    return file.verdict === 'extra' && found.has(file.path ?? '') ? [] : file;
  });
}

function isSuspect({ verdict }: VerifiedFile): boolean {
  return verdict === 'mismatch' || verdict === 'missing';
}

/** Returns the files of a folder that exist, by path. */
async function filesAt(
  dir: string,
  paths: readonly string[],
  options: VerifyOptions,
): Promise<Map<string, FoundFile>> {
  const there: string[] = [];
  for (const path of paths) if (await lstat(join(dir, path)).catch(() => undefined)) there.push(path);
  const pool = openHashPool(dir, { ...options, algorithms: ['sha256'] });
  pool.add(there);
  const { hashes, bytes } = await pool.finish();
  return new Map(there.map((path, at) => [path, { path, hash: hashes[at]!, bytes: bytes[at]! }]));
}
