// Parses a Range header (RFC 9110 14).

/** First and last byte, both within the file. */
export type ByteRange = { from: number; to: number };

/** A header with more ranges is refused with 416. One with two or more, up to this number, gets the whole file. */
export const MAX_RANGES = 10;

/**
 * Returns the range to send. Returns `whole` for a header that is absent, malformed, in another unit, or has several
 * ranges; `unsatisfiable` (416) for a range that is empty or begins after the end, and for too many ranges.
 */
export function parseByteRange(
  header: string | undefined,
  size: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  const list = /^bytes=(.*)$/i.exec(header?.trim() ?? '')?.[1]?.split(',');
  if (list === undefined) return 'whole';
  if (list.length > 1) return list.length > MAX_RANGES ? 'unsatisfiable' : 'whole';
  const match = /^(\d*)-(\d*)$/.exec(list[0]!.trim());
  if (match === null) return 'whole';
  const [, first = '', last = ''] = match;
  if (first === '') return last === '' ? 'whole' : suffix(Number(last), size);
  if (last !== '' && Number(last) < Number(first)) return 'whole';
  if (Number(first) >= size) return 'unsatisfiable';
  return { from: Number(first), to: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

/** Returns the range of the last `length` bytes. An empty file has no byte to name, so it is sent whole. */
function suffix(length: number, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  if (length === 0) return 'unsatisfiable';
  return size === 0 ? 'whole' : { from: Math.max(size - length, 0), to: size - 1 };
}
