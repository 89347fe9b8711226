// Cuts what a user typed, for messages about it.

const MAX_CHARACTERS = 60;

/** Returns the first characters of a long text, with `…`; a short one as it is. */
export function cutText(text: string, maxCharacters = MAX_CHARACTERS): string {
  if (text.length <= maxCharacters) return text;
  // Without half of a surrogate pair at the end.
  return `${text.slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, '')}…`;
}
