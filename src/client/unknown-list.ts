// The parser of a list outside the interface: rows stay as they are received.
import { createListParser, type ListParser } from './list-parser.ts';
import { idNames } from './shapes/find-id.ts';
import { valueAtPath, type JsonRecord } from './shapes/json-path.ts';

/** `row` is as received. `sequence` is its position, where that is an integer of at most 2^53. */
export type UnknownRow = { id: string; sequence?: number; row: JsonRecord };

/** Dot paths that the user gives; those that are absent are found out. Without `position` rows have no numbers. */
export type GivenPaths = {
  /** What is listed, as its address says: `orders`. */
  name?: string | undefined;
  rows?: string | undefined;
  id?: string | undefined;
  position?: string | undefined;
  log?: (line: string) => void;
};

const HINTS = {
  rows: '--data-field names the field that holds the rows',
  id: '--id-field names the field that cursors are',
};

/** Returns the parser of any list. */
export function createUnknownListParser({
  name,
  rows,
  id,
  position,
  log,
}: GivenPaths): ListParser<UnknownRow> {
  return createListParser<UnknownRow>({
    list: name ?? 'rows',
    names: name === undefined ? [] : [name],
    ids: idNames((name ?? 'rows').replace(/ies$/, 'y').replace(/s$/, '')),
    given: { rows, id },
    hints: HINTS,
    log,
    reader: {
      read(row, key) {
        const sequence = position === undefined ? undefined : valueAtPath(row, position);
        const place = Number.isSafeInteger(sequence) ? { sequence: sequence as number } : {};
        return { row: { id: key ?? '', row, ...place }, isRepaired: true };
      },
    },
  });
}
