// The files of Slack messages: what the export says of them, and their bytes where it holds them.
import { createHash } from 'node:crypto';
import { canonicalBytes } from '../canonical.ts';
import { cityOfPhoto } from '../../geocoding/exif-gps.ts';
import { type NamedFiles, Unreadable } from '../named-files.ts';
import type { ImportedAttachment } from '../../records/import-items.ts';
import { textOf } from './users-and-channels.ts';
import { detectContentType } from '../../file-type/content-type.ts';
import { countTrailingBytes } from '../../file-type/trailing-bytes.ts';

/** The bytes of an uploaded file by its id, and by its name where several lie under one id; null where not held. */
export type Uploads = (id: string, name: string) => Promise<Uint8Array | null>;

const MOST_FILE_BYTES = 256 * 1024 * 1024;
const UPLOAD = /(?:^|\/)__uploads\/([^/]+)\/([^/]+)$/;

/** Looks into every set for `__uploads/<file id>/<name>`; the first set that has an id decides. */
export function uploadsOf(sets: readonly NamedFiles[]): Uploads {
  const found = new Map<string, { files: NamedFiles; names: string[] }>();
  for (const files of sets) {
    for (const name of files.names) {
      const id = UPLOAD.exec(name)?.[1];
      if (id === undefined) continue;
      const held = found.get(id) ?? { files, names: [] };
      if (held.files === files) held.names.push(name);
      found.set(id, held);
    }
  }
  return async (id, name) => {
    const held = found.get(id);
    const [first] = held?.names ?? [];
    if (held === undefined || first === undefined) return null;
    const exact = held.names.find((candidate) => candidate.endsWith(`/${id}/${name}`));
    try {
      return await held.files.read(exact ?? first, MOST_FILE_BYTES);
    } catch (error) {
      if (error instanceof Unreadable) return null;
      throw error;
    }
  };
}

/** Why Slack itself withholds a file, or null. Bytes that an export merely lacks are no redaction. */
function redactionOf(file: Record<string, unknown>): string | null {
  const mode = textOf(file, 'mode');
  const access = textOf(file, 'file_access');
  if (mode === 'hidden_by_limit' || file['is_hidden_by_limit'] === true)
    return 'hidden by the limit of the plan';
  if (mode === 'tombstone' || file['is_tombstoned'] === true || file['is_deleted'] === true)
    return 'deleted in slack';
  if (access === 'file_not_found') return 'deleted in slack';
  return access === 'access_denied' ? 'access denied by slack' : null;
}

/**
 * A file of a message. `city` is where the time zone or a label places it; a picture's own position comes first.
 * Without bytes `content` is null, `bytes` the declared size, and `sha256` that of its declared identity: of the
 * canonical JSON of the file object as exported. Withheld files never take bytes, even where a folder has some.
 */
export async function fileFrom(
  file: Record<string, unknown>,
  uploads: Uploads,
  city: string | null,
): Promise<ImportedAttachment> {
  const id = textOf(file, 'id') ?? '';
  const filename = textOf(file, 'name') ?? textOf(file, 'title') ?? (id === '' ? 'file' : id);
  const redaction = redactionOf(file);
  const content = redaction === null ? await uploads(id, filename) : null;
  const size = file['size'];
  const declaredBytes = Number.isSafeInteger(size) && (size as number) >= 0 ? (size as number) : 0;
  const detected = content === null ? null : detectContentType(content);
  const mimetype = textOf(file, 'mimetype')?.split(';', 1)[0]?.trim().toLowerCase();
  return {
    filename,
    declared_type: mimetype !== undefined && /^[^\s/]+\/[^\s/]+$/.test(mimetype) ? mimetype : OCTETS,
    detected_type: detected,
    content,
    sha256: createHash('sha256')
      .update(content ?? canonicalBytes(file))
      .digest('hex'),
    bytes: content?.length ?? declaredBytes,
    inline: false,
    origin_city: (content === null ? null : await cityOfPhoto(content, detected)) ?? city,
    redaction,
    trailing_bytes: content === null ? 0 : countTrailingBytes(content, detected),
  };
}
const OCTETS = 'application/octet-stream';
