// Reads a folder: mailboxes and mails in it as such, every other file as a message with that file attached.
import { basename, relative, resolve } from 'node:path';
import type { Tier } from '../../contract/token.ts';
import type { SourceItem } from '../records/import-items.ts';
import { chatHint, chatSystemOf } from './chat-export.ts';
import { decompressCommand, isNameOfCompressedMail, startOfFile } from './compressed.ts';
import { readFileMessage, type FileContext } from './file-message.ts';
import { filesBelow, type FoundFile } from './folder-listing.ts';
import { detectFileKind, holdsMails, readFileHead } from './mail-detection.ts';
import { asFile, readMaildir, readSingleMail } from './maildir.ts';
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
 * mbox when it holds three mails. `all-mails`: each file as one mail. `all-files`: each file as an attachment.
 * The first two read Maildirs below the folder as such.
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
  const compressed = { count: 0, first: [] as string[] };
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
    else if (kind === 'mail') yield* readSingleMail(at);
    else {
      yield* plainFile(found, { ...options, root, position });
      if (readAs === 'by-content' && found.unreadReason === undefined && (await isCompressedMail(at))) {
        compressed.count += 1;
        if (compressed.count <= MAX_NAMED) compressed.first.push(relative(root, at));
      }
    }
    position += 1;
  }
  if (compressed.count > 0) yield { kind: 'notice', path: root, text: compressedText(compressed) };
}

/** Compressed files that the notice about them names. */
const MAX_NAMED = 3;

async function isCompressedMail(at: string): Promise<boolean> {
  if (!isNameOfCompressedMail(basename(at))) return false;
  const start = await startOfFile(at).catch(() => '');
  return decompressCommand(start) !== undefined;
}

function compressedText({ count, first }: { count: number; first: readonly string[] }): string {
  const names = `${first.join(', ')}${count > first.length ? ', …' : ''}`;
  return count === 1
    ? `holds 1 compressed file, stored as it is, and no mail in it was read: ${names}; unpack it, and import it again`
    : `holds ${count} compressed files, stored as they are, and no mail in them was read: ${names}; unpack them, and import them again`;
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

async function kindOf(at: string, readAs: ReadAs): Promise<'mbox' | 'mail' | 'file'> {
  if (readAs === 'all-mails') return 'mail';
  if (readAs === 'all-files') return 'file';
  try {
    if (readAs === 'by-content') return await detectFileKind(at);
    return (await holdsMails(at, await readFileHead(at), MIN_MAILS_OF_MAILBOX)) ? 'mbox' : 'mail';
  } catch {
    // The reader of this kind opens the file again and reports the error.
    return readAs === 'by-content' ? 'file' : 'mail';
  }
}
