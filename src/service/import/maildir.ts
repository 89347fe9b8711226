// Reads a Maildir, and single files that are one mail each.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listFolder } from '../../disk/walk-folder.ts';
import type { RawMail, RefusedItem } from '../records/import-items.ts';
import { unreadableReason } from './file-set.ts';
import { isMaildir, unreadReasonOf } from './folder-listing.ts';
import { MAX_MAIL_BYTES } from './mbox.ts';

/** Returns whether a folder is a Maildir. Throws the error of the file system. */
export async function isMaildirAt(path: string): Promise<boolean> {
  return isMaildir(await listFolder(path));
}

/**
 * Reads the mails of a Maildir: `cur`, then `new`, each in order of delivery, then the Maildir++ folders in it.
 *
 * Order of delivery: by the time in seconds that a file name begins with, then by name. Unseen mails (`new`) come last,
 * because they arrived last. Skips `tmp`, whose mails were never delivered, and names that begin with a dot. Refuses
 * links, pipes, devices, folders, names that are not UTF-8, and what {@link readMailFile} refuses.
 */
export async function* readMaildir(path: string): AsyncGenerator<RawMail | RefusedItem> {
  for (const folder of ['cur', 'new']) {
    const entries = await listFolder(join(path, folder)).catch((error: unknown) => unreadableReason(error));
    if (typeof entries === 'string') {
      yield refused(join(path, folder), entries);
      continue;
    }
    const deliveredAt = (name: string) => Number(/^\d+/.exec(name)?.[0] ?? 0);
    entries.sort((a, b) => deliveredAt(a.name) - deliveredAt(b.name) || (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (entry.name.startsWith('.')) continue;
      const at = join(path, folder, entry.name);
      const reason = unreadReasonOf(entry) ?? (entry.kind === 'folder' ? 'is a folder' : undefined);
      yield reason === undefined ? readMailFile(at) : refused(at, reason);
    }
  }
  for (const entry of await listFolder(path)) {
    if (entry.kind !== 'folder' || !entry.isUtf8) continue;
    const at = join(path, entry.name);
    if (await isMaildirAt(at).catch(() => false)) yield* readMaildir(at);
  }
}

/** Reads a file as one mail, byte for byte. Refuses a file above {@link MAX_MAIL_BYTES}, and one that cannot be read. */
export function readMailFile(path: string): RawMail | RefusedItem {
  try {
    // Synchronous: for a small file this takes a fifth of the time that the thread pool takes.
    const { size } = statSync(path);
    if (size > MAX_MAIL_BYTES) return refused(path, `the mail is larger than ${MAX_MAIL_BYTES} bytes`);
    const raw = readFileSync(path);
    return { kind: 'raw', path, position: 0, raw, sha256: createHash('sha256').update(raw).digest('hex') };
  } catch (error) {
    return refused(path, `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}

function refused(path: string, reason: string): RefusedItem {
  return { kind: 'refused', path, position: 0, reason };
}
