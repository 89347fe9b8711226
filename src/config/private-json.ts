// Reads the JSON of our private files: settings and tokens.

/**
 * Returns the value of a JSON document. Throws a SyntaxError where it is not JSON in UTF-8, or where a key is `__proto__`: no
 * version of arx writes one, and a copy of such an object could take over fields that it does not have. Its message says what is
 * wrong, such as `it is empty`, and quotes nothing.
 */
export function parsePrivateJson(bytes: Uint8Array): unknown {
  let reason = bytes.length === 0 ? 'it is empty' : 'it is not JSON';
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return JSON.parse(text, (key: string, value: unknown) => {
      if (key !== '__proto__') return value;
      reason = 'it has a key __proto__';
      throw new SyntaxError(reason);
    });
  } catch (error) {
    // The stack does not reach to the innermost value.
    throw new SyntaxError(error instanceof RangeError ? 'it is nested too deep' : reason);
  }
}
