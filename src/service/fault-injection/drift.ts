// Injected drift: list reads that lie as interface 4.7 rule 3 describes, the same way for the same seed and requests.
import { empty, loop, oversize } from './invalid-pages.ts';
import { oneOf } from './seeded-random.ts';
import {
  boundary,
  dup,
  later,
  missing,
  permute,
  scramble,
  shift,
  stale,
  type Distortion,
  type DriftPage,
  type DriftRow,
  type DriftWindow,
  type TrueList,
} from './page-faults.ts';
import { createCounter, type Counter } from '../rules/counter.ts';
import { draw, type DriftMode } from './fault-sampling.ts';

const USUAL = { shift, boundary, later, permute, missing, dup, stale } satisfies Record<string, Distortion>;
/** Drawn only where they are named: harsher than drift (scramble), or against the rules of any list. */
const NAMED = { scramble, empty, loop, oversize } satisfies Record<string, Distortion>;
const FAULTS = { ...USUAL, ...NAMED };
export type DriftFault = keyof typeof FAULTS;
export const DRIFT_FAULTS = Object.keys(USUAL) as DriftFault[];
export const NAMED_FAULTS = Object.keys(NAMED) as DriftFault[];

/** A ratio from 0 to 1 that moves from one value to another over the first {@link RISE} list reads. */
export type Ratio = { from: number; to: number };

/** The ratio is the share of faulty reads; `faults` are the kinds drawn from, each equally often. */
export type DriftOptions = Ratio & {
  seed: number;
  faults: readonly DriftFault[];
  /** `each` where absent. */
  mode?: DriftMode;
  /** What the service says of its drift; the truth where absent. */
  reported?: Ratio;
};

/** One list read: the name of the list, what tells this request from others, and its window. */
export type DriftRead = { list: string; key: string; window: DriftWindow };

/** What became of a read: the kind of fault, null where the page is true, and the snapshot a stale one came from. */
export type ReadEntry = {
  type: 'read';
  read: number;
  list: string;
  window: DriftWindow;
  fault: DriftFault | null;
  state: string | null;
};

export type Drift = {
  /** Ratio of the list read with this index (from 0). */
  ratio(index: number): number;
  /** What responses report: the ratio of the newest list read known here, or of the first one before any. */
  reported(): number;
  /** Learns of the reads that other processes counted. */
  learn(): Promise<void>;
  /**
   * One list read. The true list is asked first, so its refusals (404, 409) never lie. A faulty page keeps these
   * rules unless a fault was named that breaks them: never more rows than `limit`, no row that the list does not have,
   * never empty while it says `has_more`.
   */
  distort<Row extends DriftRow>(asked: DriftRead, list: TrueList<Row>): Promise<DriftPage<Row>>;
};

/** Reads over which a ratio moves. */
export const RISE = 100;

/** `now` gives milliseconds; `log` is awaited before the page is given; `reads` counts the list reads. */
export function createDrift(
  { from, to, seed, faults, mode = 'each', reported = { from, to } }: DriftOptions,
  now: () => number,
  log?: (entry: ReadEntry) => Promise<void>,
  reads: Counter = createCounter(),
): Drift {
  let known = 0;
  const ratio = (index: number) => ratioAt({ from, to }, index);
  return {
    ratio,
    reported: () => ratioAt(reported, Math.max(known - 1, 0)),
    async learn() {
      known = Math.max(known, await reads.now());
    },
    async distort(asked, list) {
      // Counted before anything else: the order of the requests decides, not the speed of their reads.
      const read = await reads.next();
      known = Math.max(known, read);
      const index = read - 1;
      const { window } = asked;
      const lot = draw(mode, seed, { index, key: asked.key, now: now() }, ratio(index));
      const truth = await list.read(window);
      const possible = faults.filter((fault) => fault !== 'later' || window.ending_before !== undefined);
      const fault = lot.lying ? oneOf(lot.random, possible) : undefined;
      const page = fault === undefined ? truth : await FAULTS[fault]({ list, window, truth, ...lot });
      const allowed = page.rows.length > 0 || !page.has_more || fault === 'empty';
      const given = allowed ? page : truth;
      const lied = fault !== undefined && !isSame(given, truth) ? fault : null;
      const state = lied === 'stale' ? lot.state : null;
      await log?.({ type: 'read', read, list: asked.list, window, fault: lied, state });
      return given;
    },
  };
}

function ratioAt({ from, to }: Ratio, index: number): number {
  const exact = from + (to - from) * Math.min(index / (RISE - 1), 1);
  return Math.round(exact * 10_000) / 10_000;
}

function isSame<Row extends DriftRow>(a: DriftPage<Row>, b: DriftPage<Row>): boolean {
  return (
    a.has_more === b.has_more &&
    a.rows.length === b.rows.length &&
    a.rows.every(({ id }, at) => id === b.rows[at]!.id)
  );
}
