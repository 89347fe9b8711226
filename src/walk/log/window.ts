// A frozen window and its line in the log: the rows, what they cost, and the hash that chains the line to the one before.
import { canonicalJson, sha256 } from '../../contract/canonical-json.ts';
import type { FrozenWindowLine } from '../../contract/frozen-log.ts';
import type { Identified } from '../source.ts';

/** `previous` of the first line of a log: 64 zeros. */
export const FIRST_PREVIOUS = '0'.repeat(64);

/** Rows that are frozen together, with their line of the log. */
export type FrozenWindow<Row> = {
  number: number;
  rows: Row[];
  /** Canonical JSON of its {@link FrozenWindowLine}, without a newline. */
  line: string;
  /** SHA-256 of `line`. */
  head: string;
  /** The rows as canonical JSON, one a line. */
  rowsText: string;
};

/** What earlier runs froze: number of windows, hash of the last line, all ids in order, and the last row. */
export type FrozenState<Row> = { windows: number; head: string; ids: readonly string[]; last?: Row };

/** What the rows of a window cost. */
export type WindowCost = Pick<FrozenWindowLine, 'reads' | 'disagreements' | 'drift_ratio'>;

/** Returns the rows as window `number`. `after`: the row before them; `previous`: the hash of the line before. */
export function freezeWindow<Row extends Identified>(
  number: number,
  after: string | null,
  rows: Row[],
  cost: WindowCost,
  previous: string,
): FrozenWindow<Row> {
  const rowsText = rows.map((row) => `${canonicalJson(row)}\n`).join('');
  const line: FrozenWindowLine = {
    window: number,
    after,
    ids: rows.map((row) => row.id),
    rows_bytes: Buffer.byteLength(rowsText),
    rows_sha256: sha256(rowsText),
    ...cost,
    previous,
  };
  const text = canonicalJson(line);
  return { number, rows, line: text, head: sha256(text), rowsText };
}
