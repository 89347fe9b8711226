// Reads one file of an imported folder as a message that has the file attached.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { readAtMost } from '../../disk/regular-file.ts';
import { detectContentType } from '../file-type/content-type.ts';
import { countTrailingBytes } from '../file-type/trailing-bytes.ts';
import { cityOfPhoto } from '../geocoding/exif-gps.ts';
import type { Tier } from '../../contract/tier.ts';
import type { ImportedAttachment, ImportItem } from '../records/import-items.ts';
import { UnreadableError } from './file-set.ts';
import { unreadableReason } from './unreadable-reason.ts';
import type { FoundFile } from './folder-listing.ts';
import { storedJson } from './stored-json.ts';

/** Larger files are not held in memory: they are hashed as a stream, and only their beginning is examined. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;
const EXAMINED_BYTES = 1024 * 1024;

/** What the files of one folder have in common. `position` counts the files. */
export type FileContext = {
  root: string;
  position: number;
  originCity: string | null;
  tier: Tier;
  signal: AbortSignal;
};

/**
 * Reads a file as a message of the format `file` with the file attached. Its stored bytes are the canonical JSON of
 * `{path, bytes, sha256, mtime}`, with the path relative to the root folder. Files with the same first folder on that
 * path are one conversation. A file above 16 MiB has `file` in place of `content`.
 *
 * Refuses what the listing refused, and a file that cannot be opened or read.
 */
export async function readFileMessage(found: FoundFile, context: FileContext): Promise<ImportItem> {
  const { at, relative } = found;
  const { position, tier } = context;
  const refused = (reason: string): ImportItem => ({ kind: 'refused', path: at, position, reason });
  if (found.unreadReason !== undefined) return refused(found.unreadReason);
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
      channel: null,
      tier,
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
  const content = isHeld ? await readAtMost(file, MAX_HELD_BYTES) : null;
  if (content === undefined) throw new UnreadableError('has more bytes than its size says');
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
    absence: null,
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
