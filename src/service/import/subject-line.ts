// The subject of a chat message that has none: its first line.

/** As many characters as one line of a list shows. */
const MAX_SUBJECT_CHARACTERS = 80;
/** Characters of the text that are looked at. */
const MAX_EXAMINED_CHARACTERS = 4000;

/** Returns the first line of a text that is not empty, at most 80 characters; null without one. */
export function subjectLine(text: string | null): string | null {
  const line = (text ?? '')
    .slice(0, MAX_EXAMINED_CHARACTERS)
    .split('\n')
    .find((candidate) => candidate.trim() !== '');
  const characters = Array.from(line?.trim() ?? '');
  if (characters.length === 0) return null;
  if (characters.length <= MAX_SUBJECT_CHARACTERS) return characters.join('');
  return `${characters
    .slice(0, MAX_SUBJECT_CHARACTERS - 1)
    .join('')
    .trimEnd()}…`;
}
