// Which bytes a Range header asks for (RFC 9110 14), as a pure rule.

/** Inclusive, both within the file. */
export type ByteRange = { from: number; to: number };

/** More ranges than this in one header are refused as excessive; two and up to this many are answered by the whole file. */
export const MAX_RANGES = 10;

/**
 * The one range to send; 'whole' where the header is absent, of another unit, malformed, or asks for several ranges;
 * 'unsatisfiable' (416) where the range begins behind the end, is empty, or there are too many of them.
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

/** The last `length` bytes; an empty file has no range that could be named, so it is sent whole. */
function suffix(length: number, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  if (length === 0) return 'unsatisfiable';
  return size === 0 ? 'whole' : { from: Math.max(size - length, 0), to: size - 1 };
}
