// The stored bytes of a message as a reader sees them: headers in order and decoded text; never throws, whatever the bytes.
import { MAX_TEXT_BYTES } from '../../contract/content.ts';
import type { Header } from './header.ts';
import { contentTypeParameter, parseMimeStructure, type MimeLeaf } from './mime-structure.ts';
import { decodeTransferEncoding } from './transfer-encoding.ts';
import { withoutRedactedParts } from './redacted-parts.ts';

type Cut = 'headers' | 'text' | 'html';

export type MessageText = {
  headers: [name: string, value: string][];
  text: string | null;
  html: string | null;
  /** What is given only in part, because it is longer than an answer may be; absent where all is whole. */
  truncated?: Cut[];
};

/** Headers are read up to here; no mailer writes a tenth of it. */
const MOST_HEADER_BYTES = 128 * 1024;

/**
 * rfc822: the header fields, and the parts of the letter that are shown, text and HTML apart; the text of a Slack
 * message; the description of a file as it is. `withheld` are the hashes of files of which nothing may be read: only a
 * mail holds its files within. Text and HTML have at most MAX_TEXT_BYTES each.
 */
export async function readMessageText(
  format: 'rfc822' | 'slack' | 'file',
  bytes: Uint8Array,
  withheld: ReadonlySet<string> = new Set(),
): Promise<MessageText> {
  if (format === 'rfc822')
    return readMail(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), withheld);
  const source = new TextDecoder().decode(bytes);
  const { text, cut } = bounded(format === 'file' ? source : slackText(source));
  return { headers: [], text, html: null, ...truncatedIn({ text: cut }) };
}

async function readMail(bytes: Buffer, withheld: ReadonlySet<string>): Promise<MessageText> {
  const { default: PostalMime, decodeWords } = await import('postal-mime');
  const { header, leaves } = parseMimeStructure(bytes);
  const letter = withoutRedactedParts(leaves, withheld).filter(({ shown }) => shown);
  const opening = ({ forwardedHeaders }: MimeLeaf) =>
    forwardedHeaders.map((header) => titleOf(header, decodeWords)).join('');
  const text = textOf(
    letter.filter(({ type }) => type === 'text/plain'),
    opening,
  );
  const html = textOf(
    letter.filter(({ type }) => type === 'text/html'),
    () => '',
  );
  const long = header.bodyAt > MOST_HEADER_BYTES;
  const head = bytes.subarray(0, long ? MOST_HEADER_BYTES : header.bodyAt);
  return {
    // The parser is given nothing else: it takes seconds and gigabytes for some bodies.
    headers: await PostalMime.parse(head).then(fieldsOf, () => []),
    text: text.text,
    html: html.text,
    ...truncatedIn({ headers: long, text: text.cut, html: html.cut }),
  };
}

function fieldsOf({
  headers,
}: {
  headers: { originalKey: string; value: string }[];
}): MessageText['headers'] {
  return headers.map(({ originalKey, value }) => [originalKey, value]);
}

/** What is said of a forwarded message above its text. */
function titleOf({ fields }: Header, decodeWords: (text: string) => string): string {
  const lines = ['From', 'Date', 'To', 'Subject'].flatMap((name) => {
    const value = fields.get(name.toLowerCase());
    return value === undefined ? [] : [`${name}: ${decodeWords(value.slice(0, 1000))}\n`];
  });
  return [...lines, '\n'].join('');
}

type Bounded = { text: string | null; cut: boolean };

/** The parts one after the other, each after what opens it; null where there is nothing. */
function textOf(leaves: readonly MimeLeaf[], opening: (leaf: MimeLeaf) => string): Bounded {
  const texts: string[] = [];
  let length = 0;
  for (const leaf of leaves) {
    if (length > MAX_TEXT_BYTES) break;
    const text = opening(leaf) + decoded(leaf);
    texts.push(text);
    length += text.length + 1;
  }
  return bounded(texts.join('\n') || null);
}

/** A text part with its lines ended by a line feed each, the last one too; what was encoded as base64 as it is. */
function decoded({ header, body, delimited }: MimeLeaf): string {
  const encoding = header.fields.get('content-transfer-encoding') ?? '';
  // Four bytes are the most that one character takes.
  const content = decodeTransferEncoding(body, encoding).subarray(0, 4 * MAX_TEXT_BYTES + 4);
  const text = decoderOf(contentTypeParameter(header, 'charset')).decode(content);
  if (text === '' || /base64/i.test(encoding)) return text;
  const lines = text.replaceAll('\r\n', '\n');
  return delimited || !lines.endsWith('\n') ? `${lines}\n` : lines;
}

/** The decoder of a declared charset, UTF-8 where none is; of one that nobody knows that of Western Europe. */
function decoderOf(declared = 'utf-8'): InstanceType<typeof TextDecoder> {
  const label = declared.trim().toLowerCase();
  // Names of code pages that the standard lacks (cp932 and its like), and private prefixes.
  const page = { '932': 'shift_jis', '936': 'gbk', '949': 'euc-kr', '950': 'big5' }[
    /^\D+(\d{3})$/.exec(label)?.[1] ?? ''
  ];
  for (const name of [label, page, label.replace(/^x-/, '')]) {
    try {
      if (name !== undefined) return new TextDecoder(name);
    } catch {
      // The next one.
    }
  }
  return new TextDecoder('windows-1252');
}

/** At most MAX_TEXT_BYTES of JSON, in which a control character takes six bytes; within a hundredth of the most. */
function bounded(text: string | null): Bounded {
  if (text === null || isShort(text)) return { text, cut: false };
  let fits = Math.floor(MAX_TEXT_BYTES / 6) - 1;
  let not = MAX_TEXT_BYTES;
  while (not - fits > MAX_TEXT_BYTES / 512) {
    const middle = (fits + not) >> 1;
    if (isShort(text.slice(0, middle))) fits = middle;
    else not = middle;
  }
  return { text: text.slice(0, fits).replace(/[\ud800-\udbff]$/, ''), cut: true };
}

function isShort(text: string): boolean {
  return text.length <= MAX_TEXT_BYTES && Buffer.byteLength(JSON.stringify(text)) <= MAX_TEXT_BYTES;
}

function truncatedIn(cut: Partial<Record<Cut, boolean>>): { truncated?: Cut[] } {
  const names = (['headers', 'text', 'html'] as const).filter((name) => cut[name]);
  return names.length === 0 ? {} : { truncated: names };
}

function slackText(source: string): string | null {
  try {
    const record = JSON.parse(source) as { text?: unknown; message?: { text?: unknown } } | null;
    const text = record?.text ?? record?.message?.text;
    return typeof text === 'string' ? text : null;
  } catch {
    return null;
  }
}
