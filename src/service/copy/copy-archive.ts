// Copies an archive into an empty one, with its ids, events, redactions and files, also between the engines; then compares both.
import { randomUUID } from 'node:crypto';
import { createTurns } from '../../concurrency/turns.ts';
import type { ArchiveCopyReport } from '../../contract/reports/archive.ts';
import { searchTextReader } from '../mail/search-text.ts';
import { MESSAGES, type MessageRow } from '../records/message.ts';
import type { Archive } from '../store/archive.ts';
import { readChecked } from '../store/files/read-checked.ts';
import { fileKey } from '../store/meta-table/file-key.ts';
import { filesPlaceOf } from '../store/meta-table/files-location.ts';
import { indexNext, type ReadText } from '../store/search/build-index.ts';
import { indexArrivals } from '../store/search/index-arrivals.ts';
import { indexState } from '../store/search/index-state.ts';
import { TABLES } from '../store/schema/migrations.ts';
import { snapshotView } from '../store/snapshot-view.ts';
import type { Database, Row, Statements } from '../store/sql/database.ts';
import { digestLists } from './compare-lists.ts';
import { copyFiles, countFiles } from './copy-files.ts';
import { copyTable } from './copy-table.ts';
import { CONTENT_TABLE, digestTable, ROW_TABLES } from './tables.ts';
import { beginCopy, checkRun, CopyTargetError, endCopy, makeIndexes, stateOf } from './target.ts';

/** How a copy is interrupted, and who learns its progress. */
export type CopyOptions = {
  signal: AbortSignal;
  progress(state: { label: string; done: number; total: number; unit: string }): void;
};

/** The report, without the check of the whole copy that follows. */
export type CopyReport = Omit<ArchiveCopyReport, 'fsck'>;

/** What a copy does not have. */
const LEFT_OUT = ['tokens', 'rate limits', 'files that no row names'];

/** Unfinished files of the target that nobody wrote to for this long are left over from a killed process. */
const MAX_UNFINISHED_MS = 3_600_000;

/**
 * Returns what {@link copyArchive} would copy, and writes nothing. `target` is undefined where there is no archive. Throws
 * CopyTargetError.
 */
export async function planCopy(
  source: Archive,
  target: Archive | undefined,
  to: CopyReport['to'],
): Promise<CopyReport> {
  const state = target === undefined ? undefined : await stateOf(target.database, await fileKey(source));
  return source.database.snapshot(async (snapshot) => {
    const counted = await countSource(source, snapshot);
    return {
      ...reportOf(source, counted, state?.isResumed ?? false),
      dry_run: true,
      to,
      verdict: 'not_copied',
    };
  });
}

/**
 * Copies one state of `source` into `target`, which must be empty or an unfinished copy of it; then compares all tables and all
 * pages of all lists. Others may read and write the source meanwhile. Only where both are equal the target loses its mark, so
 * that it opens as an archive; before that, `check` is called. After an interruption the same call continues: what is there and
 * equal is not copied again. A copy that is complete is only compared. Throws CopyTargetError, CopyTakenOver, the reason of the
 * signal, and the errors of both databases.
 */
export async function copyArchive(
  source: Archive,
  target: Archive,
  { check = async () => {}, ...options }: CopyOptions & { check?: () => Promise<void> },
): Promise<CopyReport> {
  const run = randomUUID();
  const { phase } = await stateOf(target.database, await fileKey(source));
  const isComplete = phase === 'complete';
  const report = isComplete
    ? await compareComplete(source, target, options)
    : await copyMarked(source, target, run, options);
  if (report.verdict !== 'equal') return report;
  await check();
  if (!isComplete) await endCopy(target.database, run);
  return report;
}

/** Compares an archive with a copy of it that was completed before. Throws CopyTargetError where they differ by now. */
async function compareComplete(source: Archive, target: Archive, options: CopyOptions): Promise<CopyReport> {
  return source.database.snapshot(async (snapshot) => {
    const counted = await countSource(source, snapshot);
    const report: CopyReport = { ...reportOf(source, counted, true), to: placeOf(target) };
    for (const table of ROW_TABLES) {
      const { sha256 } = await digestTable(snapshot, table, () => options.signal.throwIfAborted());
      entryOf(report, table.name).sha256 = sha256;
    }
    await compare({ source, snapshot, target, report, options, totalRows: rowsOf(report) });
    if (report.verdict !== 'equal')
      throw new CopyTargetError('it is a complete copy of this archive, and one of both was changed since');
    return report;
  });
}

