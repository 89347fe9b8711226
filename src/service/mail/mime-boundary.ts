// Finds the parts of a MIME multipart by its boundary (RFC 2046 5.1.1).
import { Buffer } from 'node:buffer';

/**
 * Returns the ranges between the delimiter lines of a multipart. The line break before a delimiter belongs to the
 * delimiter. Reads each line once. The last of `maxRanges` ranges holds everything that follows.
 */
export function partsBetween(
  bytes: Buffer,
  from: number,
  to: number,
  { boundary, maxRanges }: { boundary: Buffer; maxRanges: number },
): { ranges: [number, number][]; closed: boolean } {
  const body = bytes.subarray(from, to);
  const ranges: [number, number][] = [];
  let start = -1;
  const line = Buffer.concat([Buffer.from('\n--'), boundary]);
  const next = lineSearch(body, line);
  let at = isAt(body, line.subarray(1), 0) ? 0 : next(0);
  for (; at >= 0 && ranges.length < maxRanges - 1; at = next(at)) {
    const delimiter = delimiterAt(body, at + line.length - 1);
    if (delimiter === undefined) continue;
    const end = at > 1 && body[at - 2] === 0x0d ? at - 2 : at - 1;
    if (start >= 0) ranges.push([from + start, from + Math.max(start, end)]);
    if (delimiter.closes) return { ranges, closed: true };
    start = delimiter.next;
  }
  if (start >= 0) ranges.push([from + start, to]);
  return { ranges, closed: false };
}

/** Shorter text is searched in a loop, because `indexOf` is slow where the first byte of it is frequent. */
const MIN_SEARCHED_BYTES = 8;
/** After so many calls the text is searched in a loop. A call costs as much as 300 bytes of a loop. */
const MAX_SEARCHES = 20_000;

/** Returns the function that finds the next line after an index, -1 where there is none. `line` begins with a line break. */
function lineSearch(body: Buffer, line: Buffer): (from: number) => number {
  let searches = line.length < MIN_SEARCHED_BYTES ? MAX_SEARCHES : 0;
  return (from) => {
    searches += 1;
    if (searches <= MAX_SEARCHES) {
      const found = body.indexOf(line, from);
      return found < 0 ? -1 : found + 1;
    }
    for (let at = from; at < body.length; at += 1)
      if (body[at] === 0x0a && isAt(body, line, at)) return at + 1;
    return -1;
  };
}

function isAt(body: Buffer, text: Buffer, from: number): boolean {
  let same = 0;
  while (same < text.length && body[from + same] === text[same]) same += 1;
  return same === text.length;
}

/** Returns what follows a boundary: only `--` and blanks may stand before the end of its line, else undefined. */
function delimiterAt(body: Buffer, at: number): { closes: boolean; next: number } | undefined {
  const closes = body[at] === 0x2d && body[at + 1] === 0x2d;
  let end = closes ? at + 2 : at;
  while (body[end] === 0x20 || body[end] === 0x09) end += 1;
  if (body[end] === 0x0d) end += 1;
  if (end < body.length && body[end] !== 0x0a) return undefined;
  return { closes, next: Math.min(end + 1, body.length) };
}
