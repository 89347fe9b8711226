// Formats a mail of the sample archive as RFC 5322 bytes.
import { Buffer } from 'node:buffer';
import { LIST, type Station } from './texts.ts';

/** An attachment. `type` is the declared content type. */
export type SampleFile = { filename: string; type: string; content: Buffer };

/** A mail before it is formatted. `to` is null for a mail to the mailing list. */
export type SampleMail = {
  sender: Station;
  to: Station | null;
  id: string;
  /** Message-IDs of the earlier mails of its thread, oldest first. */
  references: readonly string[];
  date_ms: number;
  subject: string;
  text: string;
  files: readonly SampleFile[];
  /** An image at the end of the mail, or null. */
  inlineImage: Buffer | null;
  automatic: boolean;
};

/** Returns the mail with CRLF line ends. Mail to the mailing list has a List-Id. */
export function formatMail(mail: SampleMail): Buffer {
  const { sender: from, to, id, references, files, inlineImage } = mail;
  const lines = [
    `From: ${encodeWord(from.person)} <${from.address}>`,
    to === null ? `To: ${LIST.name} <${LIST.address}>` : `To: ${encodeWord(to.person)} <${to.address}>`,
    `Date: ${new Date(mail.date_ms).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${id}>`,
    `Subject: ${encodeWord(mail.subject)}`,
  ];
  const last = references.at(-1);
  if (last !== undefined) {
    lines.push(`In-Reply-To: <${last}>`, `References: ${references.map((key) => `<${key}>`).join('\r\n ')}`);
  }
  if (to === null) lines.push(`List-Id: ${LIST.name} <${LIST.id}>`);
  if (mail.automatic) lines.push('Auto-Submitted: auto-generated');
  lines.push('MIME-Version: 1.0');
  const parts = [
    part(['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit'], mail.text),
    ...files.map(filePart),
    ...(inlineImage === null ? [] : [inlineImagePart(inlineImage)]),
  ];
  if (parts.length === 1) return Buffer.from(`${lines.join('\r\n')}\r\n${parts[0] ?? ''}`);
  const boundary = `=_${id.replace(/\W/g, '_')}`;
  const body = parts.map((text) => `--${boundary}\r\n${text}\r\n`).join('');
  lines.push(`Content-Type: multipart/mixed; boundary="${boundary}"`, '', `${body}--${boundary}--`, '');
  return Buffer.from(lines.join('\r\n'));
}

function part(header: readonly string[], body: string): string {
  return `${header.join('\r\n')}\r\n\r\n${body.replaceAll('\n', '\r\n')}\r\n`;
}

function filePart({ filename, type, content }: SampleFile): string {
  const header = [
    `Content-Type: ${type}; name="${filename}"`,
    `Content-Disposition: attachment; filename="${filename}"`,
    'Content-Transfer-Encoding: base64',
  ];
  return part(header, base64(content));
}

function inlineImagePart(content: Buffer): string {
  const header = [
    'Content-Type: image/png; name="emblem.png"',
    'Content-Disposition: inline; filename="emblem.png"',
    'Content-ID: <emblem@meridian.example>',
    'Content-Transfer-Encoding: base64',
  ];
  return part(header, base64(content));
}

function base64(content: Buffer): string {
  return content.toString('base64').replace(/.{76}(?=.)/g, '$&\n');
}

/** Encodes text that is not ASCII as an encoded word (RFC 2047). */
function encodeWord(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
}
