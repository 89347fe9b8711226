// Recognizes the separators between the mails of an mbox. What separates is decided for the file as a whole.
import { Buffer } from 'node:buffer';
import { withLfEnds } from '../mail/line-ends.ts';

/** How much of an mbox is read at a time. A longer header has no usable Content-Length. */
export const CHUNK_BYTES = 4 * 1024 * 1024;

/** A separator and the line after it are not longer than this. */
export const MAX_SEPARATOR_BYTES = 4096;

/** Reads the bytes of an mbox from an offset. Reads none at the end of the file. */
export type ReadAt = (into: Buffer, at: number) => Promise<{ bytesRead: number }>;

/**
 * A line that begins with `From `. `dated`: it has a complete date; weekday, month, time and year may stand in any order.
 * `bare`: nothing follows but a dash. `addressed`: an address, or a dash and more, without a complete date. `named`: one word
 * alone, such as the name of a user.
 */
type FromLine = {
  form: 'dated' | 'bare' | 'addressed' | 'named' | 'other';
  afterEmptyLine: boolean;
  /** What the next line is. `mozilla`: a field that Thunderbird adds. `mail`: another field of most mails. */
  next: 'mozilla' | 'mail' | 'field' | 'other';
};

/** How the separators of one mbox look. */
export type MboxDialect = {
  /** Its name in reports. */
  name: 'mbox' | 'mbox (Thunderbird)' | 'mbox (separators without a date)' | 'mbox (CR line ends)';
  /** In mboxrd every line that begins with `From ` separates. */
  isMboxrd: boolean;
  /** Whether lines of this form separate. */
  separates: Readonly<Record<FromLine['form'], boolean>>;
};

/** An mbox as its separators show it. `start`: the offset of its first separator; null when it has none. */
export type MboxSurvey = { dialect: MboxDialect; start: number | null };

/**
 * Reads a whole mbox once and decides what separates its mails.
 *
 * A separator follows an empty line and precedes a header field. Before a field of most mails the empty line may be missing: some
 * writers leave it out, and Python and mutt split there. Lines with a complete date always separate. Lines without one separate if the file shows that its writer wrote such separators:
 * - The first line has this form.
 * - Bare lines: a line is followed by a field of Thunderbird; or the first line begins with `From - `; or at least two are
 *   followed by a usual field, and none by text.
 *
 * A first line that {@link isQuotedSeparator} begins the first mail, if others follow.
 */
export async function surveyMbox(
  readAt: ReadAt,
  isMboxrd: boolean,
  chunkBytes: number = CHUNK_BYTES,
): Promise<MboxSurvey> {
  let first: { at: number; line: FromLine; text: string } | undefined;
  let firstSeparatorAt: number | null = null;
  const bare = { mozilla: 0, mail: 0, field: 0, other: 0 };
  let mozilla = false;
  let dated = 0;
  for await (const { buffer, at, offset, onlyBreaksBefore } of fromLines(readAt, chunkBytes)) {
    const line = fromLineAt(buffer, at);
    if (onlyBreaksBefore) first = { at: offset, line, text: buffer.toString('latin1', at, at + 7) };
    if (line.form === 'dated' || line.form === 'bare') mozilla ||= line.next === 'mozilla';
    if (!line.afterEmptyLine) continue;
    if (line.form === 'bare') bare[line.next] += 1;
    if (line.form !== 'dated' || line.next === 'other') continue;
    dated += 1;
    firstSeparatorAt ??= offset;
  }
  const form = first?.line.form;
  const isThunderbird =
    mozilla ||
    first?.text === 'From - ' ||
    (bare.mail >= 2 && bare.other === 0) ||
    (form === 'bare' && (dated === 0 || bare.mail + bare.field > 1));
  const separates = {
    dated: true,
    bare: isThunderbird || form === 'bare',
    addressed: form === 'addressed',
    named: form === 'named',
    other: false,
  };
  const name = isThunderbird
    ? 'mbox (Thunderbird)'
    : separates.addressed || separates.named
      ? 'mbox (separators without a date)'
      : 'mbox';
  return {
    dialect: { name: isMboxrd ? 'mbox' : name, isMboxrd, separates },
    start: first?.at ?? (firstSeparatorAt === null ? null : await firstStart(readAt, firstSeparatorAt)),
  };
}

/** Returns where the first mail of a file begins whose first line is no separator: 0 if that line is a quoted one. */
async function firstStart(readAt: ReadAt, firstSeparatorAt: number): Promise<number> {
  const head = Buffer.alloc(MAX_SEPARATOR_BYTES);
  const { bytesRead } = await readAt(head, 0);
  return isQuotedSeparator(head.subarray(0, bytesRead)) ? 0 : firstSeparatorAt;
}

