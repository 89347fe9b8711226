// A conversation as an mbox: mails byte for byte as they are stored, other messages as mails that say that they were made.
import type { App } from '../../app.ts';
import { fileNameOf } from '../../contract/attachment-file.ts';
import type { RawRecord } from '../../contract/content.ts';
import type { Message } from '../../contract/conversation.ts';
import type { ReadMessage } from '../../contract/reports/reading.ts';
import { formatBytes } from '../../format/numbers.ts';
import { plainText } from '../../format/terminal/styled-line.ts';
import { readMessageLines } from '../../format/views/index.ts';
import { catalogueRows } from '../attachments/catalogue.ts';
import { readContent } from '../content/read-content.ts';
import { fetchVerified, storedBytes } from '../content/stored-bytes.ts';
import { readRow } from '../read/read-thread.ts';
import { isOfOneRecord } from '../lists/single-record.ts';
import type { ExportCounts } from './export-counts.ts';
import { countUnavailable } from './export-files.ts';
import { madeMail, type MailFile } from './made-mail.ts';

/** Files of one made mail together. In base64 they are a third larger, and no import accepts a larger mail. */
const MAX_FILE_BYTES = 24 * 1024 * 1024;
const NEWLINE = 0x0a;
const QUOTE = 0x3e;
const PLAIN = { headers: false, lore: false, preferHtml: false };

/** Yields the entries of an mbox in the form mboxrd, in the order of the list. */
export async function* mboxOf(
  messages: readonly Message[],
  counts: ExportCounts,
  app: App,
): AsyncGenerator<Buffer> {
  /** By the id of the message. */
  const messageIds = new Map<string, string>();
  for (const row of messages) {
    const found = await storedMail(row.id, app);
    const known = 'messageId' in found ? found.messageId : undefined;
    const messageId = known ?? `<${row.id.replaceAll(/[^\w.-]/g, '_').slice(0, 100)}@arx.invalid>`;
    messageIds.set(row.id, messageId);
    counts.messages += 1;
    if ('mail' in found) {
      if (found.mail.at(-1) !== NEWLINE) counts.withoutLineEnd += 1;
      counts.files += row.attachments ?? 0;
      yield entryOf(found.mail, row.date);
      continue;
    }
    counts.made += 1;
    if (found.isMissing) counts.unreadable += 1;
    const message = await readRow(row, PLAIN, app);
    countUnavailable(message.parts, counts);
    const files = await filesOf(message, counts, app);
    const style = { columns: undefined, isFolded: false, timeZone: app.instants.timeZone };
    const lines = Array.from(readMessageLines(message, style), plainText);
    const inReplyTo = messageIds.get(message.parent_id ?? '');
    yield entryOf(madeMail({ message, lines, why: found.why, messageId, inReplyTo, ...files }), message.date);
  }
}

/** The stored bytes of a mail, or why there are none. `isMissing`: there are some, and they cannot be had. */
type StoredMail = { mail: Buffer; messageId: string | undefined } | { why: string; isMissing: boolean };

async function storedMail(id: string, app: App): Promise<StoredMail> {
  try {
    const { body } = await readContent({ message: id, view: 'raw', pipeline: false, stego: false }, app);
    const record = body.data as RawRecord;
    if (record.format !== 'rfc822')
      return { why: `it is stored as ${record.format ?? 'no known format'}`, isMissing: false };
    const header = record.headers?.find(([name]) => name?.toLowerCase() === 'message-id')?.[1];
    const messageId = /<[!-;=?-~]{1,250}>/.exec(header ?? '')?.[0];
    return { mail: await storedBytes(record, id, app), messageId };
  } catch (error) {
    if (!isOfOneRecord(error)) throw error;
    return { why: error.message, isMissing: true };
  }
}

/** Returns the files of a made mail: those that can be had, each verified, within the limit. */
async function filesOf(message: ReadMessage, counts: ExportCounts, app: App): Promise<{ files: MailFile[] }> {
  const files: MailFile[] = [];
  let left = MAX_FILE_BYTES;
  const ids = new Set(
    message.parts.flatMap(({ kind, id, state }) =>
      kind === 'file' && typeof id === 'string' && state === 'available' ? [id] : [],
    ),
  );
  const rows = ids.size === 0 ? [] : (await catalogueRows(ids, app)).values();
  for (const row of rows) {
    const { id, file_url: address, sha256, bytes = left } = row;
    try {
      if (typeof address !== 'string' || sha256 === undefined || bytes > left) {
        counts.filesLeftOut += 1;
        app.notice(
          `${id} is not in the mail: a made mail holds ${formatBytes(MAX_FILE_BYTES)} of verified files`,
        );
        continue;
      }
      const content = await fetchVerified(address, { sha256, bytes }, id, app);
      left -= content.length;
      counts.files += 1;
      files.push({ name: fileNameOf(row), type: row.content_type ?? '', bytes: content });
    } catch (error) {
      if (!isOfOneRecord(error)) throw error;
      counts.filesLeftOut += 1;
      app.addFault(error);
    }
  }
  return { files };
}

/** Returns a mail as an entry of an mbox. The address tells readers that lines are quoted as in mboxrd. */
function entryOf(mail: Buffer, date: string | null | undefined): Buffer {
  const separator = `From mboxrd@z ${separatorDate(date)}\n`;
  const end = mail.at(-1) === NEWLINE ? '\n' : '\n\n';
  return Buffer.concat([Buffer.from(separator), quoted(mail), Buffer.from(end)]);
}

/** Returns a date as `asctime` of C writes it, in UTC; that of an unknown date is the beginning of 1970. */
function separatorDate(date: string | null | undefined): string {
  const parsed = Date.parse(date ?? '');
  const year = new Date(parsed).getUTCFullYear();
  const known = year >= 1000 && year <= 9999 ? parsed : 0;
  const [weekday, day, month, years, time] = new Date(known).toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${Number(day).toString().padStart(2)} ${time} ${years}`;
}

/** Adds one `>` to each line of the form `From `, `>From `, … Takes time linear in the mail. */
export function quoted(mail: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let copied = 0;
  for (let at = mail.indexOf('From '); at >= 0; at = mail.indexOf('From ', at + 1)) {
    let line = at;
    while (mail[line - 1] === QUOTE) line -= 1;
    if (line > 0 && mail[line - 1] !== NEWLINE) continue;
    pieces.push(mail.subarray(copied, line), Buffer.from('>'));
    copied = line;
  }
  return Buffer.concat([...pieces, mail.subarray(copied)]);
}
