// Checks and parses what may be JSON.
import { isUtf8 } from 'node:buffer';

/** Returns whether a text is a JSON value. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the value of JSON in UTF-8, undefined for other bytes. Bytes that are not UTF-8 are never replaced: the value
 * would be another one than was written.
 */
export function parseJsonBytes(bytes: Buffer): unknown {
  try {
    return isUtf8(bytes) ? JSON.parse(bytes.toString()) : undefined;
  } catch {
    return undefined;
  }
}
