// The stored bytes of messages that are kept as JSON (Slack messages and files of folders).
import { Buffer } from 'node:buffer';
import { canonicalJson } from '../../contract/canonical-json.ts';

/**
 * Returns a parsed JSON value as canonical JSON in UTF-8: sorted keys, no spaces. A message is recognized by the hash of
 * these bytes, so they must never change. Throws a RangeError for a value nested too deep for the call stack.
 */
export function storedJson(value: unknown): Uint8Array {
  try {
    return Buffer.from(canonicalJson(value));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // JSON.parse returns Infinity for a number like 1e999, which JSON cannot express. It is stored as null.
    return Buffer.from(canonicalJson(JSON.parse(JSON.stringify(value))));
  }
}
