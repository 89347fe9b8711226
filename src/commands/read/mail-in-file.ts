// Reads an imported file as a mail where its bytes are one. An import stores a mail without usual fields as a file.
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { isPullable } from '../../contract/attachment-file.ts';
import { MAX_RAW_BYTES, type RawRecord } from '../../contract/content.ts';
import type { ReadWarning } from '../../contract/reports/reading.ts';
import type { UnusualMail } from '../../service/mail/readable-mail.ts';
import { fetchVerified } from '../content/stored-bytes.ts';
import { isOfOneRecord } from '../lists/single-record.ts';

/** Content types of files whose bytes may be a mail. */
const MAY_BE_MAIL = /^(text\/|message\/|application\/octet-stream$)/;

/**
 * Returns the bytes of the file and the record as that of a mail. Returns undefined where the file is no mail, cannot be had, or is
 * above MAX_RAW_BYTES.
 */
export async function mailInFile(
  record: RawRecord,
  rows: ReadonlyMap<string, Attachment>,
  warnings: ReadWarning[],
  app: App,
): Promise<{ record: RawRecord; bytes: Buffer } | undefined> {
  const [row, ...others] = rows.values();
  if (row === undefined || others.length > 0 || !isPullable(row) || row.sha256 === undefined)
    return undefined;
  const { bytes: size = 0, content_type: type = '' } = row;
  if (size > MAX_RAW_BYTES || !MAY_BE_MAIL.test(type)) return undefined;
  const bytes = await bytesOf({ ...row, sha256: row.sha256, bytes: size }, warnings, app);
  if (bytes === undefined) return undefined;
  const { readUnusualMail } = await import('../../service/mail/readable-mail.ts');
  const mail = await readUnusualMail(bytes, row.filename ?? '');
  return mail && { record: mailRecord(record, mail), bytes };
}

async function bytesOf(
  row: { id: string; file_url: string; sha256: string; bytes: number },
  warnings: ReadWarning[],
  app: App,
): Promise<Buffer | undefined> {
  try {
    return await fetchVerified(row.file_url, row, row.id, app);
  } catch (error) {
    if (!isOfOneRecord(error)) throw error;
    warnings.push({ about: 'files', text: error.message });
    return undefined;
  }
}

/** The header of the mail in place of what was made of the file. The path stays where the mail has no subject. */
function mailRecord(record: RawRecord, { headers, truncated, dateMs }: UnusualMail): RawRecord {
  const hasSubject = headers.some(([name]) => name.toLowerCase() === 'subject');
  return {
    ...record,
    format: 'rfc822',
    headers,
    truncated,
    date: dateMs === null ? null : new Date(dateMs).toISOString(),
    from: null,
    subject: hasSubject ? null : record.subject,
  };
}
