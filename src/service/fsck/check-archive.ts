// The check of a whole archive, which changes nothing: its engine, every row's relations, every stored byte.
import type { FsckReport } from '../../contract/reports/archive.ts';
import type { Archive } from '../store/archive.ts';
import { checkEvents, checkWritten, WRITTEN } from './events.ts';
import { checkFacts } from './meta-table.ts';
import { checkFiles, checkStored, type HashFiles } from './files.ts';
import { lostIndexes } from './indexes.ts';
import { createLedger, type Ledger } from './findings.ts';
import { NUMBERED, STRETCHES } from './row-rules.ts';

export type FsckOptions = {
  hash: HashFiles;
  signal: AbortSignal;
  /** What is looked at now, and how far. */
  progress(state: { label: string; done: number; total: number; unit: string }): void;
};

/** Numbers that one statement looks at: it ends long before any limit of its engine. */
const STRIDE = 20_000;

/**
 * Checks an archive in memory that does not grow with it. Others may write meanwhile: what came after the beginning may
 * be left out, and is never held for damage. Throws what the engine throws but for its own damage, which is a finding.
 */
export async function checkArchive(archive: Archive, options: FsckOptions): Promise<FsckReport> {
  const { database, blobs } = archive;
  const ledger = createLedger();
  await checkEngine(archive, ledger);
  for (const { check, table, column, prefix } of NUMBERED) {
    let last = 0;
    await inStretches(archive, { table, column }, ledger, check, options, async (after, to) => {
      last = await checkGaps(archive, { table, column, prefix, after, to, last }, (subject) =>
        ledger.found(check, 'numbers missing', subject),
      );
    });
  }
  for (const { check, table, column, counted, rules } of STRETCHES) {
    await inStretches(archive, { table, column }, ledger, check, options, async (after, to) => {
      const rows = await database.get<{ rows: number }>(
        `SELECT COUNT(*) AS rows FROM ${table} WHERE ${column} > $1 AND ${column} <= $2`,
        [after, to],
      );
      if (counted) ledger.looked(check, rows?.rows ?? 0);
      for (const { problem, prefix, sql } of rules) {
        for (const { subject } of await database.all(sql, [after, to])) {
          ledger.found(check, problem, `${prefix}${String(subject)}`);
        }
      }
    });
  }
  for (const written of WRITTEN) {
    await inStretches(
      archive,
      { table: written.check, column: 'n' },
      ledger,
      written.check,
      options,
      (after, to) => checkWritten(archive, written, { after, to }, ledger),
    );
  }
  await inStretches(archive, { table: 'events', column: 'n' }, ledger, 'events', options, (after, to) =>
    checkEvents(archive, { after, to }, ledger),
  );
  await inStretches(
    archive,
    { table: 'messages', column: 'n' },
    ledger,
    'stored messages',
    options,
    (after, to) => checkStored(archive, { after, to }, ledger),
  );
  const width = await shardsAtOnce(archive);
  for (let at = 0; at < SHARDS.length; at += width) {
    options.signal.throwIfAborted();
    options.progress({ label: 'files', done: at, total: SHARDS.length, unit: 'parts' });
    const shards = SHARDS.slice(at, at + width);
    await ledger.reading('files', `${shards[0]}…`, () => checkFiles(archive, shards, ledger, options.hash));
  }
  await ledger.reading('engine', 'meta', () => checkFacts(archive, ledger));
  return ledger.report(database.engine, blobs.dir === undefined ? 'database' : 'folder');
}

/** What the hashes of files begin with. */
const SHARDS = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));

/** Files held in mind at once, about: to begin hashing some costs as much as a hundred of them. */
const FILES_AT_ONCE = 4096;

async function shardsAtOnce({ database }: Archive): Promise<number> {
  const greatest = await database
    .get<{ n: number | null }>('SELECT MAX(n) AS n FROM attachments')
    .catch(() => undefined);
  return Math.max(1, Math.min(256, Math.floor((FILES_AT_ONCE * 256) / ((greatest?.n ?? 0) + 1))));
}

/** Runs `work` over the numbers of a table, a stretch at a time. */
async function inStretches(
  { database }: Archive,
  { table, column }: { table: string; column: string },
  ledger: Ledger,
  check: Parameters<Ledger['looked']>[0],
  options: FsckOptions,
  work: (after: number, to: number) => Promise<void>,
): Promise<void> {
  let total = 0;
  await ledger.reading(check, table, async () => {
    const greatest = await database.get<{ greatest: number | null }>(
      `SELECT MAX(${column}) AS greatest FROM ${table}`,
    );
    total = greatest?.greatest ?? 0;
  });
  for (let after = 0; after < total; after += STRIDE) {
    options.signal.throwIfAborted();
    options.progress({ label: check, done: after, total, unit: 'rows' });
    const to = Math.min(after + STRIDE, total);
    await ledger.reading(check, `${table} ${after + 1} to ${to}`, () => work(after, to));
  }
}

type Numbers = { table: string; column: string; prefix: string; after: number; to: number; last: number };

/** Tells of the numbers missing between `last`, the last one seen, and the last one here, which is returned. */
async function checkGaps(
  { database }: Archive,
  { table, column, prefix, after, to, last }: Numbers,
  found: (subject: string) => void,
): Promise<number> {
  const within = `${column} > $1 AND ${column} <= $2`;
  const here = await database.get<{ rows: number; greatest: number | null }>(
    `SELECT COUNT(*) AS rows, MAX(${column}) AS greatest FROM ${table} WHERE ${within}`,
    [after, to],
  );
  if (here?.greatest == null) return last;
  if (here.greatest - last === here.rows) return here.greatest;
  const gaps = await database.all<{ at: number; before: number }>(
    `SELECT at, before FROM
      (SELECT ${column} AS at, LAG(${column}) OVER (ORDER BY ${column}) AS before FROM ${table} WHERE ${within}) near
      WHERE before IS NULL OR before <> at - 1 ORDER BY at`,
    [after, to],
  );
  for (const { at, before } of gaps) {
    const first = (before ?? last) + 1;
    if (first < at) found(first === at - 1 ? `${prefix}${first}` : `${prefix}${first} to ${at - 1}`);
  }
  return here.greatest;
}

/** SQLite tells of its own pages and indexes; PostgreSQL has a tool for that (pg_amcheck), and is only read here. */
async function checkEngine({ database }: Archive, ledger: Ledger): Promise<void> {
  await ledger.reading('engine', 'indexes', async () => {
    for (const name of await lostIndexes(database)) ledger.found('engine', 'index missing', name);
  });
  if (database.engine !== 'sqlite') return;
  await ledger.reading('engine', 'integrity_check', async () => {
    const told = await database.all<{ integrity_check: string }>('PRAGMA integrity_check');
    for (const { integrity_check: line } of told) {
      if (line !== 'ok') ledger.found('engine', 'SQLite finds', line);
    }
    ledger.looked('engine', 1);
  });
}
