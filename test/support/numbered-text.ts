// A text no part of which is like another, so that bytes at a wrong place are seen.

/** Returns a text of so many characters, in lines of 16 that all differ. */
export function numberedText(length: number): string {
  const lines = Array.from({ length: Math.ceil(length / 16) }, (_, n) => `${String(n).padStart(15, '.')}\n`);
  return lines.join('').slice(0, length);
}