/**
 * Returns whether a file begins with the separator of a mail behind a `>`, as a mailbox does that was sent as text. mutt and dovecot
 * refuse such a mailbox; Python leaves out its first mail.
 */
export function isQuotedSeparator({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
  const head = withLfEnds(Buffer.from(buffer, byteOffset, Math.min(byteLength, MAX_SEPARATOR_BYTES)));
  if (!head.toString('latin1', 0, 6).startsWith('>From ')) return false;
  const { form, next } = fromLineAt(head, 1);
  return form === 'dated' && (next === 'mail' || next === 'mozilla');
}

type FoundLine = {
  /** Holds the line and the line after it, up to MAX_SEPARATOR_BYTES. */
  buffer: Buffer;
  at: number;
  offset: number;
  onlyBreaksBefore: boolean;
};

/** Yields every line of a file that begins with `From `. Reads the file once, in bounded memory. */
async function* fromLines(readAt: ReadAt, chunkBytes: number): AsyncGenerator<FoundLine> {
  // The line break that it begins with stands for the beginning of the file.
  let buffer = Buffer.from('\n');
  let offset = -1;
  let onlyBreaks = true;
  // Up to this index of the buffer no line is left to find.
  let examined = 0;
  for (let hasEnded = false; !hasEnded;) {
    const larger = Buffer.allocUnsafe(buffer.length + chunkBytes);
    buffer.copy(larger);
    const { bytesRead } = await readAt(larger.subarray(buffer.length), offset + buffer.length);
    hasEnded = bytesRead === 0;
    buffer = larger.subarray(0, buffer.length + bytesRead);
    // A line near the end of the buffer is examined when the bytes after it are there.
    const stop = hasEnded ? buffer.length : buffer.length - MAX_SEPARATOR_BYTES;
    for (;;) {
      const at = buffer.indexOf('\nFrom ', examined);
      const found = at >= 0 && at < stop;
      const end = found ? at : Math.max(stop, examined);
      onlyBreaks &&= isLineBreaks(buffer.subarray(examined, end));
      examined = end;
      if (!found) break;
      yield { buffer, at: at + 1, offset: offset + at + 1, onlyBreaksBefore: onlyBreaks };
      onlyBreaks = false;
      examined = at + 1;
    }
    // The bytes before the line are kept to recognize an empty line.
    const useless = Math.max(examined - 3, 0);
    buffer = buffer.subarray(useless);
    examined -= useless;
    offset += useless;
  }
}

function isLineBreaks(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x0a || byte === 0x0d);
}

const DATED =
  /^From (?=.*\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )(?=.*\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b)(?=.*\b\d\d?:\d\d)(?=.*\b\d{4}\b)/s;
const BARE = /^From -?[ \t]*\r?$/;
const ADDRESSED = /^From (?:[^\s@]+@\S+|MAILER-DAEMON|-(?=[ \t]))(?:[ \t]|\r?$)/;
const NAMED = /^From [^\s@]+[ \t]*\r?$/;
const MOZILLA_FIELD = /^x-mozilla-/i;
const MAIL_FIELD =
  /^(?:from|to|cc|date|subject|received|return-path|message-id|delivered-to|mime-version|content-type|reply-to|dkim-signature)[ \t]*:/i;
const FIELD = /^(?:>From |[!-9;-~]+[ \t]*:)/;

/** Returns what a line that begins with `From ` is. Takes time linear in its length and that of the next line. */
function fromLineAt(buffer: Buffer, at: number): FromLine {
  const lines = buffer.subarray(at, at + MAX_SEPARATOR_BYTES);
  const end = lines.indexOf(0x0a);
  const text = lines.toString('latin1', 0, end < 0 ? lines.length : end);
  const form = DATED.test(text)
    ? 'dated'
    : BARE.test(text)
      ? 'bare'
      : ADDRESSED.test(text)
        ? 'addressed'
        : NAMED.test(text)
          ? 'named'
          : 'other';
  const afterEmptyLine = isAfterEmptyLine(buffer, at);
  if (end < 0) return { form, afterEmptyLine, next: 'other' };
  const nextEnd = lines.indexOf(0x0a, end + 1);
  const next = lines.toString('latin1', end + 1, nextEnd < 0 ? lines.length : nextEnd);
  if (!FIELD.test(next)) return { form, afterEmptyLine, next: 'other' };
  return {
    form,
    afterEmptyLine,
    next: MOZILLA_FIELD.test(next) ? 'mozilla' : MAIL_FIELD.test(next) ? 'mail' : 'field',
  };
}

function isAfterEmptyLine(buffer: Buffer, at: number): boolean {
  return buffer[at - 2] === 0x0a || (buffer[at - 2] === 0x0d && buffer[at - 3] === 0x0a) || at < 2;
}

