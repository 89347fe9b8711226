// `arx open ID`: an attachment, a message or a conversation in the program of the system for it.
import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { App } from '../app.ts';
import { removeQuietly, writeFileAtomically } from '../disk/atomic-file.ts';
import { diskFault } from '../disk/disk-fault.ts';
import { makeFolder } from '../disk/make-folder.ts';
import { safeName } from '../download/safe-name.ts';
import { Fault } from '../faults.ts';
import { attachmentSource } from './attachments/catalogue.ts';
import { checkDisplay, checkInteractive, launch, openAttachment } from './attachments/open-file.ts';
import { noCounts } from './conversations/export-counts.ts';
import { openThreadFiles } from './conversations/export-files.ts';
import { headOf, pageOf } from './conversations/thread-document.ts';
import { findRecord } from './lists/find-record.ts';
import { readMessage } from './read/read-message.ts';
import { readThread, threadMessages } from './read/read-thread.ts';
import { recordKind, type RecordKind } from './lists/record-kind.ts';
import { idArgument } from '../shell-words.ts';

export const Input = z.object({ id: z.string().min(1), force: z.boolean().default(false) });

const READING = { headers: false, lore: false, preferHtml: false };
/** Pages of earlier runs are removed after a day. */
const MAX_PAGE_AGE_MS = 24 * 60 * 60 * 1000;

export async function run({ id, force }: z.infer<typeof Input>, app: App): Promise<void> {
  checkInteractive(app);
  const kind = await recordKind(id, app);
  if (kind === 'attachment')
    return openAttachment(await findRecord(id, await attachmentSource(app), app), force, app);
  if (force && !app.isRecorded) throw new Fault('usage', '--force goes with an attachment');
  checkDisplay(({ arx }) => `${arx} read ${idArgument(id)}`, app);
  const chunks: Buffer[] = [];
  for await (const chunk of documentOf(id, kind, app)) chunks.push(chunk);
  const path = await savePage(id, Buffer.concat(chunks), app);
  await launch(path, `the page is ${path}`, app);
}

async function* documentOf(id: string, kind: RecordKind, app: App): AsyncGenerator<Buffer> {
  const counts = noCounts();
  const files = await openThreadFiles(
    { dir: undefined, pictures: true, limited: app, force: false, counts },
    app,
  );
  const number = (): number => (counts.messages += 1);
  try {
    if (kind === 'conversation') {
      const thread = await readThread(id, app);
      yield* pageOf(headOf(thread), threadMessages(thread.messages, READING, app), files, number, app);
      if (thread.fault !== undefined) app.addFault(thread.fault);
    } else {
      const message = await readMessage(id, READING, app);
      const head = { title: message.subject ?? id, facts: [`Message ${id}`], doubts: [] };
      yield* pageOf(head, [message], files, number, app);
    }
  } finally {
    await files.close();
  }
}

/** Writes the page into a private folder of the cache, and removes old pages there. */
async function savePage(id: string, page: Buffer, app: App): Promise<string> {
  const dir = join(app.directories.cache, 'pages');
  try {
    await makeFolder(dir, 0o700);
    await chmod(dir, 0o700);
    for (const name of await readdir(dir)) {
      const { mtimeMs } = await lstat(join(dir, name));
      if (app.world.now() - mtimeMs > MAX_PAGE_AGE_MS) removeQuietly(join(dir, name));
    }
  } catch (error) {
    throw diskFault(error, dir);
  }
  const path = join(dir, safeName(id, `${id}.html`).name);
  try {
    const temporary = `${path}.${Buffer.from(app.world.randomBytes(8)).toString('hex')}.part`;
    writeFileAtomically({ temporary, path, force: true }, page);
  } catch (error) {
    throw diskFault(error, path);
  }
  return path;
}
