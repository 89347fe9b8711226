// Tells from the bytes of JSON how much memory its value would take, before it is parsed.

/** What a JSON text may have. A value takes up to a hundred bytes when it is parsed, and two of the text. */
export type JsonLimits = { maxDepth: number; maxValues: number };

const [QUOTE, COMMA, BACKSLASH, COLON] = [0x22, 0x2c, 0x5c, 0x3a];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Returns which limit a JSON text exceeds, if any: nesting of lists and objects, or the number of values. Reads any bytes. */
export function exceededLimit(
  bytes: Uint8Array,
  { maxDepth, maxValues }: JsonLimits,
): 'depth' | 'values' | undefined {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = endOfJsonString(bytes, at);
    else if (byte === COMMA) values += 1;
    else if (byte === LIST || byte === OBJECT) {
      values += 1;
      depth += 1;
      if (depth > maxDepth) return 'depth';
    } else if (byte === LIST_END || byte === OBJECT_END) depth -= 1;
    if (values > maxValues) return 'values';
  }
  return undefined;
}

/** Returns the index of the quote that ends the string which begins at `from`; the length where it does not end. */
export function endOfJsonString(bytes: Uint8Array, from: number): number {
  for (let end = bytes.indexOf(QUOTE, from + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let backslashes = 0;
    while (bytes[end - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return bytes.length;
}

/** Returns whether the objects of a JSON text have more than so many different keys. Reads any bytes. */
export function hasMoreKeys(bytes: Buffer, maxKeys: number): boolean {
  const keys = new Set<string>();
  let end: number;
  for (let from = bytes.indexOf(QUOTE); from >= 0; from = bytes.indexOf(QUOTE, end + 1)) {
    end = endOfJsonString(bytes, from);
    let next = end + 1;
    while (isBlank(bytes[next])) next += 1;
    if (bytes[next] === COLON) keys.add(bytes.toString('latin1', from + 1, end));
    if (keys.size > maxKeys) return true;
  }
  return false;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
