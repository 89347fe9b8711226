// Reads a plain folder: every file in it is a message of format `file` that carries that one file.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { canonicalBytes } from './canonical.ts';
import { Unreadable, byName, reasonOf } from './named-files.ts';
import { cityOfPicture } from './picture.ts';
import type { ReadAttachment, ReadItem } from './record.ts';
import { sniff, trailingBytes } from './sniff.ts';

export type FolderOptions = {
  /** Label for files whose own place nothing tells, or null. */
  originCity: string | null;
  signal: AbortSignal;
};

/** Files up to this are held in memory; of longer ones only the head is looked at. */
const HELD_BYTES = 16 * 1024 * 1024;
const HEAD_BYTES = 1024 * 1024;

type Found = { at: string; relative: string };

/**
 * Every file below a folder, in the order of names. A file's raw bytes are the canonical JSON of
 * `{path, bytes, sha256, mtime}` with its path in the folder; its conversation is the first folder on that path. Links
 * and devices are refused, not followed; so is what cannot be read. A file longer than 16 MiB is hashed as a stream
 * and comes as `file` instead of `content`.
 */
export async function* readFolder(path: string, options: FolderOptions): AsyncGenerator<ReadItem> {
  const root = resolve(path);
  let position = 0;
  for await (const found of filesBelow(root, '')) {
    options.signal.throwIfAborted();
    yield await readOne(found, { root, position, ...options });
    position += 1;
  }
}

async function* filesBelow(root: string, folder: string): AsyncGenerator<Found & { refusal?: string }> {
  const at = join(root, folder);
  let entries;
  try {
    entries = (await readdir(at, { withFileTypes: true })).sort(byName);
  } catch (error) {
    yield { at, relative: folder, refusal: reasonOf(error) };
    return;
  }
  for (const entry of entries) {
    const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(root, relative);
    else if (entry.isFile()) yield { at: join(root, relative), relative };
    else
      yield { at: join(root, relative), relative, refusal: entry.isSymbolicLink() ? 'is a link' : NO_FILE };
  }
}
const NO_FILE = 'is not a regular file';

type Place = FolderOptions & { root: string; position: number };

async function readOne(found: Found & { refusal?: string }, place: Place): Promise<ReadItem> {
  const { at, relative } = found;
  const { position } = place;
  const refused = (reason: string): ReadItem => ({ kind: 'refused', path: at, position, reason });
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
): Promise<ReadAttachment> {
  const held = size <= HELD_BYTES;
  const content = held ? await file.readFile() : null;
  const head = content ?? (await headOf(file));
  const { sha256, bytes } = content === null ? await digestOf(file, signal) : digestOfHeld(content);
  const detected = sniff(head);
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
    origin_city: (await cityOfPicture(head, detected)) ?? originCity,
    redaction: null,
    trailing_bytes: content === null ? 0 : trailingBytes(content, detected),
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
