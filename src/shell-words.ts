// Command lines as text that a POSIX shell reads back as the same words, whatever a service put into an id.

/** Returns a word as a shell reads it, in single quotes where it needs them (zsh reads =ls as the path of ls). */
export function shellWord(word: string): string {
  return /^(?!=)[\w./,:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns an id as the last argument of a command in a text, also one that looks like an option. */
export function idArgument(id: string): string {
  return id.startsWith('-') ? `-- ${shellWord(id)}` : shellWord(id);
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
