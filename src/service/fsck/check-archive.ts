// Checks a whole archive without changing it: the database, the relations of all rows, and every stored byte.
import type { FsckReport } from '../../contract/reports/archive.ts';
import type { Archive } from '../store/archive.ts';
import { filesPlaceOf } from '../store/meta-table/files-location.ts';
import { checkEvents, checkWrittenColumn, WRITTEN_COLUMNS } from './events.ts';
import { checkFiles, type HashFiles } from './files.ts';
import { createFindings, type CheckName, type Findings } from './findings.ts';
import { missingIndexes } from './indexes.ts';
import { checkMetaTable } from './meta-table.ts';
import { missingNumbers } from './missing-numbers.ts';
import { NUMBERED_COLUMNS, RULE_SETS } from './row-rules.ts';
import { checkSearchIndex } from './search-index.ts';
import { checkStoredMessages } from './stored-messages.ts';
import { checkValueTypes, TYPED_TABLES } from './value-types.ts';

/** How files are hashed, how the check is interrupted, and who learns its progress. */
export type FsckOptions = {
  hash: HashFiles;
  signal: AbortSignal;
  /** Called with what is checked now, and how much of it is done. */
  progress(state: { label: string; done: number; total: number; unit: string }): void;
};

/** Numbers that one statement checks. It stays far below the time limit of a statement. */
const NUMBERS_PER_STATEMENT = 20_000;

/**
 * Checks an archive, in memory that does not grow with it. Others may write meanwhile: what they add may be left out,
 * but is never reported as damage. Throws the errors of the database that do not mean damage, and the reason of the
 * signal.
 */
export async function checkArchive(archive: Archive, options: FsckOptions): Promise<FsckReport> {
  const { database, blobs } = archive;
  const findings = createFindings();
  await checkDatabase(archive, findings);
  for (const { check, table, column, prefix } of NUMBERED_COLUMNS) {
    let last = 0;
    await inRanges(archive, { check, table, column }, findings, options, async (after, to) => {
      const { missing, greatest } = await missingNumbers(database, { table, column, after, to, last });
      for (const numbers of missing) findings.add(check, 'numbers missing', prefix + numbers);
      last = greatest;
    });
  }
  for (const { check, table, column, counted, rules } of RULE_SETS) {
    await inRanges(archive, { check, table, column }, findings, options, async (after, to) => {
      const rows = await database.get<{ rows: number }>(
        `SELECT COUNT(*) AS rows FROM ${table} WHERE ${column} > $1 AND ${column} <= $2`,
        [after, to],
      );
      if (counted) findings.checked(check, rows?.rows ?? 0);
      for (const { problem, prefix, sql } of rules) {
        for (const { subject } of await database.all(sql, [after, to])) {
          findings.add(check, problem, `${prefix}${String(subject)}`);
        }
      }
    });
  }
  for (const written of WRITTEN_COLUMNS) {
    const { check } = written;
    await inRanges(archive, { check, table: check, column: 'n' }, findings, options, (after, to) =>
      checkWrittenColumn(archive, written, { after, to }, findings),
    );
  }
  const events = { check: 'events', table: 'events', column: 'n' } as const;
  await inRanges(archive, events, findings, options, (after, to) =>
    checkEvents(archive, { after, to }, findings),
  );
  const messages = { check: 'stored messages', table: 'messages', column: 'n' } as const;
  await inRanges(archive, messages, findings, options, (after, to) =>
    checkStoredMessages(archive, { after, to }, findings),
  );
  options.signal.throwIfAborted();
  options.progress({ label: 'search', done: 0, total: 1, unit: 'parts' });
  await findings.guard('search', 'search index', () => checkSearchIndex(archive, findings));
  await checkAllFiles(archive, findings, options);
  await findings.guard('engine', 'meta', () => checkMetaTable(archive, findings));
  if (database.engine === 'sqlite' && findings.isSuspicious())
    await checkAllValueTypes(archive, findings, options);
  return findings.report(database.engine, filesPlaceOf({ blobs }));
}

/** SQLite checks its own pages and indexes. PostgreSQL has `pg_amcheck` for that, so only missing indexes are found. */
async function checkDatabase({ database }: Archive, findings: Findings): Promise<void> {
  await findings.guard('engine', 'indexes', async () => {
    for (const name of await missingIndexes(database)) findings.add('engine', 'index missing', name);
  });
  if (database.engine !== 'sqlite') return;
  await findings.guard('engine', 'integrity_check', async () => {
    const lines = await database.all<{ integrity_check: string }>('PRAGMA integrity_check');
    for (const { integrity_check: line } of lines) {
      if (line !== 'ok') findings.add('engine', 'SQLite finds', line);
    }
    findings.checked('engine', 1);
  });
}

/** Names the values over which other checks may have failed. In a sound archive there are none, so nobody looks for them. */
async function checkAllValueTypes(archive: Archive, findings: Findings, options: FsckOptions): Promise<void> {
  for (const typed of TYPED_TABLES) {
    const { check, table } = typed;
    await findings.guard(check, table, () => checkValueTypes(archive.database, typed, 'outside', findings));
    await inRanges(archive, typed, findings, options, (after, to) =>
      checkValueTypes(archive.database, typed, { after, to }, findings),
    );
  }
}

type CheckedColumn = { check: CheckName; table: string; column: string };

/** Runs `work` over the numbers in a column, one range after the other. */
async function inRanges(
  { database }: Archive,
  { check, table, column }: CheckedColumn,
  findings: Findings,
  options: FsckOptions,
  work: (after: number, to: number) => Promise<void>,
): Promise<void> {
  let total = 0;
  await findings.guard(check, table, async () => {
    const greatest = await database.get<{ greatest: number | null }>(
      `SELECT MAX(${column}) AS greatest FROM ${table}`,
    );
    total = greatest?.greatest ?? 0;
  });
  for (let after = 0; after < total; after += NUMBERS_PER_STATEMENT) {
    options.signal.throwIfAborted();
    options.progress({ label: check, done: after, total, unit: 'rows' });
    const to = Math.min(after + NUMBERS_PER_STATEMENT, total);
    await findings.guard(check, `${table} ${after + 1} to ${to}`, () => work(after, to));
  }
}

/** The pairs of hexadecimal digits with which the hashes of files begin. */
const SHARDS = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));

/** Files that are hashed in one go, roughly. Starting to hash costs as much as hashing about a hundred of them. */
const FILES_AT_ONCE = 4096;

async function checkAllFiles(archive: Archive, findings: Findings, options: FsckOptions): Promise<void> {
  const width = await shardsAtOnce(archive);
  for (let at = 0; at < SHARDS.length; at += width) {
    options.signal.throwIfAborted();
    options.progress({ label: 'files', done: at, total: SHARDS.length, unit: 'parts' });
    const shards = SHARDS.slice(at, at + width);
    await findings.guard('files', `${shards[0]}…`, () => checkFiles(archive, shards, findings, options.hash));
  }
}

async function shardsAtOnce({ database }: Archive): Promise<number> {
  const greatest = await database
    .get<{ n: number | null }>('SELECT MAX(n) AS n FROM attachments')
    .catch(() => undefined);
  const files = (greatest?.n ?? 0) + 1;
  return Math.max(1, Math.min(SHARDS.length, Math.floor((FILES_AT_ONCE * SHARDS.length) / files)));
}
