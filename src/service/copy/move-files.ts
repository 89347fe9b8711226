// Moves the files of an archive on PostgreSQL to another place: they are copied, each compared with its hash, and the old ones stay.
import { randomUUID } from 'node:crypto';
import { Fault } from '../../faults.ts';
import type { Archive, FilesHome } from '../store/archive.ts';
import type { Blobs } from '../store/files/blobs.ts';
import { markNewPlace } from '../store/files-mark.ts';
import {
  beginFilesMove,
  endFilesMove,
  filesMove,
  filesPlaceOf,
  storedFilesHome,
} from '../store/meta-table/files-location.ts';
import type { Statements } from '../store/sql/database.ts';
import { copyFiles, type CopiedFiles } from './copy-files.ts';

/**
 * Copies the files that the rows name into `to`, which then is their place. Nobody stores new files meanwhile. Resolves to undefined
 * where `to` is their place already; a move that was killed is given up then. Where files are missing or damaged, the others are
 * copied and the place stays, except with `leaveDamaged`. After an interruption the same call continues. Throws the reason of the signal, and Fault 'conflict' where another move began.
 */
export async function moveFiles(
  archive: Archive,
  to: Blobs,
  options: { leaveDamaged: boolean; signal: AbortSignal; progress(bytes: number): void },
): Promise<(CopiedFiles & { isMoved: boolean }) | undefined> {
  const { database } = archive;
  const id = to.mark === undefined ? '' : await markNewPlace(archive, to.mark, randomUUID());
  const target: FilesHome = { kind: filesPlaceOf({ blobs: to }), id };
  if (target.kind === filesPlaceOf(archive) && id === (await storedFilesHome(database)).id) {
    await database.transaction((statements) => endFilesMove(statements));
    return undefined;
  }
  await database.transaction((statements) => beginFilesMove(statements, target));
  let isMoved = false;
  try {
    const copied = await copyFiles(database, archive.blobs, to, options);
    options.signal.throwIfAborted();
    if (copied.damaged > 0 && !options.leaveDamaged) return { ...copied, isMoved };
    await database.transaction(async (statements) => {
      if (!(await isOwnMove(statements, target)))
        throw new Fault('conflict', 'another arx blobs move of this archive began meanwhile', {
          kept: 'the archive keeps its files where they were',
        });
      await endFilesMove(statements, target);
    });
    isMoved = true;
    return { ...copied, isMoved };
  } finally {
    // Then imports go on. Where this fails too, they are refused until a move ends.
    if (!isMoved)
      await database
        .transaction(async (statements) => {
          if (await isOwnMove(statements, target)) await endFilesMove(statements);
        })
        .catch(() => {});
  }
}

async function isOwnMove(statements: Statements, target: FilesHome): Promise<boolean> {
  const found = await filesMove(statements);
  return found?.kind === target.kind && found.id === target.id;
}