/** As {@link copyArchive}, but the target keeps its mark, also where both are equal. */
export async function copyMarked(
  source: Archive,
  target: Archive,
  run: string,
  options: CopyOptions,
): Promise<CopyReport> {
  const { signal, progress } = options;
  const { isResumed } = await beginCopy(source, target, run);
  await target.blobs.removeUnfinished(target.now() - MAX_UNFINISHED_MS);
  const { database } = target;
  const write = <T>(work: (statements: Statements) => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    return database.transaction(async (statements) => {
      await checkRun(statements, run);
      return work(statements);
    });
  };
  return source.database.snapshot(async (snapshot) => {
    const counted = await countSource(source, snapshot);
    const report: CopyReport = { ...reportOf(source, counted, isResumed), to: placeOf(target) };

    const totalRows = rowsOf(report);
    let rows = 0;
    for (const table of ROW_TABLES) {
      const { copied, sha256 } = await copyTable(snapshot, database, table, {
        isResumed,
        write,
        progress(count) {
          rows += count;
          progress({ label: 'rows', done: rows, total: totalRows, unit: 'rows' });
        },
      });
      Object.assign(entryOf(report, table.name), { copied, sha256 });
    }
    await write((statements) => copySummary(snapshot, statements));
    const indexes = { run, rows: totalRows, progress: indexProgress(progress) };
    await makeIndexes(database, 'rows', indexes);

    let bytes = 0;
    const files = await copyFiles(snapshot, source.blobs, target.blobs, {
      signal,
      progress(count) {
        bytes += count;
        progress({ label: 'files', done: bytes, total: counted.files.bytes, unit: 'bytes' });
      },
    });
    Object.assign(report.files, files);

    const readText = searchTextReader((sha256) => readChecked(target.blobs, sha256));
    const content = await copyContent(snapshot, database, { isResumed, write, readText, progress });
    entryOf(report, CONTENT_TABLE.name).copied = content;
    await makeIndexes(database, 'search', indexes);
    // Of these tables alone: the database may have those of other archives.
    if (database.engine === 'postgres')
      await database.migration((statements) => statements.run(`ANALYZE ${TABLES.join(', ')}`));
    await finishSearchIndex(target, readText, options);

    await compare({ source, snapshot, target, report, options, totalRows });
    return report;
  });
}

type Counted = { taken_at: string; tables: CopyReport['tables']; files: { count: number; bytes: number } };

async function countSource(source: Archive, snapshot: Statements): Promise<Counted> {
  const taken_at = new Date(source.now()).toISOString();
  const tables: CopyReport['tables'] = [];
  for (const { name } of [...ROW_TABLES, CONTENT_TABLE]) {
    const row = await snapshot.get<{ rows: number }>(`SELECT COUNT(*) AS rows FROM ${name}`);
    tables.push({ name, rows: row?.rows ?? 0, copied: 0, sha256: null, equal: null });
  }
  return { taken_at, tables, files: await countFiles(snapshot) };
}

function reportOf(source: Archive, { taken_at, tables, files }: Counted, resumed: boolean): CopyReport {
  return {
    version: 1,
    from: placeOf(source),
    to: placeOf(source),
    taken_at,
    resumed,
    tables,
    files: { ...files, copied: 0, copied_bytes: 0, damaged: 0, damaged_files: [] },
    lists: [],
    left_out: LEFT_OUT,
    verdict: 'different',
  };
}

function placeOf({ database, blobs }: Archive): CopyReport['to'] {
  return { engine: database.engine, files: filesPlaceOf({ blobs }) };
}

function entryOf(report: CopyReport, table: string): CopyReport['tables'][number] {
  return report.tables.find(({ name }) => name === table)!;
}

function rowsOf({ tables }: CopyReport): number {
  const counted = tables.filter(({ name }) => name !== CONTENT_TABLE.name);
  return counted.reduce((sum, { rows }) => sum + rows, 0);
}

/** Responses show the kept counts, which may be some seconds old. */
async function copySummary(snapshot: Statements, target: Statements): Promise<void> {
  const row = await snapshot.get<{ value: string }>(`SELECT value FROM meta WHERE key = 'summary'`);
  await target.run(`DELETE FROM meta WHERE key = 'summary'`);
  if (row !== undefined) await target.run(`INSERT INTO meta VALUES ('summary', $1)`, [row.value]);
}

