// The files of a chat message: what the export declares, and the bytes if the export holds them.
import { createHash } from 'node:crypto';
import { mediaTypeOf } from '../../contract/media-type.ts';
import { cityOfPhoto } from '../geocoding/exif-gps.ts';
import { detectContentType } from '../file-type/content-type.ts';
import { countTrailingBytes } from '../file-type/trailing-bytes.ts';
import { absentFileKey, type ImportedAttachment } from '../records/import-items.ts';
import { type FileSet, TooLargeError, UnreadableError } from './file-set.ts';
import { storedJson } from './stored-json.ts';

/** The bytes of a larger file are refused. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;
/** A message is in memory with its files until it is stored. Of its files no more bytes are read. */
const MAX_MESSAGE_FILE_BYTES = 1024 * 1024 * 1024;
const DEFAULT_CONTENT_TYPE = 'application/octet-stream';

/** A file as the export declares it. */
export type DeclaredFile = {
  filename: string;
  /** As declared, parameters included; null where nothing is declared. */
  type: string | null;
  /** The declared size; null where there is none. */
  bytes: number | null;
  /** What the export says of the file. Files of which it says the same are taken for one while their bytes are absent. */
  declared: object;
  /** City label to use when a photo has no position of its own, or null. */
  city: string | null;
  /** Why the bytes must not be served, or null. */
  redaction: string | null;
};

/** Returns a file of a message. `upload`: its bytes, or why the export does not hold them, as a predicate. */
export async function chatFile(file: DeclaredFile, upload: Uint8Array | string): Promise<ImportedAttachment> {
  const content = typeof upload === 'string' ? null : upload;
  const detected = content === null ? null : detectContentType(content);
  return {
    filename: file.filename,
    declared_type: mediaTypeOf(file.type ?? '') ?? DEFAULT_CONTENT_TYPE,
    detected_type: detected,
    content,
    sha256: content === null ? absentFileKey(sha256Of(storedJson(file.declared))) : sha256Of(content),
    bytes: content?.length ?? file.bytes ?? 0,
    inline: false,
    origin_city: (content === null ? null : await cityOfPhoto(content, detected)) ?? file.city,
    redaction: file.redaction,
    absence: typeof upload === 'string' ? upload : null,
    trailing_bytes: content === null ? 0 : countTrailingBytes(content, detected),
  };
}

/**
 * Returns the files of one message, read one after the other. `read` gets the bytes that a file may have: those of all files of a
 * message are bounded, because a message can name one large file any number of times.
 */
export async function filesOfMessage<Declared>(
  declared: readonly Declared[],
  read: (file: Declared, maxBytes: number) => Promise<ImportedAttachment>,
  maxTotalBytes: number = MAX_MESSAGE_FILE_BYTES,
): Promise<ImportedAttachment[]> {
  const files: ImportedAttachment[] = [];
  let left = maxTotalBytes;
  for (const file of declared) {
    const attachment = await read(file, Math.min(MAX_FILE_BYTES, left));
    left -= attachment.content?.byteLength ?? 0;
    files.push(attachment);
  }
  return files;
}

/** Returns why a file of a message cannot be read, as a predicate. `maxBytes` is what {@link filesOfMessage} allowed. */
export function unreadableFile(error: UnreadableError, maxBytes: number): string {
  return error instanceof TooLargeError && maxBytes < MAX_FILE_BYTES
    ? 'is beyond the bytes that are read of the files of one message'
    : error.message;
}

/** Why a file is absent that the export names and lacks. */
export const NOT_IN_EXPORT = 'is not in the export';

/** The files of an export that messages name. */
export type HeldFiles = {
  /** Returns the bytes of the first of these names that there is, or why there are none, as a predicate. */
  read(names: readonly string[], maxBytes: number): Promise<Uint8Array | string>;
  /** What became of each file that was asked for: null when it was read once, else why it could not be. */
  outcomes: ReadonlyMap<string, string | null>;
};

/** Returns the files of a folder or zip. */
export function holdFiles(files: FileSet): HeldFiles {
  const names = new Set(files.names);
  const outcomes = new Map<string, string | null>();
  return {
    outcomes,
    async read(candidates, maxBytes) {
      const name = candidates.find((candidate) => names.has(candidate));
      if (name === undefined) return NOT_IN_EXPORT;
      try {
        const content = await files.read(name, maxBytes);
        outcomes.set(name, null);
        return content;
      } catch (error) {
        if (!(error instanceof UnreadableError)) throw error;
        const reason = unreadableFile(error, maxBytes);
        if (outcomes.get(name) !== null) outcomes.set(name, reason);
        return `could not be read: ${reason}`;
      }
    },
  };
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
