// Reads a Maildir, and single files that are one mail each.
import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listFolder } from '../../disk/walk-folder.ts';
import type { FileNote, ImportItem, RawMail, RefusedItem, SourceItem } from '../records/import-items.ts';
import { unreadableReason } from './unreadable-reason.ts';
import { filesBelow, isMaildir, unreadReasonOf } from './folder-listing.ts';
import { mailInEmlx } from './emlx.ts';
import { detectFileKind } from './mail-detection.ts';
import { isQuotedSeparator, separatorsWithin } from './mbox-separator.ts';
import { MAX_MAIL_BYTES, readMbox } from './mbox.ts';

/** Returns whether a folder is a Maildir. Throws the error of the file system. */
export async function isMaildirAt(path: string): Promise<boolean> {
  return isMaildir(await listFolder(path));
}

/**
 * Reads the mails of a Maildir: `cur`, then `new`, each in order of delivery, then everything else below it by name: Maildirs
 * (also Maildir++ folders) as such, and other mails and mailboxes by their content.
 *
 * Order of delivery: by the time in seconds that a file name begins with, then by name. Unseen mails (`new`) come last,
 * because they arrived last. Refuses links, pipes, devices, names that are not UTF-8, folders that cannot be listed, and
 * what {@link readMailFile} refuses. Skips, with the reason: `tmp`, whose mails were never delivered; in `cur` and `new`
 * names that begin with a dot; elsewhere files that are no mail.
 */
export async function* readMaildir(path: string, signal: AbortSignal): AsyncGenerator<SourceItem> {
  const folders: string[] = [];
  for (const folder of ['cur', 'new']) {
    const entries = await listFolder(join(path, folder)).catch((error: unknown) => unreadableReason(error));
    if (typeof entries === 'string') {
      yield refused(join(path, folder), entries);
      continue;
    }
    const deliveredAt = (name: string) => Number(/^\d+/.exec(name)?.[0] ?? 0);
    entries.sort((a, b) => deliveredAt(a.name) - deliveredAt(b.name) || (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const at = join(path, folder, entry.name);
      const reason = unreadReasonOf(entry);
      if (reason !== undefined) yield refused(at, reason);
      else if (entry.kind === 'folder') folders.push(at);
      else if (entry.name.startsWith('.')) yield skippedDotFile(at);
      else yield* asFile(readMailFile(at), 'maildir');
    }
  }
  for (const entry of await listFolder(path)) {
    const at = join(path, entry.name);
    const reason = unreadReasonOf(entry);
    if (reason !== undefined) yield refused(at, reason);
    else if (entry.kind === 'file') yield* readIfMail(at, signal);
    else if (entry.name === 'tmp') yield* skipAll(at, 'is in tmp: it was never delivered');
    else if (entry.name !== 'cur' && entry.name !== 'new') folders.push(at);
  }
  for (const folder of folders) yield* readMailsBelow(folder, signal);
}

async function* readMailsBelow(folder: string, signal: AbortSignal): AsyncGenerator<SourceItem> {
  for await (const found of filesBelow(folder, { maildirs: true })) {
    if ('maildir' in found) yield* readMaildir(found.at, signal);
    else if (found.unreadReason !== undefined) yield refused(found.at, found.unreadReason);
    else yield* readIfMail(found.at, signal);
  }
}

async function* readIfMail(at: string, signal: AbortSignal): AsyncGenerator<SourceItem> {
  const kind = await detectFileKind(at).catch((error: unknown) => ({ reason: unreadableReason(error) }));
  if (typeof kind !== 'string') yield refused(at, kind.reason);
  else if (kind === 'mbox') yield* readMbox(at, { signal });
  else if (kind === 'mail') yield* readSingleMail(at);
  else yield skipped(at, 'is no mail');
}

async function* skipAll(folder: string, reason: string): AsyncGenerator<SourceItem> {
  for await (const found of filesBelow(folder, { maildirs: false })) {
    yield 'unreadReason' in found ? refused(found.at, found.unreadReason) : skipped(found.at, reason);
  }
}

/** Yields an item that is the only one of its file, after saying as what the file was read. */
export function* asFile(item: ImportItem | RawMail, format: string): Generator<SourceItem> {
  if (item.kind !== 'refused') yield { kind: 'opened', path: item.path, format };
  yield item;
}

/** More lines than a mail has that quotes another one as a mailbox has it. */
const MIN_SEPARATORS = 2;

/** Reads a file as one mail, and says where it looks like a mailbox whose first separator is missing. */
export function* readSingleMail(path: string): Generator<SourceItem> {
  const item = readMailFile(path);
  yield* asFile(item, 'mail');
  if (item.kind !== 'raw') return;
  const count = separatorsWithin(item.raw);
  const isQuoted = count > 0 && isQuotedSeparator(item.raw);
  if (count < MIN_SEPARATORS && !isQuoted) return;
  const begin = isQuoted ? ' begins with a quoted separator (>From),' : '';
  const lines = count === 1 ? '1 line that separates' : `${count} lines that separate`;
  const text = `is read as one mail,${begin} and has ${lines} mails in a mailbox; arx import --kind mbox reads it as one`;
  yield { kind: 'notice', path, text };
}

/** Reads a file as one mail, byte for byte, of Apple Mail the mail in it. Refuses a file above {@link MAX_MAIL_BYTES}, and one that cannot be read. */
export function readMailFile(path: string): RawMail | RefusedItem {
  try {
    // Synchronous: for a small file this takes a fifth of the time that the thread pool takes.
    const { size } = statSync(path);
    if (size > MAX_MAIL_BYTES) return refused(path, `the mail is larger than ${MAX_MAIL_BYTES} bytes`);
    const file = readFileSync(path);
    const raw = mailInEmlx(file) ?? file;
    return { kind: 'raw', path, position: 0, raw, sha256: hash('sha256', raw, 'hex') };
  } catch (error) {
    return refused(path, `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}

/** Returns what is said of a file among mails that a program keeps there for itself. */
export function skippedDotFile(path: string): FileNote {
  return skipped(path, 'has a name that begins with a dot');
}

function skipped(path: string, reason: string): FileNote {
  return { kind: 'skipped', path, position: null, bytes: null, reason };
}

function refused(path: string, reason: string): RefusedItem {
  return { kind: 'refused', path, position: 0, reason };
}
