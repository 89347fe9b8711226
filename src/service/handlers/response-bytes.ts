// The bytes of a response body from its text.

/** A text up to this length is sent together with its head in one write, which costs less than encoding it first. */
export const SHORT_BODY_BYTES = 4096;

/**
 * Returns the UTF-8 bytes of a text. ASCII is written as Latin-1, which spares the most expensive step. The buffer has
 * memory of its own: a slice of a pooled buffer would keep the whole pool alive while the response is cached.
 */
export function encodeBody(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafeSlow(length);
  bytes.write(text, length === text.length ? 'latin1' : 'utf8');
  return bytes;
}
