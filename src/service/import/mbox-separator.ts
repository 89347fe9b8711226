// Finds the separators between the mails of an mbox.
import type { Buffer } from 'node:buffer';

/** How much of an mbox is read at a time. A longer header has no usable Content-Length. */
export const CHUNK_BYTES = 4 * 1024 * 1024;

/** A separator and the line after it are not longer than this. */
export const MAX_SEPARATOR_BYTES = 4096;

/** `From <address> <asctime date>`, then a header field. Weekday, month, time and year may stand in any order. */
const SEPARATOR =
  /^From (?=[^\n]*\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )(?=[^\n]*\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b)(?=[^\n]*\b\d\d?:\d\d)(?=[^\n]*\b\d{4}\b)[^\n]*\n(?:>From |[!-9;-~]+[ \t]*:)/;

/** `hasEnded`: whether the buffer holds the end of the file. `maxBytes`: the longest mail that is accepted. */
type SplitState = { isMboxrd: boolean; hasEnded: boolean; maxBytes: number };

/** Returns where the next mail begins, or up to which index there is no separator. */
export function nextSeparator(
  buffered: Buffer,
  scanned: number,
  state: SplitState,
): { at?: number; scanned: number } {
  if (scanned === 0 && !state.isMboxrd) {
    const declared = declaredEnd(buffered, state);
    if (declared === 'unknown') return { scanned: 0 };
    if (declared !== undefined) return { at: declared, scanned: 0 };
  }
  let at = buffered.indexOf('\nFrom ', scanned);
  for (; at >= 0; at = buffered.indexOf('\nFrom ', at + 1)) {
    if (!state.hasEnded && buffered.length < at + MAX_SEPARATOR_BYTES) return { scanned: at };
    if (state.isMboxrd || (isAfterEmptyLine(buffered, at + 1) && isSeparator(buffered, at + 1)))
      return { at: at + 1, scanned: 0 };
  }
  return { scanned: Math.max(buffered.length - 5, 0) };
}

/**
 * Returns the end of a mail by its Content-Length, if a separator or the end of the file stands there. Returns
 * 'unknown' while more bytes must be read to decide.
 */
function declaredEnd(buffered: Buffer, { hasEnded, maxBytes }: SplitState): number | 'unknown' | undefined {
  const body = bodyStart(buffered);
  if (body === undefined) return hasEnded || buffered.length >= CHUNK_BYTES ? undefined : 'unknown';
  const header = buffered.toString('latin1', 0, body);
  const length = /^content-length:[ \t]*(\d{1,12})\r?$/im.exec(header)?.[1];
  if (length === undefined) return undefined;
  const end = body + Number(length);
  if (end > maxBytes) return undefined;
  if (!hasEnded && buffered.length < end + MAX_SEPARATOR_BYTES) return 'unknown';
  const spaces = /^[\r\n]{0,4}/.exec(buffered.toString('latin1', end, end + 4))?.[0].length ?? 0;
  if (end + spaces === buffered.length) return buffered.length;
  return buffered[end + spaces - 1] === 0x0a && isSeparator(buffered, end + spaces)
    ? end + spaces
    : undefined;
}

/**
 * Returns what follows the first empty line. A line may end in LF or CR LF, whatever the first one ends in: a search for one
 * of them would read to the end of the file for each mail.
 */
function bodyStart(buffered: Buffer): number | undefined {
  for (let at = buffered.indexOf(0x0a); at >= 0; at = buffered.indexOf(0x0a, at + 1)) {
    if (buffered[at + 1] === 0x0a) return at + 2;
    if (buffered[at + 1] === 0x0d && buffered[at + 2] === 0x0a) return at + 3;
  }
  return undefined;
}

function isAfterEmptyLine(buffered: Buffer, at: number): boolean {
  return buffered[at - 2] === 0x0a || (buffered[at - 2] === 0x0d && buffered[at - 3] === 0x0a);
}

function isSeparator(buffered: Buffer, at: number): boolean {
  // Only two lines are read: of many short lines each would cost the whole limit.
  const limited = buffered.subarray(at, at + MAX_SEPARATOR_BYTES);
  const line = limited.indexOf(0x0a) + 1;
  const next = limited.indexOf(0x0a, line) + 1;
  return line > 0 && SEPARATOR.test(limited.toString('latin1', 0, next || limited.length));
}
