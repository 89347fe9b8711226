// Recognizes compressed files by their first bytes. arx unpacks none but the exports that it knows.
import { open } from 'node:fs/promises';

const FORMATS = [
  { start: '1f8b', command: 'gunzip -c' },
  { start: 'fd377a585a00', command: 'xz -dc' },
  { start: '425a68', command: 'bzip2 -dc' },
  { start: '28b52ffd', command: 'zstd -dc' },
];

/** The longest beginning of {@link FORMATS}, in bytes. */
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
