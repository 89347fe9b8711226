// The forms in which a server may echo a secret: escaped, in base64, in hex.
import { Buffer } from 'node:buffer';

/** Characters below U+0080 in JSON (`\u0041`, `\/`), in a URL (`%41`) and in HTML (`&#65;`, `&#x41;`). */
const ESCAPE =
  /\\(?:u00([0-7][\da-f])|(["\\/]))|%([0-7][\da-f])|&#(?:x0{0,4}([0-7][\da-f])|0{0,4}(\d{2,3}));/gi;
/** The longest escape of one character, rounded up. */
export const MAX_ESCAPE_BYTES = 12;

/**
 * Returns the bytes with each escape as its character, and for each byte, and the end, where it was. Undefined where there is no
 * escape.
 */
export function decodedEscapes(bytes: Buffer): { bytes: Buffer; places: Uint32Array } | undefined {
  if (!['\\', '%', '&#'].some((sign) => bytes.includes(sign))) return undefined;
  const decoded = Buffer.from(bytes);
  const places = new Uint32Array(bytes.length + 1);
  let length = 0;
  let from = 0;
  const copyTo = (end: number): void => {
    bytes.copy(decoded, length, from, end);
    for (; from < end; from += 1, length += 1) places[length] = from;
  };
  for (const { 0: escape, 1: json, 2: sign, 3: url, 4: hex, 5: decimal, index } of bytes
    .toString('latin1')
    .matchAll(ESCAPE)) {
    copyTo(index);
    const code = json ?? url ?? hex;
    const byte = code === undefined ? (sign?.charCodeAt(0) ?? Number(decimal)) : parseInt(code, 16);
    decoded[length] = byte;
    places[length] = index;
    length += 1;
    from = index + escape.length;
  }
  if (length === 0 && from === 0) return undefined;
  copyTo(bytes.length);
  places[length] = bytes.length;
  return { bytes: decoded.subarray(0, length), places };
}

/** Returns the secret in hex and in both kinds of base64, at each place in a longer text. Some forms may be empty. */
export function encodedForms(secret: string): string[] {
  const bytes = Buffer.from(secret, 'latin1');
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    // The first and the last characters depend on what is around the secret.
    return whole.toString('base64').slice(Math.ceil((before * 4) / 3), Math.floor((whole.length * 4) / 3));
  });
  const forUrls = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [hex, hex.toUpperCase(), ...base64, ...forUrls];
}
