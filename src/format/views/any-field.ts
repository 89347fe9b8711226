// Reads and shows fields that the contract does not know.
import { ExactNumber, exactJsonText } from '../../contract/exact-json.ts';
import type { Cell } from './view.ts';

/** Returns an own field of a record, undefined where there is none. */
export function ownField(row: object, name: string): unknown {
  return Object.hasOwn(row, name) ? (row as Record<string, unknown>)[name] : undefined;
}

/** Returns whether a value is text, a number, true or false. */
export function isPlain(value: unknown): value is string | number | boolean | ExactNumber {
  return ['string', 'number', 'boolean'].includes(typeof value) || value instanceof ExactNumber;
}

/** Returns a value as a cell: plain values as they are, the name of an object that has one, else compact JSON. */
export function cellOfField(value: unknown): Cell {
  if (value === null || value === undefined) return value;
  if (isPlain(value)) return value instanceof ExactNumber ? value.text : value;
  if (Array.isArray(value)) return value.every(isPlain) ? value.join(', ') : exactJsonText(value);
  const name = ['name', 'email', 'address', 'id']
    .map((each) => ownField(value, each))
    .find((each) => isPlain(each));
  return name === undefined ? exactJsonText(value) : cellOfField(name);
}
