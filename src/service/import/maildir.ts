// Mails kept one a file, and the Maildir, which holds them in order of delivery.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf, isMaildir } from './folder-listing.ts';
import { MOST_MAIL_BYTES } from './mbox.ts';
import { reasonOf } from './named-files.ts';
import type { RawMail, RefusedItem } from '../records/import-items.ts';

/**
 * Reads `cur`, then `new` (what nobody has seen came last), each in order of delivery: names begin with its time in
 * seconds; then the folders of Maildir++ in it. What is in `tmp` was never delivered, and names that begin with a dot
 * are no mails; links, pipes and devices are refused.
 */
export async function* readMaildir(path: string): AsyncGenerator<RawMail | RefusedItem> {
  const refused = (at: string, reason: string): RefusedItem => ({
    kind: 'refused',
    path: at,
    position: 0,
    reason,
  });
  for (const folder of ['cur', 'new']) {
    const listed = await entriesOf(join(path, folder)).catch((error: unknown) => reasonOf(error));
    if (typeof listed === 'string') {
      yield refused(join(path, folder), listed);
      continue;
    }
    const delivered = (name: string) => Number(/^\d+/.exec(name)?.[0] ?? 0);
    listed.sort((a, b) => delivered(a.name) - delivered(b.name) || (a.name < b.name ? -1 : 1));
    for (const entry of listed) {
      if (entry.name.startsWith('.')) continue;
      if (entry.is === 'file') yield readMailFile(entry.at);
      else yield refused(entry.at, entry.is === 'folder' ? 'is a folder' : entry.reason);
    }
  }
  for (const { at, is } of await entriesOf(path)) {
    if (is === 'folder' && isMaildir(await entriesOf(at).catch(() => []))) yield* readMaildir(at);
  }
}

/** Reads one file as one mail, or says why not. */
export function readMailFile(path: string): RawMail | RefusedItem {
  const refused = (reason: string): RefusedItem => ({ kind: 'refused', path, position: 0, reason });
  try {
    // Synchronous: a small file costs a fifth of what it does through the thread pool.
    const { size } = statSync(path);
    if (size > MOST_MAIL_BYTES) return refused(`the mail is larger than ${MOST_MAIL_BYTES} bytes`);
    const raw = readFileSync(path);
    return { kind: 'raw', path, position: 0, raw, sha256: createHash('sha256').update(raw).digest('hex') };
  } catch (error) {
    return refused(`cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}
