// Writes one mail of the sample archive as the bytes a mailer would have sent.
import { Buffer } from 'node:buffer';
import { LIST, type Station } from './texts.ts';

export type SampleFile = { filename: string; type: string; content: Buffer };

export type Letter = {
  from: Station;
  to: Station | null;
  id: string;
  /** Message-IDs of the letters before it in its thread, oldest first. */
  references: readonly string[];
  date_ms: number;
  subject: string;
  text: string;
  files: readonly SampleFile[];
  /** A picture shown in the letter's foot, or null. */
  emblem: Buffer | null;
  automatic: boolean;
};

/** RFC 5322 with CRLF line ends. A letter to nobody in particular goes to the list. */
export function mailOf(letter: Letter): Buffer {
  const { from, to, id, references, files, emblem } = letter;
  const lines = [
    `From: ${word(from.person)} <${from.address}>`,
    to === null ? `To: ${LIST.name} <${LIST.address}>` : `To: ${word(to.person)} <${to.address}>`,
    `Date: ${new Date(letter.date_ms).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${id}>`,
    `Subject: ${word(letter.subject)}`,
  ];
  const last = references.at(-1);
  if (last !== undefined) {
    lines.push(`In-Reply-To: <${last}>`, `References: ${references.map((key) => `<${key}>`).join('\r\n ')}`);
  }
  if (to === null) lines.push(`List-Id: ${LIST.name} <${LIST.id}>`);
  if (letter.automatic) lines.push('Auto-Submitted: auto-generated');
  lines.push('MIME-Version: 1.0');
  const parts = [
    part(['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit'], letter.text),
    ...files.map(filePart),
    ...(emblem === null ? [] : [emblemPart(emblem)]),
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

function emblemPart(content: Buffer): string {
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

/** An encoded word (RFC 2047) where the text needs one. */
function word(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
}
