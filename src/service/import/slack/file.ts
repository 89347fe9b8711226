// Reads a file of a Slack message: what the export declares, and the bytes if the export holds them.
import { chatFile, NOT_IN_EXPORT, unreadableFile } from '../chat-file.ts';
import { type FileSet, UnreadableError } from '../file-set.ts';
import { countAt, textAt } from '../json-value.ts';
import type { ImportedAttachment } from '../../records/import-items.ts';

/** The uploaded files of an export. */
export type Uploads = {
  /**
   * Returns the bytes of a file, why it cannot be read, or null when no set holds it. `name` decides when an id has several
   * files.
   */
  read: (id: string, name: string, maxBytes: number) => Promise<Uint8Array | string | null>;
  /** What became of each file that was asked for: null when it was read once, else why it could not be. */
  outcomes: ReadonlyMap<FileSet, ReadonlyMap<string, string | null>>;
};

const UPLOAD_PATH = /(?:^|\/)__uploads\/([^/]+)\/([^/]+)$/;

/** Returns the files `__uploads/<file id>/<name>` of the sets. Of several sets with one id the first counts. */
export function openUploads(sets: readonly FileSet[]): Uploads {
  const outcomes = new Map(sets.map((files) => [files, new Map<string, string | null>()]));
  const found = new Map<string, { files: FileSet; names: string[] }>();
  for (const files of sets) {
    for (const name of files.names) {
      const id = UPLOAD_PATH.exec(name)?.[1];
      if (id === undefined) continue;
      const held = found.get(id) ?? { files, names: [] };
      if (held.files === files) held.names.push(name);
      found.set(id, held);
    }
  }
  const read = async (id: string, name: string, maxBytes: number) => {
    const held = found.get(id);
    const [first] = held?.names ?? [];
    if (held === undefined || first === undefined) return null;
    const chosen = held.names.find((candidate) => candidate.endsWith(`/${id}/${name}`)) ?? first;
    const outcome = outcomes.get(held.files);
    try {
      const content = await held.files.read(chosen, maxBytes);
      outcome?.set(chosen, null);
      return content;
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      const reason = unreadableFile(error, maxBytes);
      if (outcome?.get(chosen) !== null) outcome?.set(chosen, reason);
      return reason;
    }
  };
  return { read, outcomes };
}

/** Why Slack itself withholds a file, or null. A file whose bytes the export merely lacks is not redacted. */
function redactionOf(file: Record<string, unknown>): string | null {
  const mode = textAt(file, 'mode');
  const access = textAt(file, 'file_access');
  if (mode === 'hidden_by_limit' || file['is_hidden_by_limit'] === true)
    return 'hidden by the limit of the Slack plan';
  if (mode === 'tombstone' || file['is_tombstoned'] === true || file['is_deleted'] === true)
    return 'deleted in slack';
  if (access === 'file_not_found') return 'deleted in slack';
  return access === 'access_denied' ? 'access denied by slack' : null;
}

/**
 * Returns a file of a message. `city` is the city label to use when a photo has no position of its own, or null. A file that
 * Slack withholds never gets bytes, even when the export or a folder has some. `maxBytes`: those of a larger file are not read.
 */
export async function readSlackFile(
  file: Record<string, unknown>,
  readUpload: Uploads['read'],
  { city, maxBytes }: { city: string | null; maxBytes: number },
): Promise<ImportedAttachment> {
  const id = textAt(file, 'id') ?? '';
  const filename = textAt(file, 'name') ?? textAt(file, 'title') ?? (id === '' ? 'file' : id);
  const redaction = redactionOf(file);
  const upload = redaction === null ? await readUpload(id, filename, maxBytes) : null;
  const declared = {
    filename,
    type: textAt(file, 'mimetype'),
    bytes: countAt(file, 'size'),
    declared: file,
    city,
    redaction,
  };
  return chatFile(declared, upload instanceof Uint8Array ? upload : absenceOf(file, upload, redaction));
}

/** Why the export does not hold a file. `failure`: why it could not be read, where it does; `redaction`: why Slack withholds it. */
function absenceOf(file: Record<string, unknown>, failure: string | null, redaction: string | null): string {
  if (redaction !== null) return `${NOT_IN_EXPORT}: ${redaction}`;
  if (failure !== null) return `could not be read: ${failure}`;
  const isExternal = textAt(file, 'mode') === 'external' || file['is_external'] === true;
  return isExternal ? 'is kept outside of Slack' : NOT_IN_EXPORT;
}
