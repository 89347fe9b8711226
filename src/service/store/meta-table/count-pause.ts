// How long a count of many rows is kept, so that counting takes at most about 1 % of the time.

/** Rows that are counted per millisecond of pause. */
const ROWS_PER_PAUSE_MS = 100;

/** Returns whether so many rows, counted at `countedMs`, need not be counted again at `nowMs`, though some may have changed. */
export function isCountKept(rows: number, countedMs: number, nowMs: number): boolean {
  return Math.abs(nowMs - countedMs) < Math.floor(rows / ROWS_PER_PAUSE_MS);
}
