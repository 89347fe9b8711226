// Tells which attachment rows have a file to download, and its name. Apart from the schemas, so that a listing need not load those.
import type { Attachment } from './attachment.ts';

/** Returns whether the row's file can be downloaded: the row is not redacted and has an address. A redacted row's address is ignored. */
export function isPullable(row: Attachment): row is Attachment & { file_url: string } {
  return row.redacted !== true && typeof row.file_url === 'string';
}

/** Returns the name of the row's file as the service gives it, else the id of the row. It is untrusted text. */
export function fileNameOf(row: Pick<Attachment, 'id' | 'filename'>): string {
  const { id, filename, name, title } = row as Attachment;
  return filename ?? [name, title].find((text) => typeof text === 'string' && text !== '')?.toString() ?? id;
}
