// Which rows of a list say that something is withheld from the reader.
import { spellingLookup } from './field-names.ts';
import { flagOf } from './flag.ts';

/** Fields that say it, in one spelling (see foldedName): by a flag, by when it was done, or by a word. */
const meaningOf = spellingLookup(
  new Map<string, (value: unknown) => boolean>([
    ...['redacted', 'isredacted', 'withheld', 'iswithheld'].map((name) => [name, isSet] as const),
    ...['redactedat', 'withheldat'].map((name) => [name, isGiven] as const),
    ...['status', 'state'].map((name) => [name, isWord] as const),
  ]),
);

/** Returns whether a row says in any spelling that it is withheld from the reader. A flag that cannot be read counts as true. */
export function isWithheld(row: object): boolean {
  for (const name in row) if (meaningOf(name)?.((row as Record<string, unknown>)[name]) === true) return true;
  return false;
}

function isSet(value: unknown): boolean {
  return flagOf(value) ?? isGiven(value);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function isWord(value: unknown): boolean {
  return typeof value === 'string' && /^(withheld|redacted)$/i.test(value);
}
