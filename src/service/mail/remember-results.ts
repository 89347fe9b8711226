// Remembers the results of a function of one text, for values that most mails of a list have in common.
import { Buffer } from 'node:buffer';

const MAX_RESULTS = 2_000;
const MAX_KEY_CHARACTERS = 1_000;

/** Returns a function with the same results that computes those of recent texts once. `compute` depends on nothing but its text. */
export function rememberResults<T>(compute: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = compute(text);
    if (text.length <= MAX_KEY_CHARACTERS) {
      if (results.size >= MAX_RESULTS) results.clear();
      // A copy: a part of a header would keep all of that header in memory.
      results.set(Buffer.from(text, 'utf16le').toString('utf16le'), result);
    }
    return result;
  };
}
