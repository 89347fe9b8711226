// What a path holds, told by its content and never by its name: which reader an import gives it to.
import { stat } from 'node:fs/promises';
import { Fault } from '../../faults.ts';
import { hasEnvelope, headOf, holdsMails, isMail } from './mail-detection.ts';
import { entriesOf, filesBelow, isMaildir } from './folder-listing.ts';
import type { SourceKind } from '../records/import-items.ts';
import { slackKind } from './slack/export.ts';

/**
 * `mails` is a folder of one mail a file, `uploads` the files of a Slack export without their messages, `folder` one
 * whose files are told each by its own content. `every-mail` and `every-file` are folders of which a caller said so.
 */
export type Detected =
  'mbox' | 'maildir' | 'mail' | 'mails' | 'every-mail' | 'slack' | 'uploads' | 'folder' | 'every-file';

/** How many files of a folder are looked at, and how many of ten must be mail for it to be a folder of mail. */
const LOOKED_AT = 32;
const OF_TEN = 8;

/** Throws a usage Fault for a path that is not there, cannot be read, or is a file of none of these kinds. */
export async function detect(path: string): Promise<Detected> {
  return (
    (await lookAt(path, (isFolder) => (isFolder ? kindOfFolder(path) : kindOfFile(path)))) ??
    doesNotFit(path, 'no mbox, mail, Maildir, Slack export or folder')
  );
}

/**
 * The reader of this kind for a path: a mail and a folder of mails for `mail`; of a `folder` every file is kept as a
 * file. Throws a usage Fault for a path that cannot be read so.
 */
export async function detectAs(path: string, kind: SourceKind): Promise<Detected> {
  const found = await lookAt(path, async (isFolder): Promise<Detected | undefined> => {
    if (kind === 'mail') return isFolder ? 'every-mail' : 'mail';
    if (kind === 'folder') return isFolder ? 'every-file' : undefined;
    if (kind === 'maildir') return isFolder && isMaildir(await entriesOf(path)) ? kind : undefined;
    if (kind === 'mbox') return !isFolder && isMbox(await headOf(path)) ? kind : undefined;
    return slackOf(path);
  });
  return found ?? doesNotFit(path, `no ${NAMES[kind]}`);
}
const NAMES: Record<SourceKind, string> = {
  mbox: 'mbox',
  maildir: 'Maildir',
  mail: 'mail or folder of mails',
  slack: 'Slack export',
  folder: 'folder',
};

function doesNotFit(path: string, what: string): never {
  throw new Fault('usage', `${path} is ${what}`);
}

/** Asks of a folder or a regular file; undefined for anything else. */
async function lookAt(
  path: string,
  ask: (isFolder: boolean) => Promise<Detected | undefined>,
): Promise<Detected | undefined> {
  try {
    const found = await stat(path);
    return found.isDirectory() || found.isFile() ? await ask(found.isDirectory()) : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Fault('usage', `cannot read ${path} (${code === 'ENOENT' ? 'no such file or folder' : code})`);
  }
}

async function kindOfFolder(path: string): Promise<Detected> {
  if (isMaildir(await entriesOf(path))) return 'maildir';
  return (await slackOf(path)) ?? ((await isFolderOfMails(path)) ? 'mails' : 'folder');
}

async function isFolderOfMails(path: string): Promise<boolean> {
  const files: string[] = [];
  for await (const found of filesBelow(path, { maildirs: true })) {
    if ('relative' in found && found.refusal === undefined) files.push(found.at);
  }
  const step = Math.max(files.length / LOOKED_AT, 1);
  let looked = 0;
  let mails = 0;
  for (let at = 0; at < files.length; at += step) {
    const file = files[Math.floor(at)]!;
    const head = await headOf(file).catch(() => undefined);
    looked += 1;
    if (head === undefined || !isMail(head)) continue;
    // Where one file is a mailbox, each has to be looked at.
    if (await holdsMails(file, head, 2)) return false;
    mails += 1;
  }
  return looked > 0 && mails * 10 >= looked * OF_TEN;
}

async function kindOfFile(path: string): Promise<Detected | undefined> {
  const head = await headOf(path);
  if (isMbox(head)) return 'mbox';
  return (
    (head.text.startsWith('PK') ? await slackOf(path) : undefined) ?? (isMail(head) ? 'mail' : undefined)
  );
}

/** A mailbox that nothing came to is an empty file. */
function isMbox(head: Awaited<ReturnType<typeof headOf>>): boolean {
  return head.text === '' || hasEnvelope(head);
}

async function slackOf(path: string): Promise<'slack' | 'uploads' | undefined> {
  const slack = await slackKind(path);
  return slack === null ? undefined : slack === 'export' ? 'slack' : 'uploads';
}
