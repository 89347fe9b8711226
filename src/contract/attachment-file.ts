// Tells which attachment rows have a file to download, and its name. Apart from the schemas, so that a listing need not load those.
import type { Attachment } from './attachment.ts';

/** Returns whether the row's file can be downloaded: the row is not redacted and has an address. A redacted row's address is ignored. */
export function isPullable(row: Attachment): row is Attachment & { file_url: string } {
  return row.redacted !== true && typeof row.file_url === 'string' && row.file_url !== '';
}

/** Set in a row whose `sha256` is none: it is left out of the row, and its file cannot be verified. */
export const UNUSABLE_HASH = Symbol('unusable hash');

/** Returns whether the file of a row could be downloaded, and the service gives something else than a SHA-256 for it. */
export function hasUnusableHash(row: Attachment): boolean {
  return isPullable(row) && (row as { [UNUSABLE_HASH]?: boolean })[UNUSABLE_HASH] === true;
}

/** Whether the file of a row can be had: it can, its bytes are withheld, or the archive never had them. */
export const FILE_STATES = ['available', 'withheld', 'absent'] as const;
/** One of them. */
export type FileState = (typeof FILE_STATES)[number];

/** Returns the state of the row's file. A row without an address is absent if it says that it is not redacted. */
export function fileStateOf(row: Attachment): FileState {
  if (isPullable(row)) return 'available';
  return row.redacted === false ? 'absent' : 'withheld';
}

/** What stands in place of a reason where a row shows nothing but its place. */
const ABOVE_TIER = 'above your tier';

/**
 * Returns why the row's file cannot be had: as the service says it, or that the row is above the tier of the reader; null where that
 * is not known, or where the file can be had.
 */
export function reasonOf(row: Attachment): string | null {
  if (isPullable(row)) return null;
  if (typeof row.reason === 'string' && row.reason !== '') return row.reason;
  return isAboveTier(row) ? ABOVE_TIER : null;
}

/** Returns the state of the row's file as messages show it: `withheld (legal hold)`. The reason is untrusted text. */
export function fileStateWords(row: Attachment): string {
  const reason = reasonOf(row);
  return `${fileStateOf(row)}${reason === null ? '' : ` (${reason})`}`;
}

/** Returns the name of the row's file as the service gives it, else the id of the row. It is untrusted text. */
export function fileNameOf(row: Pick<Attachment, 'id' | 'filename'>): string {
  const { id, filename, name, title } = row as Attachment;
  return filename ?? [name, title].find((text) => typeof text === 'string' && text !== '')?.toString() ?? id;
}

/** Returns whether the row is above the tier of the reader: it shows its id and place, and not even a hash. */
export function isAboveTier(row: Attachment): boolean {
  return isNameWithheld(row) && row.sha256 === undefined && (row.reason ?? '') === '';
}

/** Returns whether the row does not show the name of its file: a row above the tier of the reader has its id in that place. */
export function isNameWithheld(row: Attachment): boolean {
  return row.filename === row.id && fileStateOf(row) === 'withheld';
}
