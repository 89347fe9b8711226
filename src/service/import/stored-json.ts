// The stored bytes of messages that are kept as JSON (Slack messages and files of folders).
import { Buffer } from 'node:buffer';
import { canonicalJson } from '../../contract/canonical-json.ts';

/**
 * Returns a value of parseExactJson as canonical JSON in UTF-8: sorted keys, no spaces, no number rounded. A message is recognized by the hash of
 * these bytes, so they must never change. Throws a RangeError for a value nested too deep for the call stack.
 */
export function storedJson(value: unknown): Uint8Array {
  return Buffer.from(canonicalJson(value));
}
