// Recognizes compressed files, and those of Outlook, by their first bytes. arx unpacks none but the exports that it knows.
import { open } from 'node:fs/promises';

const FORMATS = [
  { start: '1f8b', command: 'gunzip -c' },
  { start: 'fd377a585a00', command: 'xz -dc' },
  { start: '425a68', command: 'bzip2 -dc' },
  { start: '28b52ffd', command: 'zstd -dc' },
];

/** The longest beginning of a file that is compared, in bytes. */
const MAX_START_BYTES = 6;

/** Returns the command that decompresses a file with this beginning, in hexadecimal; undefined where it is not compressed. */
export function decompressCommand(start: string): string | undefined {
  return FORMATS.find((each) => start.startsWith(each.start))?.command;
}

/**
 * Returns whether a file name may be that of mail that somebody compressed. Others are documents whose own format is compressed, such as
 * `.svgz`: a word after the last dot that names no compression and no mail.
 */
export function isNameOfCompressedMail(name: string): boolean {
  const [, ending] = /\.([a-z]\w*)$/i.exec(name) ?? [];
  return ending === undefined || MAIL_ENDINGS.has(ending.toLowerCase());
}

const MAIL_ENDINGS = new Set(
  'gz gzip tgz xz txz bz2 tbz tbz2 zst zstd tzst tar mbox mbx mboxrd eml mail msg txt json jsonl'.split(' '),
);

const PST_START = '2142444e';
/** Word and Excel begin their old files so, too. */
const MSG_START = 'd0cf11e0a1b1';

/** Returns what makes mails of a file of Outlook that begins so, undefined where it is none. */
export function outlookHint(name: string, start: string): string | undefined {
  if (start.startsWith(PST_START)) return 'readpst (of pst-utils) makes mailboxes of a .pst file of Outlook';
  return start.startsWith(MSG_START) && /\.msg$/i.test(name)
    ? 'msgconvert (of libemail-outlook-message-perl) makes a mail of a .msg file of Outlook'
    : undefined;
}

/** Returns the first bytes of a file, in hexadecimal. */
export async function startOfFile(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_START_BYTES), 0, MAX_START_BYTES, 0);
    return buffer.toString('hex', 0, bytesRead);
  } finally {
    await file.close();
  }
}
