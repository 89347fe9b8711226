// Command lines as text that a POSIX shell reads back as the same words.

/** Returns a word as a shell reads it, in single quotes where it needs them. */
export function shellWord(word: string): string {
  return /^[\w./,:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns a command line of these words. `***` stands for passwords in addresses. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => shellWord(withoutPassword(word))).join(' ');
}

/** Returns a word with `***` for the passwords of addresses. */
export function withoutPassword(word: string): string {
  return word
    .replace(/(:\/\/[^/@:]*:)[^/]*@/, (_, before: string) => `${before}***@`)
    .replaceAll(/(?<=[?&](?:ssl)?password=)[^&]*/gi, '***');
}
