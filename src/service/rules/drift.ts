// Injected drift: list reads that lie as interface 4.7 rule 3 describes, the same way for the same seed and requests.
import {
  boundary,
  dup,
  later,
  missing,
  permute,
  randomFrom,
  shift,
  stale,
  type Distortion,
  type DriftPage,
  type DriftReader,
  type DriftWindow,
} from './distortion.ts';

const FAULTS = { shift, boundary, later, permute, missing, dup, stale } satisfies Record<string, Distortion>;
export type DriftFault = keyof typeof FAULTS;
export const DRIFT_FAULTS = Object.keys(FAULTS) as DriftFault[];

/** `from` and `to` are shares of faulty reads, 0 to 1; `faults` are the kinds drawn from, each equally often. */
export type DriftOptions = { from: number; to: number; seed: number; faults: readonly DriftFault[] };

export type Drift = {
  /** Ratio of the list read with this index (from 0): linear from `from` to `to` over {@link RISE} reads, then constant. */
  ratio(index: number): number;
  /** What responses report now: the ratio of the newest list read, or of the first one before any. */
  reported(): number;
  /**
   * One list read. The true reader is asked first, so its refusals (404, 409) never lie. A faulty page keeps these
   * rules: never more rows than `limit`, no row that the list does not have, never empty while it says `has_more`.
   */
  distort<Row extends { id: string }>(read: DriftReader<Row>, window: DriftWindow): Promise<DriftPage<Row>>;
};

/** Reads over which the ratio rises. */
export const RISE = 100;
/** Reads in a row that share one stale state. */
const STALE_READS = 16;

/**
 * `ratio` is one number (constant) or `from:to`, `seed` an integer 0 to 4294967295, `faults` names joined by commas
 * (all where absent). Throws an Error whose text names the part that is wrong.
 */
export function parseDrift(ratio: string, seed = 0, faults?: string): DriftOptions {
  const parts = ratio.split(':');
  if (parts.length > 2 || !parts.every((part) => /^(0|1|[01]?\.\d{1,6})$/.test(part) && Number(part) <= 1)) {
    throw new Error(`drift must be a ratio from 0 to 1 or two of them like 0.13:0.21, not "${ratio}"`);
  }
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff) {
    throw new Error(`drift seed must be an integer from 0 to 4294967295, not ${seed}`);
  }
  const names = faults === undefined ? DRIFT_FAULTS : faults.split(',').map((name) => name.trim());
  const kinds = DRIFT_FAULTS.filter((fault) => names.includes(fault));
  const unknown = names.find((name) => !DRIFT_FAULTS.some((fault) => fault === name));
  if (unknown !== undefined)
    throw new Error(`drift fault "${unknown}" is none of ${DRIFT_FAULTS.join(', ')}`);
  const [from = 0, to = from] = parts.map(Number);
  return { from, to, seed, faults: kinds };
}

export function createDrift({ from, to, seed, faults }: DriftOptions): Drift {
  let reads = 0;
  const ratio = (index: number) => {
    const exact = from + (to - from) * Math.min(index / (RISE - 1), 1);
    return Math.round(exact * 10_000) / 10_000;
  };
  return {
    ratio,
    reported: () => ratio(Math.max(reads - 1, 0)),
    async distort(read, window) {
      // Counted before the first await: the order of the requests decides, not the speed of their reads.
      const index = reads++;
      const truth = await read(window);
      const random = randomFrom(seed, index);
      if (random() >= ratio(index) || truth.rows.length === 0) return truth;
      const possible = faults.filter((fault) => fault !== 'later' || window.ending_before !== undefined);
      const fault = possible[Math.floor(random() * possible.length)];
      if (fault === undefined) return truth;
      const state = randomFrom(seed, Math.floor(index / STALE_READS), 1)() * 2 ** 32;
      const page = await FAULTS[fault]({ read, window, truth, random, state });
      return page.rows.length === 0 && page.has_more ? truth : page;
    },
  };
}
