// Reads a folder: mailboxes and mails in it as such, every other file as a message with that file attached.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { ImportKind } from '../../contract/import-kind.ts';
import { detectContentType } from '../file-type/content-type.ts';
import { countTrailingBytes } from '../file-type/trailing-bytes.ts';
import { cityOfPhoto } from '../geocoding/exif-gps.ts';
import type { ImportedAttachment, ImportItem, RawMail } from '../records/import-items.ts';
import { UnreadableError, unreadableReason } from './file-set.ts';
import { filesBelow, type FoundFile } from './folder-listing.ts';
import { detectFileKind, holdsMails, readFileHead } from './mail-detection.ts';
import { readMaildir, readMailFile } from './maildir.ts';
import { readMbox } from './mbox.ts';
import { storedJson } from './stored-json.ts';

export type FolderOptions = {
  /** City label for files that have none of their own, or null. */
  originCity: string | null;
  signal: AbortSignal;
  /** How each file is read. [by-content] */
  readAs?: ReadAs;
  /** Called with the kind of each file or Maildir that can be read, before its items. */
  onKind?(kind: ImportKind): void;
};

/**
 * `by-content`: each file as what its content shows. `mails-and-mailboxes`: each file as a mail, or as an
 * mbox when it holds three mails. `all-mails`: each file as one mail. `all-files`: each file as an attachment.
 * The first two read Maildirs below the folder as such.
 */
export type ReadAs = 'by-content' | 'mails-and-mailboxes' | 'all-mails' | 'all-files';

/** In archives of single mails, a file with two mails is a mail that was saved together with the next. */
const MIN_MAILS_OF_MAILBOX = 3;

/** Larger files are not held in memory: they are hashed as a stream, and only their beginning is examined. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;
const EXAMINED_BYTES = 1024 * 1024;

/**
 * Reads every file below a folder, in the order of names.
 *
 * A file that is no mail becomes a message of the format `file`. Its stored bytes are the canonical JSON of
 * `{path, bytes, sha256, mtime}`, with the path relative to the folder. Files with the same first folder on that path
 * are one conversation. A file above 16 MiB has `file` in place of `content`.
 *
 * Refuses links, pipes and devices, names that are not UTF-8, folders that cannot be listed, and files that cannot be
 * read. Throws the reason of the signal when it is aborted.
 */
export async function* readFolder(
  path: string,
  options: FolderOptions,
): AsyncGenerator<ImportItem | RawMail> {
  const root = resolve(path);
  const { readAs = 'by-content', onKind = () => {} } = options;
  const maildirs = readAs === 'by-content' || readAs === 'mails-and-mailboxes';
  let position = 0;
  for await (const found of filesBelow(root, { maildirs })) {
    options.signal.throwIfAborted();
    const { at } = found;
    if ('maildir' in found) {
      onKind('maildir');
      yield* readMaildir(at);
      continue;
    }
    const kind = found.refusal === undefined ? await kindOf(at, readAs) : 'file';
    if (kind === 'mbox') {
      onKind(kind);
      yield* readMbox(at);
    } else {
      const item = kind === 'mail' ? readMailFile(at) : await readFile(found, { root, position, ...options });
      if (item.kind !== 'refused') onKind(kind === 'mail' ? 'mail' : 'folder');
      yield item;
    }
    position += 1;
  }
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

type FileContext = FolderOptions & { root: string; position: number };

async function readFile(found: FoundFile, context: FileContext): Promise<ImportItem> {
  const { at, relative } = found;
  const { position } = context;
  const refused = (reason: string): ImportItem => ({ kind: 'refused', path: at, position, reason });
  if (found.refusal !== undefined) return refused(found.refusal);
  let file: FileHandle | undefined;
  try {
    // The file may have become a link or a pipe since it was listed. O_NONBLOCK keeps a pipe from blocking the import.
    file = await open(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size, mtimeMs } = await file.stat();
    const attachment = await readAttachment(file, { ...found, size }, context);
    const { bytes, sha256 } = attachment;
    const mtime = new Date(mtimeMs).toISOString();
    const raw = storedJson({ path: relative, bytes, sha256, mtime });
    const [topFolder = ''] = relative.includes('/') ? relative.split('/', 1) : [];
    return {
      kind: 'message',
      format: 'file',
      path: at,
      position,
      raw,
      sha256: createHash('sha256').update(raw).digest('hex'),
      key: `file:${relative}:${sha256}`,
      related: [`folder:${basename(context.root)}/${topFolder}`],
      parent: null,
      date_ms: Math.floor(mtimeMs),
      sender: null,
      subject: relative,
      source: 'local',
      tier: 'internal',
      nature: 'ordinary',
      decodable: true,
      wellFormed: true,
      attachments: [attachment],
    };
  } catch (error) {
    if (error instanceof UnreadableError) return refused(error.message);
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return refused(unreadableReason(error));
  } finally {
    await file?.close();
  }
}

async function readAttachment(
  file: FileHandle,
  { at, relative, size }: FoundFile & { size: number },
  { originCity, signal }: FileContext,
): Promise<ImportedAttachment> {
  const isHeld = size <= MAX_HELD_BYTES;
  const content = isHeld ? await file.readFile() : null;
  const beginning = content ?? (await beginningOf(file));
  const { sha256, bytes } = content === null ? await hashStream(file, signal) : hashBytes(content);
  const detected = detectContentType(beginning);
  return {
    filename: basename(relative),
    // A folder declares no content types, so the detected type counts as declared.
    declared_type: detected ?? 'application/octet-stream',
    detected_type: detected,
    content,
    ...(isHeld ? {} : { file: at }),
    sha256,
    bytes,
    inline: false,
    origin_city: (await cityOfPhoto(beginning, detected)) ?? originCity,
    redaction: null,
    trailing_bytes: content === null ? 0 : countTrailingBytes(content, detected),
  };
}

async function beginningOf(file: FileHandle): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(EXAMINED_BYTES), 0, EXAMINED_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

type HashedSize = { sha256: string; bytes: number };

function hashBytes(content: Uint8Array): HashedSize {
  return { sha256: createHash('sha256').update(content).digest('hex'), bytes: content.length };
}

async function hashStream(file: FileHandle, signal: AbortSignal): Promise<HashedSize> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of file.createReadStream({
    start: 0,
    autoClose: false,
    highWaterMark: EXAMINED_BYTES,
  })) {
    signal.throwIfAborted();
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { sha256: hash.digest('hex'), bytes };
}
