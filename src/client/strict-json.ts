// JSON from a stranger: UTF-8 without a mark, nested within reason, and errors in our words (V8's quote the input).
import { Fault } from '../faults.ts';

/** JSON.parse takes any depth, but nothing that walks the value afterwards does. */
export const MOST_DEPTH = 200;

/** The text and its value. Throws a protocol Fault. Keys like `__proto__` become plain own properties. */
export function parseJson(bytes: Uint8Array): { text: string; value: unknown } {
  const text = textOf(bytes);
  if (text.trim() === '') throw new Fault('protocol', 'answer is not JSON: it is empty');
  if (text.startsWith('\u{feff}')) {
    throw new Fault('protocol', 'answer is not JSON: it begins with a byte order mark');
  }
  if (isDeep(text)) throw new Fault('protocol', `answer is nested more than ${MOST_DEPTH} levels deep`);
  try {
    return { text, value: JSON.parse(text) as unknown };
  } catch {
    throw new Fault('protocol', `answer is not JSON (${bytes.length} bytes)`);
  }
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Fault('protocol', 'answer is not JSON: it is not valid UTF-8');
  }
}

function isDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (quoted) {
      if (unit === 0x5c) at += 1;
      else if (unit === 0x22) quoted = false;
    } else if (unit === 0x22) quoted = true;
    else if (unit === 0x7b || unit === 0x5b) {
      depth += 1;
      if (depth > MOST_DEPTH) return true;
    } else if (unit === 0x7d || unit === 0x5d) depth -= 1;
  }
  return false;
}
