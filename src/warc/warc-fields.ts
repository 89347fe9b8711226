// The named fields of WARC 1.1 as bytes: one line a field, whatever its value holds.

export type Field = readonly [name: string, value: string];

/** What some reader takes for the end of a line, and other controls. */
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

/** In the order given, without the empty line that ends a header. */
export function namedFields(fields: readonly Field[]): Buffer {
  return Buffer.from(
    fields.map(([name, value]) => `${name}: ${value.replace(CONTROLS, ' ').trim()}\r\n`).join(''),
  );
}
