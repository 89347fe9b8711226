// The archive that a copy is written to: it must be empty or an unfinished copy, and is marked until it is complete.
import { claimFiles } from '../store/files-mark.ts';
import type { Archive } from '../store/archive.ts';
import { copyMark, removeCopyMark, storeCopyMark } from '../store/meta-table/copy-mark.ts';
import { fileKey, forgetFileKey, replaceFileKey } from '../store/meta-table/file-key.ts';
import { secondaryIndexesFor } from '../store/schema/expected-indexes.ts';
import type { Database, Statements } from '../store/sql/database.ts';
import { ROW_TABLES } from './tables.ts';

/** The target cannot take this copy. Nothing was changed. */
export class CopyTargetError extends Error {}

/** Another process has begun to write the same copy. */
export class CopyTakenOver extends Error {}

/** How far the target is. `complete`: it is a copy that lost its mark. */
type TargetState = { isResumed: boolean; phase: 'rows' | 'content' | 'complete' };

/** Returns how far the target is. Throws {@link CopyTargetError} where it is neither empty nor a copy of this archive. */
export async function stateOf(target: Statements, key: Uint8Array): Promise<TargetState> {
  const mark = await copyMark(target);
  const isNew = mark === undefined || mark.phase === 'empty';
  if (isNew && (await hasNoRows(target))) return { isResumed: false, phase: 'rows' };
  const own = await target.get<{ value: string }>(`SELECT value FROM meta WHERE key = 'file_key'`);
  const isOfSource = own?.value === Buffer.from(key).toString('base64');
  if (isNew && isOfSource) return { isResumed: true, phase: 'complete' };
  if (isNew) throw notEmpty();
  if (!isOfSource) throw new CopyTargetError('it is an unfinished copy of another archive');
  // What was to be moved is compared again: its source has been written to since, perhaps.
  return { isResumed: true, phase: mark.phase === 'rows' ? 'rows' : 'content' };
}

async function hasNoRows(target: Statements): Promise<boolean> {
  for (const { name } of ROW_TABLES)
    if ((await target.get(`SELECT 1 AS one FROM ${name} LIMIT 1`)) !== undefined) return false;
  return true;
}

function notEmpty(): CopyTargetError {
  return new CopyTargetError('it is not empty, and not an unfinished copy of this archive');
}

/**
 * Marks the target as a copy that is written by `run`, gives it the key of the source and drops its secondary indexes, which are
 * faster to make of all rows. Throws {@link CopyTargetError}, and what `claimFiles` throws.
 */
export async function beginCopy(source: Archive, target: Archive, run: string): Promise<TargetState> {
  const key = await fileKey(source);
  const { database } = target;
  const state = await database.transaction(async (statements) => {
    const found = await stateOf(statements, key);
    if (found.phase === 'complete') throw notEmpty();
    if (!found.isResumed) await replaceFileKey(statements, key);
    await storeCopyMark(statements, { version: 1, run, phase: found.phase });
    return found;
  });
  forgetFileKey(database);
  if (database.engine === 'postgres') await claimFiles(target);
  const dropped = secondaryIndexesFor(database.engine).filter(
    // A resumed copy writes into changed ranges, where the order of effects may be that of an earlier state for a moment.
    ({ name }) => state.phase === 'rows' || name === 'events_by_applied',
  );
  await database.migration(async (statements) => {
    await checkRun(statements, run);
    for (const { name } of dropped) await statements.run(`DROP INDEX IF EXISTS ${name}`);
  });
  return state;
}

/** Throws {@link CopyTakenOver} unless the target is still written by `run`. */
export async function checkRun(statements: Statements, run: string): Promise<void> {
  if ((await copyMark(statements))?.run !== run)
    throw new CopyTakenOver('another arx archive copy writes to the same target');
}

/** An archive with this many rows or fewer gets its indexes in one transaction: the commits would take longer than the indexes. */
const MAX_ROWS_FOR_ONE_TRANSACTION = 10_000;

/** Makes the indexes that are missing: of the tables of rows, or of the search index. `rows`: in all tables together. */
export async function makeIndexes(
  database: Database,
  of: 'rows' | 'search',
  { run, rows, progress }: { run: string; rows: number; progress(done: number, total: number): void },
): Promise<void> {
  const indexes = secondaryIndexesFor(database.engine).filter(
    ({ name }) => name.startsWith('search_') === (of === 'search'),
  );
  const together = rows > MAX_ROWS_FOR_ONE_TRANSACTION ? 1 : indexes.length;
  for (let at = 0; at < indexes.length; at += together) {
    progress(at, indexes.length);
    await database.migration(async (statements) => {
      await checkRun(statements, run);
      for (const { statement } of indexes.slice(at, at + together))
        await statements.run(statement.replace(/^CREATE (?:UNIQUE )?INDEX /, '$&IF NOT EXISTS '));
    });
  }
  if (of === 'rows')
    await database.transaction(async (statements) => {
      await checkRun(statements, run);
      await storeCopyMark(statements, { version: 1, run, phase: 'content' });
    });
}

/** Makes the target an archive like any other. */
export async function endCopy(database: Database, run: string): Promise<void> {
  await database.transaction(async (statements) => {
    await checkRun(statements, run);
    await removeCopyMark(statements);
  });
}
