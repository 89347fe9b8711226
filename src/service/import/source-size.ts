// How many bytes an import will read, for its progress.
import { statSync } from 'node:fs';
import { createTurns } from '../../concurrency/turns.ts';
import type { ImportKind } from '../../contract/import-kind.ts';
import { filesBelow } from './folder-listing.ts';

/** The size of a source. `bytes` is null while it is not known. */
export type SourceSize = { bytes(): number | null; stop(): void };

/** How a source of each kind is measured. The files of a chat's export are not read as they are. */
const MEASURED: Record<ImportKind, 'file' | 'folder' | undefined> = {
  mbox: 'file',
  maildir: 'folder',
  mail: 'folder',
  folder: 'folder',
  slack: undefined,
  mattermost: undefined,
  zulip: undefined,
};

/** Returns the size of a source. That of a folder is known later: its files are measured while they are imported, until `stop`. */
export function sizeOfSource(path: string, kind: ImportKind, signal: AbortSignal): SourceSize {
  let bytes: number | null = MEASURED[kind] === 'file' ? bytesOf(path) : null;
  let isStopped = false;
  const measure = async (): Promise<void> => {
    const turn = createTurns();
    let sum = 0;
    for await (const found of filesBelow(path, { maildirs: false })) {
      if (isStopped || signal.aborted) return;
      if (!('maildir' in found) && found.unreadReason === undefined) sum += bytesOf(found.at);
      await turn();
    }
    bytes = sum;
  };
  if (MEASURED[kind] === 'folder') void measure();
  return {
    bytes: () => bytes,
    stop: () => {
      isStopped = true;
    },
  };
}

/** Returns 0 for a file that cannot be read: its reader says why. */
function bytesOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
