// Reads a folder: mailboxes and mails in it as such, every other file as a message with that file attached.
import { basename, relative, resolve } from 'node:path';
import type { Tier } from '../../contract/tier.ts';
import type { SourceItem } from '../records/import-items.ts';
import { chatHint, chatSystemOf } from './chat-export.ts';
import { decompressCommand, isNameOfCompressedMail, outlookHint, startOfFile } from './compressed.ts';
import { isPartialEmlx } from './emlx.ts';
import { readFileMessage, type FileContext } from './file-message.ts';
import { filesBelow, type FoundFile } from './folder-listing.ts';
import { detectFileKind, holdsMails, readFileHead } from './mail-detection.ts';
import { asFile, readMaildir, readSingleMail, skippedDotFile } from './maildir.ts';
import { readMbox } from './mbox.ts';

/** How a folder is read. */
export type FolderOptions = {
  /** City label for files that have none of their own, or null. */
  originCity: string | null;
  /** Tier of the files (interface 5). */
  tier: Tier;
  signal: AbortSignal;
  /** How each file is read. [by-content] */
  readAs?: ReadAs;
};

/**
 * `by-content`: each file as what its content shows. `mails-and-mailboxes`: each file as a mail, or as an
 * mbox when it holds three mails, but for what {@link kindOf} takes for another file. `all-mails`: each file as one mail.
 * `all-files`: each file as an attachment. The first two read Maildirs below the folder as such.
 */
export type ReadAs = 'by-content' | 'mails-and-mailboxes' | 'all-mails' | 'all-files';

/** In archives of single mails, a file with two mails is a mail that was saved together with the next. */
const MIN_MAILS_OF_MAILBOX = 3;

/**
 * Reads every file below a folder, in the order of names, as `readAs` says. {@link readFileMessage} reads the files that
 * are no mail.
 *
 * Refuses links, pipes and devices, names that are not UTF-8, folders that cannot be listed, and files that cannot be
 * read. Throws the reason of the signal when it is aborted.
 */
export async function* readFolder(path: string, options: FolderOptions): AsyncGenerator<SourceItem> {
  const root = resolve(path);
  const { readAs = 'by-content' } = options;
  const maildirs = readAs === 'by-content' || readAs === 'mails-and-mailboxes';
  const unread = new Map<UnreadMail, { count: number; first: string[] }>();
  const countUnread = (about: UnreadMail | undefined, at: string): void => {
    if (about === undefined) return;
    const known = unread.get(about) ?? { count: 0, first: [] };
    unread.set(about, known);
    known.count += 1;
    if (known.count <= MAX_NAMED) known.first.push(relative(root, at));
  };
  let position = 0;
  for await (const found of filesBelow(root, { maildirs })) {
    options.signal.throwIfAborted();
    const { at } = found;
    if ('maildir' in found) {
      yield* readMaildir(at, options.signal);
      continue;
    }
    const kind = found.unreadReason === undefined ? await kindOf(at, readAs) : 'file';
    if (kind === 'mbox') yield* readMbox(at, { signal: options.signal });
    else if (kind === 'mail') {
      yield* readSingleMail(at);
      if (isPartialEmlx(at)) countUnread('partial', at);
    } else if (kind === 'dot') yield skippedDotFile(at);
    else {
      yield* plainFile(found, { ...options, root, position });
      if (readAs !== 'all-files' && found.unreadReason === undefined) countUnread(await unreadMailIn(at), at);
    }
    position += 1;
  }
  for (const [about, { count, first }] of unread) {
    const names = `${first.join(', ')}${count > first.length ? ', …' : ''}`;
    yield { kind: 'notice', path: root, text: UNREAD[about](count, names) };
  }
}

/** Files of one sort that the notice about them names. */
const MAX_NAMED = 3;

/** The notices about mail that was not read, of the number and the names of the files. */
const UNREAD = {
  compressed: (count: number, names: string) =>
    count === 1
      ? `holds 1 compressed file, stored as it is, and no mail in it was read: ${names}; unpack it, and import it again`
      : `holds ${count} compressed files, stored as they are, and no mail in them was read: ${names}; unpack them, and import them again`,
  outlook: (count: number, names: string) =>
    count === 1
      ? `holds 1 file of Outlook, stored as it is, and no mail in it was read: ${names}; arx import ${names} says what converts it`
      : `holds ${count} files of Outlook, stored as they are, and no mail in them was read: ${names}; arx import FILE says what converts one`,
  partial: (count: number, names: string) =>
    count === 1
      ? `1 mail of Apple Mail is stored without its attachments, which are in other files: ${names}`
      : `${count} mails of Apple Mail are stored without their attachments, which are in other files: ${names}`,
};
type UnreadMail = keyof typeof UNREAD;

/** Returns what a file is that may hold mails which were not read. */
async function unreadMailIn(at: string): Promise<UnreadMail | undefined> {
  const name = basename(at);
  const start = await startOfFile(at).catch(() => '');
  if (outlookHint(name, start) !== undefined) return 'outlook';
  return isNameOfCompressedMail(name) && decompressCommand(start) !== undefined ? 'compressed' : undefined;
}

async function* plainFile(found: FoundFile, context: FileContext): AsyncGenerator<SourceItem> {
  const item = await readFileMessage(found, context);
  yield* asFile(item, 'file');
  if (item.kind === 'refused') return;
  const chat = await chatSystemOf(found.at).catch(() => undefined);
  if (chat === undefined) return;
  const { system, part } = chat;
  const text = `looks like an export of ${system}: it is stored as a file, and no message in it was understood; ${chatHint(system, part)}`;
  yield { kind: 'notice', path: found.at, text };
}

/** Returns how a file is read. `dot`: among mails, a file that is none and whose name begins with a dot, as `.mh_sequences` of MH. */
async function kindOf(at: string, readAs: ReadAs): Promise<'mbox' | 'mail' | 'file' | 'dot'> {
  if (readAs === 'all-mails') return 'mail';
  if (readAs === 'all-files') return 'file';
  try {
    if (readAs === 'by-content') return await detectFileKind(at);
    const head = await readFileHead(at);
    const isOther = (await detectFileKind(at, head)) === 'file';
    if (isOther && basename(at).startsWith('.')) return 'dot';
    // A text may be a mail whose header is damaged, a picture or a zip is none.
    if (isOther && head.text.includes('\0')) return 'file';
    return (await holdsMails(at, head, MIN_MAILS_OF_MAILBOX)) ? 'mbox' : 'mail';
  } catch {
    // The reader of this kind opens the file again and reports the error.
    return readAs === 'by-content' ? 'file' : 'mail';
  }
}
