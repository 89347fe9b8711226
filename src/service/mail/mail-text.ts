// The headers and the visible text of a mail.
import { MAX_TEXT_BYTES } from '../../contract/content.ts';
import { decodeText } from './charset.ts';
import type { Header } from './header.ts';
import { limitText, truncatedFields, type MessageText } from './limited-text.ts';
import { withLfEnds } from './line-ends.ts';
import { parseMimeStructure, type MimeLeaf } from './mime-structure.ts';
import { contentTypeParameter } from './part-header.ts';
import { withoutRedactedParts } from './redacted-parts.ts';
import { decodeTransferEncoding } from './transfer-encoding.ts';

/** Longer headers are cut. No mailer writes a tenth of this. */
const MAX_HEADER_BYTES = 128 * 1024;
const MAX_QUOTED_FIELD_CHARACTERS = 1000;

/**
 * Returns the header fields of a mail and its visible parts, plain text and HTML apart. Leaves out parts whose decoded
 * content has one of the `redacted` hashes. Never throws.
 */
export async function mailText(bytes: Buffer, redacted: ReadonlySet<string>): Promise<MessageText> {
  const { default: PostalMime, decodeWords } = await import('postal-mime');
  const mail = withLfEnds(bytes);
  const { header, leaves } = parseMimeStructure(mail);
  const visible = withoutRedactedParts(leaves, redacted).filter(({ shown }) => shown);
  const forwardedTitles = ({ forwardedHeaders }: MimeLeaf) =>
    forwardedHeaders.map((forwarded) => titleOf(forwarded, decodeWords)).join('');
  const text = textOf(
    visible.filter(({ type }) => type === 'text/plain'),
    forwardedTitles,
  );
  const html = textOf(
    visible.filter(({ type }) => type === 'text/html'),
    () => '',
  );
  const isHeaderCut = header.bodyAt > MAX_HEADER_BYTES;
  const head = mail.subarray(0, isHeaderCut ? MAX_HEADER_BYTES : header.bodyAt);
  return {
    // postal-mime gets the header alone, because it takes seconds and gigabytes for some bodies.
    headers: await PostalMime.parse(head).then(fieldsOf, () => []),
    text: text.text,
    html: html.text,
    ...truncatedFields({ headers: isHeaderCut, text: text.isCut, html: html.isCut }),
  };
}

function fieldsOf({
  headers,
}: {
  headers: { originalKey: string; value: string }[];
}): MessageText['headers'] {
  return headers.map(({ originalKey, value }) => [originalKey, value]);
}

/** The lines that stand above the text of a forwarded message. */
function titleOf({ fields }: Header, decodeWords: (text: string) => string): string {
  const lines = ['From', 'Date', 'To', 'Subject'].flatMap((name) => {
    const value = fields.get(name.toLowerCase());
    return value === undefined
      ? []
      : [`${name}: ${decodeWords(value.slice(0, MAX_QUOTED_FIELD_CHARACTERS))}\n`];
  });
  return [...lines, '\n'].join('');
}

/** The parts in order, each after its title; null when there is no text. */
function textOf(
  leaves: readonly MimeLeaf[],
  titleFor: (leaf: MimeLeaf) => string,
): ReturnType<typeof limitText> {
  const texts: string[] = [];
  let length = 0;
  for (const leaf of leaves) {
    if (length > MAX_TEXT_BYTES) break;
    const text = titleFor(leaf) + decodeTextPart(leaf);
    texts.push(text);
    length += text.length + 1;
  }
  return limitText(texts.join('\n') || null);
}

/** Returns a text part with LF line ends and a final LF. A part in base64 keeps its own line ends. */
export function decodeTextPart({ header, body, delimited }: MimeLeaf): string {
  const encoding = header.fields.get('content-transfer-encoding') ?? '';
  // A character takes at most four bytes.
  const content = decodeTransferEncoding(body, encoding).subarray(0, 4 * MAX_TEXT_BYTES + 4);
  const text = decodeText(content, contentTypeParameter(header, 'charset'));
  if (text === '' || /base64/i.test(encoding)) return text;
  const lines = text.replaceAll('\r\n', '\n');
  return delimited || !lines.endsWith('\n') ? `${lines}\n` : lines;
}
