// Opens an export of a chat: a folder, a zip or a tar, and yields what became of the files that hold no messages.
import { stat } from 'node:fs/promises';
import type { FileNote, RefusedItem, SourceItem } from '../records/import-items.ts';
import type { HeldFiles } from './chat-file.ts';
import { type FileSet, openFolder, pathInside, UnreadableError } from './file-set.ts';
import { readFileHead } from './mail-detection.ts';
import { mayBeTar, openTar } from './tar.ts';
import { unreadableReason } from './unreadable-reason.ts';
import { openZip } from './zip.ts';

const ZIP_MAGIC = 'PK';

/** Opens the files of a folder, zip, tar or tar.gz. Throws {@link UnreadableError} for anything else. */
export async function openExport(path: string, signal?: AbortSignal): Promise<FileSet> {
  try {
    if ((await stat(path)).isDirectory()) return await openFolder(path);
    const { text } = await readFileHead(path);
    if (text.startsWith(ZIP_MAGIC)) return await openZip(path, signal);
    if (mayBeTar(text)) return await openTar(path, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof UnreadableError || (error as NodeJS.ErrnoException).code === undefined) throw error;
    throw new UnreadableError(unreadableReason(error));
  }
  throw new UnreadableError('is no folder, zip or tar');
}

/**
 * Yields what became of the files of an export beside those in `used`: read by a message, unreadable, or skipped with the
 * reason that `reasonOf` gives.
 */
export function* otherFiles(
  path: string,
  files: FileSet,
  used: ReadonlySet<string>,
  { format, held, reasonOf }: { format: string; held: HeldFiles; reasonOf: (name: string) => string },
): Generator<SourceItem> {
  for (const [name, reason] of files.unreadable) yield refusedFile(pathInside(path, name), reason);
  for (const name of files.hidden) yield skippedFile(pathInside(path, name), 'has the name of another entry');
  for (const name of files.names) {
    if (used.has(name)) continue;
    const at = pathInside(path, name);
    const outcome = held.outcomes.get(name);
    if (outcome === null) yield { kind: 'opened', path: at, format };
    else if (outcome !== undefined) yield refusedFile(at, outcome);
    else yield skippedFile(at, reasonOf(name));
  }
}

/** Returns that a whole file, or the entry at a position in it, is refused. */
export function refusedFile(path: string, reason: string, position = 0): RefusedItem {
  return { kind: 'refused', path, position, reason };
}

function skippedFile(path: string, reason: string): FileNote {
  return { kind: 'skipped', path, position: null, bytes: null, reason };
}