function isSeparator({ form, afterEmptyLine, next }: FromLine, { name, separates }: MboxDialect): boolean {
  if (!separates[form]) return false;
  // Some writers leave out the empty line. Then a field of most mails shows that a mail begins.
  const isPlain = form === 'dated' || form === 'bare';
  if (isPlain && (next === 'mail' || (next === 'mozilla' && name === 'mbox (Thunderbird)'))) return true;
  return afterEmptyLine && (form === 'named' ? next === 'mail' : next !== 'other');
}

/** The date that git writes into the first line of each patch: such lines separate the patches of a mail. */
const PATCH_DATE = 'Mon Sep 17 00:00:00 2001';

/** Returns how many lines of a mail would separate mails in an mbox: dated ones after an empty line and before a field of most mails. */
export function separatorsWithin({ buffer, byteOffset, byteLength }: Uint8Array): number {
  const mail = withLfEnds(Buffer.from(buffer, byteOffset, byteLength));
  let count = 0;
  for (let at = mail.indexOf('\nFrom '); at >= 0; at = mail.indexOf('\nFrom ', at + 1)) {
    const { form, afterEmptyLine, next } = fromLineAt(mail, at + 1);
    const isPatch = mail.subarray(at, at + 100).includes(PATCH_DATE);
    if (form === 'dated' && afterEmptyLine && (next === 'mail' || next === 'mozilla') && !isPatch) count += 1;
  }
  return count;
}

/**
 * `hasEnded`: whether the buffer holds the end of the file. `maxBytes`: the longest mail that is accepted. `chunkBytes`: a longer
 * header has no usable Content-Length.
 */
type SplitState = { dialect: MboxDialect; hasEnded: boolean; maxBytes: number; chunkBytes: number };

/**
 * Returns where the next mail begins, or up to which index there is no separator. `buffered` begins with a mail; up to
 * `scanned` it has no separator.
 */
export function nextSeparator(
  buffered: Buffer,
  scanned: number,
  state: SplitState,
): { at?: number; scanned: number } {
  const { dialect, hasEnded } = state;
  if (scanned === 0 && !dialect.isMboxrd) {
    const declared = declaredEnd(buffered, state);
    if (declared === 'unknown') return { scanned: 0 };
    if (declared !== undefined) return { at: declared, scanned: 0 };
  }
  let at = buffered.indexOf('\nFrom ', scanned);
  for (; at >= 0; at = buffered.indexOf('\nFrom ', at + 1)) {
    if (!hasEnded && buffered.length < at + 1 + MAX_SEPARATOR_BYTES) return { scanned: at };
    if (dialect.isMboxrd || isSeparator(fromLineAt(buffered, at + 1), dialect))
      return { at: at + 1, scanned: 0 };
  }
  return { scanned: Math.max(buffered.length - 5, 0) };
}

/**
 * Returns the end of a mail by its Content-Length, if a separator or the end of the file stands there. Returns
 * 'unknown' while more bytes must be read to decide.
 */
function declaredEnd(
  buffered: Buffer,
  { dialect, hasEnded, maxBytes, chunkBytes }: SplitState,
): number | 'unknown' | undefined {
  const declared = declaredBody(buffered);
  if (declared === 'unknown') return hasEnded || buffered.length >= chunkBytes ? undefined : 'unknown';
  if (declared === undefined) return undefined;
  const end = declared.at + declared.length;
  if (end > maxBytes) return undefined;
  if (!hasEnded && buffered.length < end + 4 + MAX_SEPARATOR_BYTES) return 'unknown';
  const spaces = /^[\r\n]{0,4}/.exec(buffered.toString('latin1', end, end + 4))?.[0].length ?? 0;
  const next = end + spaces;
  if (next === buffered.length) return next;
  if (buffered[next - 1] !== 0x0a || buffered.toString('latin1', next, next + 5) !== 'From ')
    return undefined;
  return isSeparator({ ...fromLineAt(buffered, next), afterEmptyLine: true }, dialect) ? next : undefined;
}

/**
 * Returns where the body of a mail begins, and its Content-Length; undefined when the header has none. Reads no further
 * than the header, or than a line that begins with `From `, so that each byte of a file is read once.
 */
function declaredBody(buffered: Buffer): { at: number; length: number } | 'unknown' | undefined {
  let length: string | undefined;
  for (let at = buffered.indexOf(0x0a) + 1; at > 0; at = buffered.indexOf(0x0a, at) + 1) {
    const first = buffered[at];
    if (first === 0x0a || (first === 0x0d && buffered[at + 1] === 0x0a)) {
      const bodyAt = at + (first === 0x0a ? 1 : 2);
      return length === undefined ? undefined : { at: bodyAt, length: Number(length) };
    }
    const start = buffered.toString('latin1', at, at + 40);
    if (start.startsWith('From ')) return undefined;
    length ??= /^content-length:[ \t]*(\d{1,12})\r?\n/i.exec(start)?.[1];
  }
  return 'unknown';
}
