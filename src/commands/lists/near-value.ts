// Finds the value of a list that another one was meant to be.
import { nearest } from '../../contract/nearest.ts';

/** Returns a value in lower case: so the spellings of a type or a source are equal. */
export function lowerCase(value: string): string {
  return value.toLowerCase();
}

/** Returns the value whose spelling is nearest, after `fold` made spellings of one value equal. */
export function nearValue(
  asked: string,
  values: readonly string[],
  fold: (value: string) => string,
): string | undefined {
  const meant = nearest(fold(asked), values.map(fold));
  return values.find((value) => fold(value) === meant);
}

/** Returns the type that a word without a slash stands for: `pdf`, or `image` for all pictures. */
export function typeOfWord(asked: string, types: readonly string[]): string | undefined {
  const word = lowerCase(asked.replace(/^\./, ''));
  if (word.includes('/')) return undefined;
  if (types.some((type) => type.startsWith(`${word}/`))) return `${word}/*`;
  return types.find((type) => type.endsWith(`/${word}`));
}
