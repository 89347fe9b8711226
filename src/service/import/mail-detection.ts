// What one file holds, told by its first bytes and, for an mbox, by the separators in it.
import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { readMbox } from './mbox.ts';

export type FileKind = 'mbox' | 'mail' | 'file';

/** The beginning of a file as Latin-1, and whether it is all of it. */
export type Head = { text: string; whole: boolean };

const HEAD_BYTES = 16_384;

/** Throws the file system's error. What became a pipe meanwhile does not make it wait. */
export async function headOf(path: string): Promise<Head> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return { text: buffer.toString('latin1', 0, bytesRead), whole: bytesRead < HEAD_BYTES };
  } finally {
    await file.close();
  }
}

/** Begins as every mbox does, and as a mail that a store put its envelope before. */
export function hasEnvelope({ text }: Head): boolean {
  return /^[\r\n]*From /.test(text);
}

/** What a file of a folder is by itself: what it would be taken for alone, else (and a saved web page) a file. */
export async function kindOfContent(path: string): Promise<FileKind> {
  const head = await headOf(path);
  if (!hasEnvelope(head)) return isMail(head) && !isWebArchive(head) ? 'mail' : 'file';
  const one = isMail(head) || isEnvelopedHeader(head);
  return one || (await holdsMails(path, head, 2)) ? 'mbox' : 'file';
}

/** Whether a file that begins as an mbox holds at least so many mails. */
export async function holdsMails(path: string, head: Head, least: number): Promise<boolean> {
  if (!hasEnvelope(head) || (head.whole && !head.text.includes('\nFrom '))) return false;
  let found = 0;
  for await (const _mail of readMbox(path)) {
    found += 1;
    if (found >= least) return true;
  }
  return false;
}

const OF_MAIL = /^(?:from|to|date|subject|received|return-path|message-id|delivered-to):/gim;
const OF_MIME = /^(?:mime-version|content-type):/gim;

/** Begins with a field (or the envelope line some stores keep), and has at least two of those every mail has. */
export function isMail(head: Head): boolean {
  const header = headerOf(head);
  return count(header, OF_MAIL) + count(header, OF_MIME) >= 2;
}

/** A page as browsers save it with its pictures: made like a mail, without a field of mail. */
function isWebArchive(head: Head): boolean {
  const header = headerOf(head);
  return count(header, OF_MAIL) === 0 && /^content-type:\s*multipart\/related\b/im.test(header);
}

/** What stands before the first empty line, with LF at the ends of lines; empty where it does not begin with a field. */
function headerOf({ text }: Head): string {
  const begun = text.replace(/^[\r\n]+(?=From )/, '');
  if (!/^(?:>?From [^\r\n]*[\r\n]+)?[!-9;-~]+[ \t]*:/.test(begun)) return '';
  return (/^[\s\S]*?(?=\r?\n\r?\n|\r\r|$(?![\s\S]))/.exec(begun)?.[0] ?? begun).replaceAll('\r', '\n');
}

/** How many different fields of these there are. */
function count(header: string, fields: RegExp): number {
  return new Set((header.match(fields) ?? []).map((name) => name.toLowerCase())).size;
}

/** An envelope line and nothing but fields up to the first empty line. */
function isEnvelopedHeader({ text }: Head): boolean {
  return /^[\r\n]*From [^\n]*\n(?:[!-9;-~]+[ \t]*:[^\n]*\n(?:[ \t][^\n]*\n)*)+\r?\n/.test(text);
}
