// Which rows of a list say that something is withheld from the reader.
import { foldedName } from './field-names.ts';
import { flagOf } from './flag.ts';

/** Fields that say it, in one spelling (see foldedName): by a flag, by when it was done, or by a word. */
const MEANINGS = new Map<string, (value: unknown) => boolean>([
  ...['redacted', 'isredacted', 'withheld', 'iswithheld'].map((name) => [name, isSet] as const),
  ...['redactedat', 'withheldat'].map((name) => [name, isGiven] as const),
  ...['status', 'state'].map((name) => [name, isWord] as const),
]);

/** Spellings that are remembered: each row of a list is asked, and a hostile service may send a new name in every row. */
const MAX_SPELLINGS = 1000;
const spellings = new Map<string, ((value: unknown) => boolean) | undefined>();

/** Returns whether a row says in any spelling that it is withheld from the reader. A flag that cannot be read counts as true. */
export function isWithheld(row: object): boolean {
  for (const name in row) {
    let says = spellings.get(name);
    if (says === undefined && !spellings.has(name)) {
      says = MEANINGS.get(foldedName(name));
      if (spellings.size < MAX_SPELLINGS) spellings.set(name, says);
    }
    if (says?.((row as Record<string, unknown>)[name]) === true) return true;
  }
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
