// Cuts what a user typed, for messages about it.

const MAX_CHARACTERS = 60;

/** Returns the first characters of a long text, with `…`; a short one as it is. */
export function cutText(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  // Without half of a surrogate pair at the end.
  return `${text.slice(0, MAX_CHARACTERS).replace(/[\ud800-\udbff]$/, '')}…`;
}
