// Recognizes and reads mails that an import stores as files, because their headers have no usual fields.
import { parseMailDate } from './date.ts';
import { parseMailHeader } from './header.ts';
import type { MessageText } from './limited-text.ts';
import { mailText } from './mail-text.ts';

/** The header of such a mail, with its date in milliseconds since the epoch where it has one. */
export type UnusualMail = Pick<MessageText, 'headers' | 'truncated'> & { dateMs: number | null };

/**
 * Returns the header of a file that is a mail: it begins with header fields, and one of them is a content type, or the name of
 * the file is that of a mail. Any other text may begin with a word and a colon. Returns undefined for other files.
 */
export async function readUnusualMail(bytes: Buffer, filename: string): Promise<UnusualMail | undefined> {
  const { fields } = parseMailHeader(bytes);
  const hasType = /^\s*[\w.+-]{1,99}\/[\w.+-]/.test(fields.get('content-type') ?? '');
  if (fields.size === 0 || (!hasType && !/\.(eml|msg)$/i.test(filename))) return undefined;
  const { headers, truncated } = await mailText(bytes, new Set());
  const dateMs = parseMailDate(fields.get('date') ?? '');
  return { headers, ...(truncated && { truncated }), dateMs };
}
