// Tells which attachment rows have a file to download. Apart from the schemas, so that a listing need not load those.
import type { Attachment } from './attachment.ts';

/** Returns whether the row's file can be downloaded: the row is not redacted and has an address. A redacted row's address is ignored. */
export function isPullable(row: Attachment): row is Attachment & { file_url: string } {
  return !row.redacted && row.file_url !== null;
}
