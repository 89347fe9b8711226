// Reads true and false as services write them.

const TRUE: ReadonlySet<unknown> = new Set([true, 1, '1', 'true', 'yes', 'y']);
const FALSE: ReadonlySet<unknown> = new Set([false, 0, '0', 'false', 'no', 'n']);
const MAX_LENGTH = 5;

/** Returns a flag that may be written as text in any case, or as 0 and 1; undefined for anything else. */
export function flagOf(value: unknown): boolean | undefined {
  const said = typeof value === 'string' && value.length <= MAX_LENGTH ? value.toLowerCase() : value;
  if (TRUE.has(said)) return true;
  return FALSE.has(said) ? false : undefined;
}
