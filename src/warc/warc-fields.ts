// Formats the named fields of WARC 1.1 as bytes: one line per field, whatever its value contains.

/** A named field of WARC. `value` may hold any text. */
export type WarcField = readonly [name: string, value: string];

/** Control characters, and all characters that some reader takes for the end of a line. */
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

/** Returns the fields in the given order, without the empty line that ends a header. */
export function formatWarcFields(fields: readonly WarcField[]): Buffer {
  return Buffer.from(
    fields.map(([name, value]) => `${name}: ${value.replace(CONTROLS, ' ').trim()}\r\n`).join(''),
  );
}
