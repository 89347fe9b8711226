// Checks every stored file against its hash and its rows.
import { createHash } from 'node:crypto';
import { mapConcurrent } from '../../concurrency/map-concurrent.ts';
import type { FsckReport } from '../../contract/reports/archive.ts';
import type { Archive } from '../store/archive.ts';
import { SHARDS } from '../store/files/blobs.ts';
import { shardProblem } from '../store/files/folder-files.ts';
import type { Findings } from './findings.ts';

/**
 * Hashes files of a folder; `paths` are relative to it. `hashes` holds the SHA-256 of each file, or a word why there is
 * none, for example `missing`.
 */
export type HashFiles = (
  dir: string,
  paths: readonly string[],
) => Promise<{ hashes: string[]; bytes: number[] }>;

/**
 * Checks the files whose hash begins with one of `shards`: consecutive pairs of hexadecimal digits. A file without a row
 * is a notice, because an interrupted import leaves one and a running import has some. Rows are read before files,
 * because a file is always stored before its row.
 */
export async function checkFiles(
  { database, blobs }: Archive,
  shards: readonly string[],
  findings: Findings,
  hash: HashFiles,
): Promise<void> {
  const rows = await database.all<NamedFile>(
    `SELECT sha256, MIN(bytes) AS least, MAX(bytes) AS most FROM attachments
      WHERE stored = 1 AND sha256 >= $1 AND sha256 < $2 GROUP BY sha256`,
    [shards[0]!, `${shards.at(-1)!}g`],
  );
  const names: string[] = [];
  for (const begin of shards.length === SHARDS.length ? [''] : shards)
    for (const name of await blobs.names(begin)) names.push(name);
  await compareFiles({ blobs, names, rows }, findings, hash);
}

/** Checks the files that attachments with numbers above `after`, up to `to`, name. */
export async function checkNamedFiles(
  { database, blobs }: Archive,
  { after, to }: { after: number; to: number },
  findings: Findings,
  hash: HashFiles,
): Promise<void> {
  const rows = await database.all<NamedFile>(
    `SELECT sha256, MIN(bytes) AS least, MAX(bytes) AS most FROM attachments
      WHERE stored = 1 AND n > $1 AND n <= $2 GROUP BY sha256`,
    [after, to],
  );
  const names: string[] = [];
  for (const { sha256 } of rows) if ((await blobs.size(sha256)) !== undefined) names.push(sha256);
  await compareFiles({ blobs, names, rows }, findings, hash);
}

/** Attachments that are named for each damaged file. */
const MAX_NAMED_ATTACHMENTS = 3;

/** Returns the findings about damaged files with the attachments that need them. Throws the errors of the database. */
export async function withAttachments(
  { database }: Pick<Archive, 'database'>,
  found: FsckReport['findings'],
): Promise<FsckReport['findings']> {
  const naming = async (sha256: string) => {
    const where = 'FROM attachments WHERE sha256 = $1 AND stored = 1';
    const [counted] = await database.all<{ count: number }>(`SELECT COUNT(*) AS count ${where}`, [sha256]);
    const rows = await database.all<{ n: number; filename: string }>(
      `SELECT n, filename ${where} ORDER BY n LIMIT ${MAX_NAMED_ATTACHMENTS}`,
      [sha256],
    );
    const named = rows.map(({ n, filename }) => ({ id: `att_${n}`, filename }));
    return { sha256, count: counted?.count ?? 0, named };
  };
  const findings: FsckReport['findings'] = [];
  for (const finding of found) {
    const { check, severity, subjects } = finding;
    if (check !== 'files' || severity !== 'damage') findings.push(finding);
    else {
      const attachments = [];
      for (const sha256 of subjects) attachments.push(await naming(sha256));
      findings.push({ ...finding, attachments });
    }
  }
  return findings;
}

/** A file that rows name, with the sizes that they have. */
type NamedFile = { sha256: string; least: number; most: number };

/** Compares the files `names`, which exist, with the rows. */
async function compareFiles(
  { blobs, names, rows }: Pick<Archive, 'blobs'> & { names: readonly string[]; rows: readonly NamedFile[] },
  findings: Findings,
  hash: HashFiles,
): Promise<void> {
  const expected = new Map(rows.map(({ sha256, ...sizes }) => [sha256, sizes]));
  findings.checked('files', names.length);
  if (names.length > 0) {
    const { dir } = blobs;
    const actual =
      dir === undefined
        ? await hashStored(blobs, names)
        : await hash(
            dir,
            names.map((sha256) => `${sha256.slice(0, 2)}/${sha256.slice(2)}`),
          );
    for (const [index, sha256] of names.entries()) {
      const bytes = actual.bytes[index]!;
      findings.hashed(bytes);
      const sizes = expected.get(sha256);
      expected.delete(sha256);
      const hashed = actual.hashes[index]!;
      if (hashed !== sha256) {
        const isHash = hashed.length === sha256.length;
        findings.add('files', isHash ? 'bytes have another hash' : `file is ${hashed}`, sha256);
      } else if (sizes === undefined) findings.add('files', 'file without a row', sha256, 'notice');
      else if (sizes.least !== bytes || sizes.most !== bytes) {
        findings.add('files', 'row has another size', sha256);
      }
    }
  }
  for (const sha256 of expected.keys()) {
    const problem = blobs.dir === undefined ? undefined : shardProblem(blobs.dir, sha256);
    findings.add('files', problem === undefined ? 'file missing' : `folder is ${problem}`, sha256);
  }
}

/** Files that are read at the same time: each waits for the database or the bucket. */
const CONCURRENT_FILES = 4;

/** Hashes files that are stored in the database or in a bucket. */
async function hashStored(
  blobs: Archive['blobs'],
  names: readonly string[],
): Promise<{ hashes: string[]; bytes: number[] }> {
  const hashOne = async (sha256: string): Promise<{ hash: string; bytes: number }> => {
    const hash = createHash('sha256');
    let bytes = 0;
    // A missing or short chunk ends the read with an error without a code. The bytes so far are not the file.
    const isWhole = await (async () => {
      for await (const chunk of blobs.read(sha256)) {
        hash.update(chunk);
        bytes += chunk.byteLength;
      }
      return true;
    })().catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== undefined) throw error;
      return false;
    });
    return { hash: isWhole ? hash.digest('hex') : 'cut', bytes };
  };
  const found: { hashes: string[]; bytes: number[] } = { hashes: [], bytes: [] };
  for await (const { hash, bytes } of mapConcurrent(names, CONCURRENT_FILES, hashOne)) {
    found.hashes.push(hash);
    found.bytes.push(bytes);
  }
  return found;
}
