// Finds the field that a name which no record has was meant to be.
import { nearest } from '../contract/nearest.ts';
import { FIELDS_OF_HEADING } from './heading-fields.ts';

/** Returns the field of these that a column of this heading shows; else the nearest one, else one whose name has it as a word. */
export function suggestField(typed: string, names: readonly string[]): string | undefined {
  return (
    FIELDS_OF_HEADING.get(typed.toLowerCase())?.find((name) => names.includes(name)) ??
    nearest(typed, names) ??
    names.find((name) => name.split(/[._]/).includes(typed)) ??
    names.find((name) => nearest(typed, name.split(/[._]/)) !== undefined)
  );
}
