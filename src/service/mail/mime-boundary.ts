// Finds the parts of a MIME multipart by its boundary (RFC 2046 5.1.1).
import type { Buffer } from 'node:buffer';

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
  let at = body[0] === 0x2d && body[1] === 0x2d ? 0 : afterLineBreak(body, 0);
  for (; at >= 0 && ranges.length < maxRanges - 1; at = afterLineBreak(body, at)) {
    const boundaryStart = at + 2;
    const boundaryEnd = boundaryStart + boundary.length;
    if (boundaryEnd > body.length) continue;
    if (body.compare(boundary, 0, boundary.length, boundaryStart, boundaryEnd) !== 0) continue;
    const delimiter = delimiterAt(body, boundaryEnd);
    if (delimiter === undefined) continue;
    const end = at > 1 && body[at - 2] === 0x0d ? at - 2 : at - 1;
    if (start >= 0) ranges.push([from + start, from + Math.max(start, end)]);
    if (delimiter.closes) return { ranges, closed: true };
    start = delimiter.next;
  }
  if (start >= 0) ranges.push([from + start, to]);
  return { ranges, closed: false };
}

/** Returns the index of the next line after `from` that begins with two dashes, or -1. */
function afterLineBreak(body: Buffer, from: number): number {
  const found = body.indexOf('\n--', from, 'latin1');
  return found < 0 ? -1 : found + 1;
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