function indexProgress(progress: CopyOptions['progress']): (done: number, total: number) => void {
  return (done, total) => progress({ label: 'indexes', done, total, unit: 'indexes' });
}

type ContentCopy = Pick<Parameters<typeof copyTable>[3], 'isResumed' | 'write'> &
  Pick<CopyOptions, 'progress'> & { readText: ReadText };

/** Copies the stored bytes of messages, and indexes their words in the same transactions; resolves to the number of messages. */
async function copyContent(
  snapshot: Statements,
  database: Database,
  { isResumed, write, readText, progress }: ContentCopy,
): Promise<number> {
  const size = await snapshot.get<{ bytes: number }>(
    'SELECT CAST(COALESCE(SUM(raw_bytes), 0) AS BIGINT) AS bytes FROM messages',
  );
  let done = 0;
  const { copied } = await copyTable(snapshot, database, CONTENT_TABLE, {
    isResumed,
    write,
    progress(_rows, bytes) {
      done += bytes;
      progress({ label: 'messages', done, total: Math.max(done, size?.bytes ?? 0), unit: 'bytes' });
    },
    stored: (statements, rows) => indexStored(statements, rows, readText),
  });
  return copied;
}

async function indexStored(statements: Statements, rows: readonly Row[], readText: ReadText): Promise<void> {
  const [first, last] = [Number(rows[0]?.['n']), Number(rows.at(-1)?.['n'])];
  const messages = await statements.all<MessageRow>(
    `SELECT ${MESSAGES.select} FROM messages WHERE n >= $1 AND n <= $2 ORDER BY n`,
    [first, last],
  );
  const contents = new Map(rows.map((row) => [row['n'] as number, row['content'] as Uint8Array]));
  const arrivals = messages.flatMap((row) => {
    const raw = contents.get(row.n);
    return raw === undefined ? [] : [{ row, raw }];
  });
  // Where a number is missing, those after it are indexed at the end.
  if (arrivals.length === last - first + 1) await indexArrivals(statements, arrivals, readText);
}

/** Indexes what is left: messages that changed between two runs, and those after a damaged row. */
async function finishSearchIndex(
  target: Archive,
  readText: ReadText,
  { signal, progress }: CopyOptions,
): Promise<void> {
  const turn = createTurns();
  while (!(await indexNext(target, readText))) {
    await turn();
    signal.throwIfAborted();
    const { of, indexed } = await indexState(target.database, 'mirror');
    progress({ label: 'search index', done: indexed, total: of, unit: 'messages' });
  }
}

type Comparison = {
  source: Archive;
  snapshot: Statements;
  target: Archive;
  report: CopyReport;
  options: CopyOptions;
  totalRows: number;
};

/** Compares the tables and the lists, and writes the outcome into the report. */
async function compare({ source, snapshot, target, report, options, totalRows }: Comparison): Promise<void> {
  const { signal } = options;
  let done = 0;
  const shown = (label: string, total: number) => (rows: number) => {
    signal.throwIfAborted();
    done += rows;
    options.progress({ label, done, total: Math.max(done, total), unit: 'rows' });
  };
  await target.database.snapshot(async (statements) => {
    for (const table of ROW_TABLES) {
      const entry = entryOf(report, table.name);
      const there = await digestTable(statements, table, shown('comparing tables', totalRows));
      entry.equal = there.sha256 === entry.sha256 && there.rows === entry.rows;
    }
    const content = entryOf(report, CONTENT_TABLE.name);
    const there = await statements.get<{ rows: number }>(
      `SELECT COUNT(*) AS rows FROM ${CONTENT_TABLE.name}`,
    );
    content.equal = there?.rows === content.rows;
  });
  done = 0;
  // The same instant for both: addresses of files have a date.
  const at = source.now();
  const view = (archive: Archive): Archive => ({ ...archive, readOnly: true, now: () => at });
  const listed = { signal, progress: shown('comparing lists', 2 * totalRows) };
  const copies = digestLists(view(target), listed);
  for await (const original of digestLists(view(snapshotView(source, snapshot)), listed)) {
    const copy = await copies.next();
    const equal = copy.done !== true && copy.value.sha256 === original.sha256;
    report.lists.push({ ...original, equal });
  }
  const isEqual = [...report.tables, ...report.lists].every(({ equal }) => equal === true);
  report.verdict = isEqual ? 'equal' : 'different';
}
