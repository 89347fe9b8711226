// Reads the JSON of our private files: settings and tokens.

/**
 * Returns the value of a JSON document. Throws a SyntaxError where it is not JSON in UTF-8, or where a key is `__proto__`: no
 * version of arx writes one, and a copy of such an object could take over fields that it does not have.
 */
export function parsePrivateJson(bytes: Uint8Array): unknown {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  return JSON.parse(text, (key: string, value: unknown) => {
    if (key === '__proto__') throw new SyntaxError('key __proto__');
    return value;
  });
}
