// A frozen window and its line of the log: what was settled, what it cost, and the hash that chains it to all before.
import { canonical, sha256 } from '../../contract/canonical-json.ts';
import type { Identified } from '../source.ts';

/** Hash of the line before the first one. */
export const CHAIN_START = '0'.repeat(64);

/**
 * One line of the log. `after` is the row before the window (null: the start of the list); `rows_bytes` and
 * `rows_sha256` are of the window's rows, each as canonical JSON with a newline.
 */
export type WindowLine = {
  window: number;
  after: string | null;
  ids: string[];
  rows_bytes: number;
  rows_sha256: string;
  reads: number;
  disagreements: number;
  drift_ratio: number | null;
  previous: string;
};

/** `line` is the canonical JSON of the line, `head` its hash, `rowsText` the rows it commits to as ndjson. */
export type FrozenWindow<Row> = {
  number: number;
  rows: Row[];
  line: string;
  head: string;
  rowsText: string;
};

export type WindowCost = Pick<WindowLine, 'reads' | 'disagreements' | 'drift_ratio'>;

/** Freezes rows as window `number` after the chain's head `previous`. */
export function freeze<Row extends Identified>(
  number: number,
  after: string | null,
  rows: Row[],
  cost: WindowCost,
  previous: string,
): FrozenWindow<Row> {
  const rowsText = rows.map((row) => `${canonical(row)}\n`).join('');
  const line: WindowLine = {
    window: number,
    after,
    ids: rows.map((row) => row.id),
    rows_bytes: Buffer.byteLength(rowsText),
    rows_sha256: sha256(rowsText),
    ...cost,
    previous,
  };
  const text = canonical(line);
  return { number, rows, line: text, head: sha256(text), rowsText };
}
