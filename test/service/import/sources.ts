// Sources and archives for the tests of imports.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openArchive, type OpenArchive } from '../../../src/service/store/open.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** A signal that is never aborted. */
export const signal = new AbortController().signal;
/** A mail. */
export const MAIL = 'From: a@b\nSubject: x\nMessage-ID: <1@b>\n\ntext\n';
/** The separator before a mail in an mbox. */
export const MBOX = 'From a@b Thu Jan  1 00:00:00 1970\n';

/** Returns a new folder with these files. A name that ends in `/` is a folder. */
export async function sourceFolder(files: Record<string, string | Uint8Array>): Promise<string> {
  const root = tempFolder('source');
  for (const [name, content] of Object.entries(files)) {
    await mkdir(name.endsWith('/') ? join(root, name) : dirname(join(root, name)), { recursive: true });
    if (!name.endsWith('/')) await writeFile(join(root, name), content);
  }
  return root;
}

/** Returns a new archive in a folder. */
export function newArchive(dir = join(tempFolder('import'), 'archive')): Promise<OpenArchive> {
  return openArchive({
    sleep,
    dir,
    now: () => Date.UTC(2026, 0, 1),
    randomBytes: (count) => new Uint8Array(count),
  });
}

/** Returns all rows that an import writes, without the paths it read. */
export async function contentOf({ database }: OpenArchive): Promise<unknown[]> {
  const tables = ['messages', 'raws', 'threads', 'orphans', 'attachments', 'conversations'];
  const rows = [];
  for (const table of tables) rows.push(await database.all(`SELECT * FROM ${table} ORDER BY 1, 2`));
  return rows;
}

/** Returns an mbox of mails that answer earlier and later ones, each with a file. */
export function mailbox(count: number): string {
  return Array.from({ length: count }, (_, n) => {
    const answered = n % 7 === 3 ? n + 2 : n % 3 === 0 ? undefined : n - 1;
    const header = [
      `From: p${n % 5}@b`,
      `Message-ID: <${n}@b>`,
      ...(answered === undefined ? [] : [`In-Reply-To: <${answered}@b>`]),
    ];
    return `${MBOX}${header.join('\n')}\nContent-Type: application/x-n; name=n\n\nfile ${n % 50}\n\n`;
  }).join('');
}
