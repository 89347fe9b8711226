// Makes a mail of a message that is none, or whose stored bytes cannot be had. The mail says that it was made.
import { createHash } from 'node:crypto';
import type { ReadMessage } from '../../contract/reports/reading.ts';

/** A file that goes into the mail. */
export type MailFile = { name: string; type: string; bytes: Buffer };

/** What a mail is made of. `lines`: the message as text, in lines. `why`: why these are not the stored bytes of a mail. */
export type MadeMail = {
  message: ReadMessage;
  lines: readonly string[];
  files: readonly MailFile[];
  why: string;
  messageId: string;
  /** The Message-ID of the mail that it answers. */
  inReplyTo: string | undefined;
};

/** Base64 of this many bytes has 76 characters. */
const BYTES_PER_LINE = 57;
/** An encoded word has at most 75 characters (RFC 2047). */
const BYTES_PER_WORD = 42;
const MAX_PLAIN_CHARACTERS = 900;

/** Returns the mail with LF line ends. Only printable ASCII is in it, whatever the message holds. */
export function madeMail({ message, lines, files, why, messageId, inReplyTo }: MadeMail): Buffer {
  const boundary = `=_arx_${createHash('sha256').update(messageId).digest('hex').slice(0, 32)}`;
  const sent = message.date === null ? NaN : Date.parse(message.date);
  const header = [
    `From: ${addressField(message.from ?? 'unknown sender')}`,
    ...(message.to === null ? [] : [`To: ${addressField(message.to)}`]),
    ...(message.cc === null ? [] : [`Cc: ${addressField(message.cc)}`]),
    `Subject: ${encoded(message.subject ?? '')}`,
    ...(Number.isNaN(sent) ? [] : [`Date: ${new Date(sent).toUTCString().replace('GMT', '+0000')}`]),
    `Message-ID: ${messageId}`,
    ...(inReplyTo === undefined ? [] : [`In-Reply-To: ${inReplyTo}`]),
    `X-Arx-Made-From: ${encoded(`${message.id}: ${why}`)}`,
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
  ];
  const text = [`This mail was made of ${message.id}: ${why}.`, '', ...lines, ''].join('\n');
  const parts = [
    ...partLines('text/plain; charset=utf-8', 'inline', Buffer.from(text)),
    ...files.flatMap(({ name, type, bytes }) => [
      `--${boundary}`,
      ...partLines(typeOf(type), `attachment; filename*=utf-8''${percentEncoded(name)}`, bytes),
    ]),
  ];
  return Buffer.from([...header, '', `--${boundary}`, ...parts, `--${boundary}--`, ''].join('\n'));
}

function partLines(type: string, disposition: string, bytes: Buffer): string[] {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_PER_LINE)
    lines.push(bytes.toString('base64', at, at + BYTES_PER_LINE));
  return [
    `Content-Type: ${type}`,
    'Content-Transfer-Encoding: base64',
    `Content-Disposition: ${disposition}`,
    '',
    ...lines,
  ];
}

/** A message inside a message would be parsed, so only types of plain files are kept. */
function typeOf(type: string): string {
  const isPlain = /^(?:application|audio|font|image|model|text|video)\/[\w.+-]{1,100}$/.test(type);
  return isPlain ? type : 'application/octet-stream';
}

function percentEncoded(name: string): string {
  return encodeURIComponent(wellFormed(name.slice(0, 200))).replaceAll(
    /['()*!]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Returns a name with its address, `Ada <ada@x>`, with the name encoded where it is not ASCII. */
function addressField(value: string): string {
  const [, name = '', address] = /^([^<>]{0,900})<([!-;=?-~]{1,300})>$/.exec(value) ?? [];
  if (address === undefined) return encoded(value);
  return `${encoded(name.trim())} <${address}>`.trimStart();
}

/** Returns text as it is where it is ASCII in one line, else as encoded words (RFC 2047). */
function encoded(text: string): string {
  if (/^[ -~]*$/.test(text) && !text.includes('=?') && text.length <= MAX_PLAIN_CHARACTERS) return text;
  const words: string[] = [];
  let word = '';
  for (const character of wellFormed(text.slice(0, 10 * MAX_PLAIN_CHARACTERS))) {
    if (Buffer.byteLength(word + character) > BYTES_PER_WORD) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  words.push(word);
  return words.map((each) => `=?utf-8?B?${Buffer.from(each).toString('base64')}?=`).join('\n ');
}

/** Returns text without halves of surrogate pairs, which UTF-8 cannot hold. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, '\ufffd');
}
