// Recognizes mails and mailboxes by the first bytes of a file, and an mbox also by the separators in it.
import { Buffer } from 'node:buffer';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { afterLengthLine } from './emlx.ts';
import { filesBelow } from './folder-listing.ts';
import { readMbox } from './mbox.ts';

/** The first bytes of a file as Latin-1, and whether they are all of it. */
export type FileHead = { text: string; isWhole: boolean };

const HEAD_BYTES = 16_384;
/** A header that goes on there is read up to here: some relays add fields without end. */
const MAX_HEADER_BYTES = 1024 * 1024;

/** How many files of a folder are sampled, and the percentage of mails among them that makes it a folder of mails. */
const MAX_SAMPLED_FILES = 32;
const MIN_PERCENT_OF_MAILS = 80;

/** Returns the first bytes of a file. Throws the error of the file system. Does not block on a pipe. */
export async function readFileHead(path: string): Promise<FileHead> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const readHead = async (length: number): Promise<FileHead> => {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, 0);
      return { text: plainText(buffer.toString('latin1', 0, bytesRead)), isWhole: bytesRead < length };
    };
    const head = await readHead(HEAD_BYTES);
    return !head.isWhole && isOpenHeader(head) ? await readHead(MAX_HEADER_BYTES) : head;
  } finally {
    await file.close();
  }
}

/** The byte order mark of UTF-8 as Latin-1, which some editors write. It belongs to no mail. */
const MARK = '\u00ef\u00bb\u00bf';

/** Returns text as it is recognized: without the mark, and with LF where its lines end with CR alone. */
function plainText(text: string): string {
  const unmarked = text.startsWith(MARK) ? text.slice(MARK.length) : text;
  return unmarked.includes('\n') ? unmarked : unmarked.replaceAll('\r', '\n');
}

/** Returns whether these bytes begin with a header and do not reach its end. */
function isOpenHeader(head: FileHead): boolean {
  return headerText(head).length > 0 && !/\n\r?\n/.test(head.text);
}

/** Returns whether a file is an mbox. An empty file is one: a mailbox without mail. */
export function isMailbox(head: FileHead): boolean {
  return head.text === '' || hasEnvelope(head);
}

/** Returns whether a file begins with an envelope line (`From …`). An mbox does, and some single mails do. */
function hasEnvelope({ text }: FileHead): boolean {
  return /^[\r\n]*From /.test(text);
}

/** Returns how a file of a folder is read: as an mbox, as one mail, or as a file. A saved web page is a file. `known`: its head, where it was read before. */
export async function detectFileKind(path: string, known?: FileHead): Promise<'mbox' | 'mail' | 'file'> {
  const head = known ?? (await readFileHead(path));
  if (!hasEnvelope(head)) return isMail(head) && !isWebArchive(head) ? 'mail' : 'file';
  if (isMail(head) || isEnvelopeWithHeader(head)) return 'mbox';
  return (await holdsMails(path, head, 2)) ? 'mbox' : 'file';
}

/** Returns whether a file that begins as an mbox holds at least `minMails` mails. */
export async function holdsMails(path: string, head: FileHead, minMails: number): Promise<boolean> {
  if (!hasEnvelope(head) || (head.isWhole && !head.text.includes('\nFrom '))) return false;
  let found = 0;
  for await (const { kind } of readMbox(path)) {
    if (kind === 'raw' || kind === 'refused') found += 1;
    if (found >= minMails) return true;
  }
  return false;
}

/**
 * Returns whether a folder holds one mail per file: at least 80 % of up to 32 files, sampled evenly, are single mails,
 * and none is a mailbox. Throws the error of the file system.
 */
export async function isFolderOfMails(path: string): Promise<boolean> {
  const files: string[] = [];
  for await (const found of filesBelow(path, { maildirs: true })) {
    if ('relative' in found && found.unreadReason === undefined) files.push(found.at);
  }
  const step = Math.max(files.length / MAX_SAMPLED_FILES, 1);
  let sampled = 0;
  let mails = 0;
  for (let at = 0; at < files.length; at += step) {
    const file = files[Math.floor(at)]!;
    const head = await readFileHead(file).catch(() => undefined);
    sampled += 1;
    if (head === undefined || !isMail(head)) continue;
    // If one file is a mailbox, others may be too, so the kind of each file must be detected.
    if (await holdsMails(file, head, 2)) return false;
    mails += 1;
  }
  return sampled > 0 && mails * 100 >= sampled * MIN_PERCENT_OF_MAILS;
}

const MAIL_FIELDS = /^(?:from|to|date|subject|received|return-path|message-id|delivered-to):/gim;
const MIME_FIELDS = /^(?:mime-version|content-type):/gim;

/** Returns whether a file is one mail: it begins with a header (or an envelope line) that has two common fields. In a file of Apple Mail its length stands before. */
export function isMail(head: FileHead): boolean {
  const header = headerText({ ...head, text: afterLengthLine(head.text) ?? head.text });
  return countDistinct(header, MAIL_FIELDS) + countDistinct(header, MIME_FIELDS) >= 2;
}

/** A web page saved by a browser with its images (MHTML): MIME like a mail, but without a mail field. */
function isWebArchive(head: FileHead): boolean {
  const header = headerText(head);
  return countDistinct(header, MAIL_FIELDS) === 0 && /^content-type:\s*multipart\/related\b/im.test(header);
}

/** What stands before the first empty line, with LF line ends; empty when the file does not begin with a field. */
function headerText({ text }: FileHead): string {
  const begun = text.replace(/^[\r\n]+(?=From )/, '');
  if (!/^(?:>?From [^\r\n]*[\r\n]+)?[!-9;-~]+[ \t]*:/.test(begun)) return '';
  return (/^[\s\S]*?(?=\r?\n\r?\n|\r\r|$(?![\s\S]))/.exec(begun)?.[0] ?? begun).replaceAll('\r', '\n');
}

function countDistinct(header: string, fields: RegExp): number {
  return new Set((header.match(fields) ?? []).map((name) => name.toLowerCase())).size;
}

/** An envelope line, then only fields up to the first empty line. */
function isEnvelopeWithHeader({ text }: FileHead): boolean {
  return /^[\r\n]*From [^\n]*\n(?:[!-9;-~]+[ \t]*:[^\n]*\n(?:[ \t][^\n]*\n)*)+\r?\n/.test(text);
}
