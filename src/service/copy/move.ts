// Moves an archive to another database: it is copied while nothing can be written to it, checked, and dropped.
import { randomUUID } from 'node:crypto';
import { dropTables } from '../store/archives.ts';
import type { Archive } from '../store/archive.ts';
import { copyMark, removeCopyMark, storeCopyMark } from '../store/meta-table/copy-mark.ts';
import type { Database, Statements } from '../store/sql/database.ts';
import { snapshotView } from '../store/snapshot-view.ts';
import { CopyTargetError } from './target.ts';
import { copyMarked, type CopyOptions, type CopyReport } from './copy-archive.ts';

/** How long readers of the source are waited for when it is dropped. */
const DROP_TIMEOUT_MS = 10_000;

/** `check` resolves to whether the copy is sound. It gets one state of it: nothing else can write to it. */
type MoveOptions = CopyOptions & { check(copy: Archive): Promise<boolean> };

/**
 * Moves the archive of the schema `name` into `target`, as `copyArchive` fills it. Reads of the source go on, its writers wait for their
 * time limit. The copy opens only after the source was dropped, so there are never two that can be written to. Where anything
 * fails before, the source is as it was, and the same call continues; after that, {@link finishMove} does. Resolves to the
 * report of the copy, and whether the archive was moved. Throws as `copyArchive`.
 */
export async function moveArchive(
  source: Archive,
  target: Archive,
  name: string,
  options: MoveOptions,
): Promise<{ report: CopyReport; isMoved: boolean }> {
  const run = randomUUID();
  // The lock of the writer is held until the source is gone. Whoever waited for it finds no tables.
  const outcome = await source.database.migration(async (statements) => {
    const report = await copyMarked(source, target, run, options);
    if (report.verdict !== 'equal' || report.files.damaged > 0) return { report, isMoved: false };
    const isSound = await target.database.snapshot((own) => options.check(snapshotView(target, own)));
    if (!isSound) return { report, isMoved: false };
    options.signal.throwIfAborted();
    await target.database.transaction((own) => storeCopyMark(own, { version: 1, run, phase: 'moved' }));
    await statements.run(`SET LOCAL lock_timeout = ${DROP_TIMEOUT_MS}`);
    await dropTables(statements, name);
    return { report, isMoved: true };
  });
  if (outcome.isMoved) await finishMove(target.database);
  return outcome;
}

/**
 * Opens a copy whose source was dropped by a move that was interrupted then. Resolves and throws as {@link isUnfinishedMove}.
 */
export async function finishMove(database: Database): Promise<boolean> {
  return database.transaction(async (statements: Statements) => {
    const isUnfinished = await isUnfinishedMove(statements);
    if (isUnfinished) await removeCopyMark(statements);
    return isUnfinished;
  });
}

/**
 * Returns whether this is a copy whose source was dropped by a move that was interrupted then, false for an archive like any
 * other. Throws {@link CopyTargetError} for a copy that was not complete: its source is gone in another way.
 */
export async function isUnfinishedMove(statements: Statements): Promise<boolean> {
  const mark = await copyMark(statements);
  if (mark === undefined) return false;
  if (mark.phase !== 'moved')
    throw new CopyTargetError('it is an unfinished copy there, and its source is gone');
  return true;
}
