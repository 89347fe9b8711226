// Matches names with shell patterns: `*`, `?`, `[a-z]`, `[!a-z]`, and `\` before a character that stands for itself.

/** Matches one character. `undefined` stands for `*`, which matches any number of them. */
type Part = ((character: string) => boolean) | undefined;

/**
 * Returns a function that tells whether a whole name matches a pattern, without regard to case. The time is at most the length of the
 * pattern times that of the name, for any pattern and any name.
 */
export function globMatcher(pattern: string): (name: string) => boolean {
  const parts = partsOf(Array.from(folded(pattern)));
  return (name) => matchesParts(parts, Array.from(folded(name)));
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function partsOf(pattern: readonly string[]): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at]!;
    const close = character === '[' ? endOfClass(pattern, at) : -1;
    if (character === '*') {
      // Several stars in a row match what one does.
      if (parts.length === 0 || parts.at(-1) !== undefined) parts.push(undefined);
    } else if (character === '?') parts.push(() => true);
    else if (close > 0) {
      parts.push(classOf(pattern.slice(at + 1, close)));
      at = close;
    } else {
      if (character === '\\' && at + 1 < pattern.length) at += 1;
      const wanted = pattern[at]!;
      parts.push((one) => one === wanted);
    }
  }
  return parts;
}

/** Returns where a class that begins at `at` ends; -1 where it does not, and the bracket stands for itself. */
function endOfClass(pattern: readonly string[], at: number): number {
  const isNegated = pattern[at + 1] === '!' || pattern[at + 1] === '^';
  // A bracket that comes first is one of the characters.
  return pattern.indexOf(']', at + (isNegated ? 3 : 2));
}

function classOf(inner: readonly string[]): Part {
  const isNegated = inner[0] === '!' || inner[0] === '^';
  const ranges: [from: string, to: string][] = [];
  for (let at = isNegated ? 1 : 0; at < inner.length; at += 1) {
    const from = inner[at]!;
    const isRange = inner[at + 1] === '-' && at + 2 < inner.length;
    ranges.push([from, isRange ? inner[at + 2]! : from]);
    if (isRange) at += 2;
  }
  return (one) => ranges.some(([from, to]) => from <= one && one <= to) !== isNegated;
}

/** After a mismatch only the last star takes one character more: what stands before it need not be tried again. */
function matchesParts(parts: readonly Part[], name: readonly string[]): boolean {
  let part = 0;
  let at = 0;
  let star = -1;
  let taken = 0;
  while (at < name.length) {
    const matches = parts[part];
    if (part < parts.length && matches === undefined) {
      star = part;
      taken = at;
      part += 1;
    } else if (matches?.(name[at]!) === true) {
      part += 1;
      at += 1;
    } else if (star >= 0) {
      part = star + 1;
      taken += 1;
      at = taken;
    } else return false;
  }
  while (part < parts.length && parts[part] === undefined) part += 1;
  return part === parts.length;
}
