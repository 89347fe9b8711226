// Which rows of the catalogue have a file to fetch; without the schemas, which a list that is shown does not need.
import type { Attachment } from './attachment.ts';

/** A redacted row has no file to pull, whatever its address says (faults B10); one without an address has none either. */
export function isPullable(row: Attachment): row is Attachment & { file_url: string } {
  return !row.redacted && row.file_url !== null;
}
