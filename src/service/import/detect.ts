// What a path holds, told by its content and never by its name: which reader an import gives it to.
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../faults.ts';
import { filesIn } from './maildir.ts';
import { slackKind } from './slack.ts';

/** `mails` is a folder of one mail a file, `uploads` the files of a Slack export without their messages. */
export type Detected = 'mbox' | 'maildir' | 'mail' | 'mails' | 'slack' | 'uploads' | 'folder';

/** How many files of a folder are looked at, and how many of ten must be mail for it to be a folder of mail. */
const LOOKED_AT = 32;
const OF_TEN = 8;

/** Throws a usage Fault for a path that is not there, cannot be read, or is a file of none of these kinds. */
export async function detect(path: string): Promise<Detected> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return await kindOfFolder(path);
    const kind = found.isFile() ? await kindOfFile(path) : undefined;
    if (kind !== undefined) return kind;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Fault('usage', `cannot read ${path} (${code === 'ENOENT' ? 'no such file or folder' : code})`);
  }
  throw new Fault('usage', `${path} is no mbox, mail, Maildir, Slack export or folder`);
}

async function kindOfFolder(path: string): Promise<Detected> {
  const entries = await readdir(path, { withFileTypes: true });
  const has = (name: string) => entries.some((entry) => entry.name === name && entry.isDirectory());
  if (has('cur') && has('new')) return 'maildir';
  const slack = await slackKind(path);
  if (slack !== null) return slack === 'export' ? 'slack' : 'uploads';
  const files = await filesIn(path);
  const step = Math.max(files.length / LOOKED_AT, 1);
  let looked = 0;
  let mails = 0;
  for (let at = 0; at < files.length; at += step) {
    const head = await headOf(join(path, files[Math.floor(at)]!)).catch(() => '');
    looked += 1;
    if (isMail(head)) mails += 1;
  }
  return looked > 0 && mails * 10 >= looked * OF_TEN ? 'mails' : 'folder';
}

async function kindOfFile(path: string): Promise<Detected | undefined> {
  const head = await headOf(path);
  // A mailbox that nothing came to is an empty file.
  if (head === '' || /^[\r\n]*From /.test(head)) return 'mbox';
  if (head.startsWith('PK')) {
    const slack = await slackKind(path);
    if (slack !== null) return slack === 'export' ? 'slack' : 'uploads';
  }
  return isMail(head) ? 'mail' : undefined;
}

/** The first 16 KiB as Latin-1. */
async function headOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(16_384), 0, 16_384, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}

const FIELDS =
  /^(?:from|to|date|subject|received|return-path|message-id|mime-version|delivered-to|content-type):/gim;

/** Begins with a field (or the envelope line some stores keep), and has at least two of those every mail has. */
function isMail(head: string): boolean {
  if (!/^(?:>?From [^\r\n]*[\r\n]+)?[!-9;-~]+[ \t]*:/.test(head)) return false;
  const header = /^[\s\S]*?(?=\r?\n\r?\n|\r\r|$(?![\s\S]))/.exec(head)?.[0] ?? head;
  const names = header.replaceAll('\r', '\n').match(FIELDS) ?? [];
  return new Set(names.map((name) => name.toLowerCase())).size >= 2;
}
