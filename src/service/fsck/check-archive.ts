// Checks a whole archive without changing it: the database, the relations of all rows, and every stored byte.
import type { FsckReport } from '../../contract/reports/archive.ts';
import type { Archive } from '../store/archive.ts';
import { filesPlaceOf } from '../store/meta-table/files-location.ts';
import { indexedUpTo } from '../store/search/index-state.ts';
import { checkEvents, checkWrittenColumn, WRITTEN_COLUMNS } from './events.ts';
import { checkFiles, type HashFiles } from './files.ts';
import { createFindings, type CheckName, type Findings } from './findings.ts';
import { missingIndexes } from './indexes.ts';
import { checkMetaTable } from './meta-table.ts';
import { checkMissingNumbers } from './missing-numbers.ts';
import { ATTACHMENT_RULES, checkRowRules, EVENT_RULES, MESSAGE_RULES, type RuleSet } from './row-rules.ts';
import { checkIndexedMessages, checkSampledWords, checkSearchTables } from './search-index.ts';
import { checkStoredMessages } from './stored-messages.ts';
import { checkValueTypes, TYPED_TABLES } from './value-types.ts';

/** How files are hashed, how the check is interrupted, and who learns its progress. */
export type FsckOptions = {
  hash: HashFiles;
  signal: AbortSignal;
  /** Called with what is checked now, and how much of it is done. */
  progress(state: { label: string; done: number; total: number; unit: string }): void;
};

/**
 * Numbers that are checked together, by all checks that need their rows: each page of the file is read once then. It stays far below
 * the time limit of a statement.
 */
const NUMBERS_AT_ONCE = 2_048;

/** Memory for pages of SQLite: the rows of {@link NUMBERS_AT_ONCE} messages, and the upper pages of all indexes. */
const CACHE_KIB = 64 * 1024;

/**
 * Checks an archive, in memory that does not grow with it. Others may write meanwhile: what they add may be left out,
 * but is never reported as damage. Throws the errors of the database that do not mean damage, and the reason of the
 * signal.
 */
export async function checkArchive(archive: Archive, options: FsckOptions): Promise<FsckReport> {
  const { database, blobs } = archive;
  const findings = createFindings();
  await checkDatabase(archive, findings);
  for (const { label, parts } of partsOf(archive, findings))
    await inRanges(archive, { label, parts }, findings, options);
  await findings.guard('search', 'search index', async () => {
    const upto = await indexedUpTo(database);
    await checkSearchTables(archive, upto, findings, (done) => {
      options.signal.throwIfAborted();
      options.progress({ label: 'search', done, total: Math.max(done, upto), unit: 'rows' });
    });
    await checkSampledWords(archive, { after: 0, upto }, findings);
  });
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
  await database.all(`PRAGMA cache_size = -${CACHE_KIB}`);
  await findings.guard('engine', 'integrity_check', async () => {
    const lines = await database.all<{ integrity_check: string }>('PRAGMA integrity_check');
    for (const { integrity_check: line } of lines) {
      if (line !== 'ok') findings.add('engine', 'SQLite finds', line);
    }
    findings.checked('engine', 1);
  });
}

type Range = { after: number; to: number };

/** A check of the rows of a table, whose column holds the numbers by which they are read. */
type Part = {
  check: CheckName;
  table: string;
  column: string;
  /** The greatest number that is checked, where it is not that of the column. */
  upto?: () => Promise<number>;
  work: (range: Range) => Promise<void>;
};

/** Parts that are checked together, range by range, because they read the same rows. */
type Group = { label: string; parts: readonly Part[] };

/** Returns the checks of all rows, in groups of the tables that have the same numbers. */
function partsOf(archive: Archive, findings: Findings): Group[] {
  const { database } = archive;
  const numbers = (check: CheckName, column: string, prefix: string): Part => ({
    check,
    table: check,
    column,
    work: (range) => checkMissingNumbers(database, { check, table: check, column, prefix }, range, findings),
  });
  const rules = (set: RuleSet): Part => ({
    ...set,
    work: (range) => checkRowRules(database, set, range, findings),
  });
  const written = (table: 'messages' | 'attachments'): Part[] =>
    WRITTEN_COLUMNS.filter(({ check }) => check === table).map((column) => ({
      check: table,
      table,
      column: 'n',
      work: (range) => checkWrittenColumn(archive, column, range, findings),
    }));
  return [
    {
      label: 'messages',
      parts: [
        numbers('messages', 'n', 'msg_'),
        ...MESSAGE_RULES.map(rules),
        ...written('messages'),
        {
          check: 'stored messages',
          table: 'messages',
          column: 'n',
          work: (range) => checkStoredMessages(archive, range, findings),
        },
        {
          check: 'search',
          table: 'messages',
          column: 'n',
          upto: () => indexedUpTo(database),
          work: (range) => checkIndexedMessages(archive, range, findings),
        },
      ],
    },
    {
      label: 'attachments',
      parts: [numbers('attachments', 'n', 'att_'), rules(ATTACHMENT_RULES), ...written('attachments')],
    },
    {
      label: 'events',
      parts: [
        numbers('events', 'n', 'event '),
        numbers('events', 'applied', 'ordinal '),
        rules(EVENT_RULES),
        {
          check: 'events',
          table: 'events',
          column: 'n',
          work: (range) => checkEvents(archive, range, findings),
        },
      ],
    },
  ];
}

/** Names the values over which other checks may have failed. In a sound archive there are none, so nobody looks for them. */
async function checkAllValueTypes(archive: Archive, findings: Findings, options: FsckOptions): Promise<void> {
  for (const typed of TYPED_TABLES) {
    const { check, table } = typed;
    await findings.guard(check, table, () => checkValueTypes(archive.database, typed, 'outside', findings));
    const work = (range: Range) => checkValueTypes(archive.database, typed, range, findings);
    await inRanges(archive, { label: check, parts: [{ ...typed, work }] }, findings, options);
  }
}

/** Runs all parts over the numbers of their columns, one range after the other. */
async function inRanges(
  archive: Archive,
  { label, parts }: Group,
  findings: Findings,
  options: FsckOptions,
): Promise<void> {
  const counted: { part: Part; total: number }[] = [];
  for (const part of parts) counted.push({ part, total: await totalOf(archive, part, findings) });
  const total = Math.max(...counted.map((each) => each.total));
  for (let after = 0; after < total; after += NUMBERS_AT_ONCE) {
    options.signal.throwIfAborted();
    options.progress({ label, done: after, total, unit: 'rows' });
    for (const { part, total: last } of counted) {
      if (after >= last) continue;
      const to = Math.min(after + NUMBERS_AT_ONCE, last);
      const { check, table, work } = part;
      await findings.guard(check, `${table} ${after + 1} to ${to}`, () => work({ after, to }));
    }
  }
}

async function totalOf({ database }: Archive, part: Part, findings: Findings): Promise<number> {
  const { check, table, column, upto } = part;
  let total = 0;
  await findings.guard(check, table, async () => {
    if (upto !== undefined) {
      total = await upto();
      return;
    }
    const greatest = await database.get<{ greatest: number | null }>(
      `SELECT MAX(${column}) AS greatest FROM ${table}`,
    );
    total = greatest?.greatest ?? 0;
  });
  return total;
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
