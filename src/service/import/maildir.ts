// Mails kept one a file: a Maildir in order of delivery, or a folder of mail files in order of their paths.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { MOST_MAIL_BYTES } from './mbox.ts';
import type { RawMail, ReadRefusal } from './record.ts';

/**
 * Reads `cur`, then `new` (what nobody has seen came last), each in order of delivery: names begin with its time in
 * seconds. What is in `tmp` was never delivered.
 */
export async function* readMaildir(path: string): AsyncGenerator<RawMail | ReadRefusal> {
  for (const folder of ['cur', 'new']) {
    const entries = await readdir(join(path, folder), { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    const delivered = (name: string) => Number(/^\d+/.exec(name)?.[0] ?? 0);
    names.sort((a, b) => delivered(a) - delivered(b) || (a < b ? -1 : 1));
    for (const name of names) {
      if (!name.startsWith('.')) yield readMailFile(join(path, folder, name));
    }
  }
}

/** Reads every file of a folder, however deep, as one mail each. Links are not followed. */
export async function* readMailFolder(path: string): AsyncGenerator<RawMail | ReadRefusal> {
  for (const name of await filesIn(path)) yield readMailFile(join(path, name));
}

/** The paths of all regular files below a folder, relative to it, with `/`, in code unit order. */
export async function filesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(path, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort((a, b) => (a < b ? -1 : 1));
}

/** Reads one file as one mail, or says why not. */
export function readMailFile(path: string): RawMail | ReadRefusal {
  const refused = (reason: string): ReadRefusal => ({ kind: 'refused', path, position: 0, reason });
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
