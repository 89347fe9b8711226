// Reads a folder: mailboxes and mails in it are read as such; any other file is a message that carries that one file.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { canonicalBytes } from './canonical.ts';
import { type FileKind, headOf as beginningOf, holdsMails, kindOfContent } from './mail-detection.ts';
import { filesBelow, type Found } from './folder-listing.ts';
import { readMaildir, readMailFile } from './maildir.ts';
import { readMbox } from './mbox.ts';
import { Unreadable, reasonOf } from './named-files.ts';
import { cityOfPhoto } from '../geocoding/exif-gps.ts';
import type { RawMail, ImportedAttachment, ImportItem, SourceKind } from '../records/import-items.ts';
import { detectContentType } from '../file-type/content-type.ts';
import { countTrailingBytes } from '../file-type/trailing-bytes.ts';

export type FolderOptions = {
  /** Label for files whose own place nothing tells, or null. */
  originCity: string | null;
  signal: AbortSignal;
  /**
   * What the files are: each told by its own content, mails but for mailboxes among them, or all of one kind.
   * Maildirs below the folder are read as such in the first two cases.
   */
  files?: 'told' | 'mails' | 'mail' | 'file';
  /** Called before the items of a file or a Maildir that could be read. */
  met?(kind: SourceKind): void;
};

/**
 * Files of mail archives may hold two mails in one that was saved with the next; with a third one it is a mailbox.
 */
const MAILBOX_AMONG_MAILS = 3;

/** Files up to this are held in memory; of longer ones only the head is looked at. */
const HELD_BYTES = 16 * 1024 * 1024;
const HEAD_BYTES = 1024 * 1024;

/**
 * Every file below a folder, in the order of names. The raw bytes of a file that is no mail are the canonical JSON of
 * `{path, bytes, sha256, mtime}` with its path in the folder; its conversation is the first folder on that path. Links
 * and devices are refused, not followed; so is what cannot be read. A file longer than 16 MiB is hashed as a stream
 * and comes as `file` instead of `content`.
 */
export async function* readFolder(
  path: string,
  options: FolderOptions,
): AsyncGenerator<ImportItem | RawMail> {
  const root = resolve(path);
  const { files = 'told', met = () => {} } = options;
  let position = 0;
  for await (const found of filesBelow(root, { maildirs: files === 'told' || files === 'mails' })) {
    options.signal.throwIfAborted();
    const { at } = found;
    if ('maildir' in found) {
      met('maildir');
      yield* readMaildir(at);
      continue;
    }
    const kind = found.refusal === undefined ? await kindOf(at, files) : 'file';
    if (kind === 'mbox') {
      met(kind);
      yield* readMbox(at);
    } else {
      const item = kind === 'mail' ? readMailFile(at) : await readOne(found, { root, position, ...options });
      if (item.kind !== 'refused') met(kind === 'mail' ? 'mail' : 'folder');
      yield item;
    }
    position += 1;
  }
}

/** What cannot be opened is of no matter here: its reader says why. */
async function kindOf(at: string, files: NonNullable<FolderOptions['files']>): Promise<FileKind> {
  if (files === 'mail' || files === 'file') return files;
  try {
    if (files === 'told') return await kindOfContent(at);
    return (await holdsMails(at, await beginningOf(at), MAILBOX_AMONG_MAILS)) ? 'mbox' : 'mail';
  } catch {
    return files === 'told' ? 'file' : 'mail';
  }
}

type Place = FolderOptions & { root: string; position: number };

async function readOne(found: Found, place: Place): Promise<ImportItem> {
  const { at, relative } = found;
  const { position } = place;
  const refused = (reason: string): ImportItem => ({ kind: 'refused', path: at, position, reason });
  if (found.refusal !== undefined) return refused(found.refusal);
  let file: FileHandle | undefined;
  try {
    // Between the listing and here a file can become a pipe, which must not make the import wait.
    file = await open(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size, mtimeMs } = await file.stat();
    const attachment = await readAttachment(file, { ...found, size }, place);
    const { bytes, sha256 } = attachment;
    const mtime = new Date(mtimeMs).toISOString();
    const raw = canonicalBytes({ path: relative, bytes, sha256, mtime });
    const [top = ''] = relative.includes('/') ? relative.split('/', 1) : [];
    return {
      kind: 'message',
      format: 'file',
      path: at,
      position,
      raw,
      sha256: createHash('sha256').update(raw).digest('hex'),
      key: `file:${relative}:${sha256}`,
      related: [`folder:${basename(place.root)}/${top}`],
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
    if (error instanceof Unreadable) return refused(error.message);
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return refused(reasonOf(error));
  } finally {
    await file?.close();
  }
}

async function readAttachment(
  file: FileHandle,
  { at, relative, size }: Found & { size: number },
  { originCity, signal }: Place,
): Promise<ImportedAttachment> {
  const held = size <= HELD_BYTES;
  const content = held ? await file.readFile() : null;
  const head = content ?? (await headOf(file));
  const { sha256, bytes } = content === null ? await digestOf(file, signal) : digestOfHeld(content);
  const detected = detectContentType(head);
  return {
    filename: basename(relative),
    // A folder declares no types; what the bytes show stands in for it.
    declared_type: detected ?? 'application/octet-stream',
    detected_type: detected,
    content,
    ...(held ? {} : { file: at }),
    sha256,
    bytes,
    inline: false,
    origin_city: (await cityOfPhoto(head, detected)) ?? originCity,
    redaction: null,
    trailing_bytes: content === null ? 0 : countTrailingBytes(content, detected),
  };
}

async function headOf(file: FileHandle): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

type Digest = { sha256: string; bytes: number };

function digestOfHeld(content: Uint8Array): Digest {
  return { sha256: createHash('sha256').update(content).digest('hex'), bytes: content.length };
}

async function digestOf(file: FileHandle, signal: AbortSignal): Promise<Digest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of file.createReadStream({
    start: 0,
    autoClose: false,
    highWaterMark: HEAD_BYTES,
  })) {
    signal.throwIfAborted();
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { sha256: hash.digest('hex'), bytes };
}
