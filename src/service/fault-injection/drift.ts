// Injected drift: faulty list reads (interface 4.7), reproducible by seed and requests.
import type { DriftMode } from '../../contract/injected-faults.ts';
import type { ListPage, ListRow, ListWindow } from '../handlers/list-source.ts';
import { createCounter, type Counter } from '../rules/counter.ts';
import { sampleRead } from './fault-sampling.ts';
import { empty, loop, oversize } from './invalid-pages.ts';
import {
  boundary,
  dup,
  later,
  missing,
  permute,
  phantom,
  renumber,
  scramble,
  shift,
  stale,
  type PageFault,
  type TrueList,
} from './page-faults.ts';
import { randomElement } from './seeded-random.ts';

const DEFAULT_FAULTS = { shift, boundary, later, permute, missing, dup, stale } satisfies Record<
  string,
  PageFault
>;
/** Injected only where they are named: harsher than the default ones, or against the rules of any list. */
const EXPLICIT_FAULTS = { phantom, renumber, scramble, empty, loop, oversize } satisfies Record<
  string,
  PageFault
>;
const FAULTS = { ...DEFAULT_FAULTS, ...EXPLICIT_FAULTS };

/** The name of a fault of list reads, as `--drift` takes it. */
export type DriftFault = keyof typeof FAULTS;
/** The faults that are drawn from where none is named. */
export const DRIFT_FAULTS = Object.keys(DEFAULT_FAULTS) as DriftFault[];
/** The faults that are injected only where they are named. */
export const EXPLICIT_DRIFT_FAULTS = Object.keys(EXPLICIT_FAULTS) as DriftFault[];
/** The faults that show an earlier snapshot, which several reads can share. */
export const SNAPSHOT_FAULTS = ['stale', 'phantom', 'renumber'] as const satisfies DriftFault[];

/** A ratio from 0 to 1 that changes linearly from one value to another over the first {@link RAMP_READS} list reads. */
export type Ratio = { from: number; to: number };

/** `from` and `to` are the share of faulty reads; `faults` are the kinds to draw from, each with equal probability. */
export type DriftOptions = Ratio & {
  seed: number;
  faults: readonly DriftFault[];
  /** Default: `each`. */
  mode?: DriftMode;
  /** The ratio that responses report. Default: the true one. */
  reported?: Ratio;
};

/** One list read: the name of the list, a text that identifies the request, and its window. */
export type ListRead = { list: string; key: string; window: ListWindow };

/** One read in the drift log: the fault (null where the page is true), and the snapshot of a fault in {@link SNAPSHOT_FAULTS}. */
export type ReadEntry = {
  type: 'read';
  read: number;
  list: string;
  window: ListWindow;
  fault: DriftFault | null;
  state: string | null;
};

/** Injected drift: decides which list reads are faulty, and makes their pages. */
export type Drift = {
  /** Returns the ratio of the list read with this index (from 0). */
  ratio(index: number): number;
  /** Returns the ratio that responses report: that of the newest list read known here, or of the first before any. */
  reportedRatio(): number;
  /** Takes over the number of reads that other processes counted. */
  refresh(): Promise<void>;
  /**
   * Returns the page of one list read. The true list is read first, so that its errors (404, 409) are always true. Unless a
   * fault that breaks a rule was named, a faulty page has no more rows than `limit`, only rows that the list has (with
   * `phantom`: or had), and is never empty while it says `has_more`.
   */
  readPage<Row extends ListRow>(read: ListRead, list: TrueList<Row>): Promise<ListPage<Row>>;
};

/** Reads over which a ratio changes. */
export const RAMP_READS = 100;

/** Returns the drift of these options. `now` gives milliseconds; `log` is awaited before a page is returned. */
export function createDrift(
  { from, to, seed, faults, mode = 'each', reported = { from, to } }: DriftOptions,
  now: () => number,
  log?: (entry: ReadEntry) => Promise<void>,
  reads: Counter = createCounter(),
): Drift {
  let knownReads = 0;
  const ratio = (index: number) => ratioAt({ from, to }, index);
  return {
    ratio,
    reportedRatio: () => ratioAt(reported, Math.max(knownReads - 1, 0)),
    async refresh() {
      knownReads = Math.max(knownReads, await reads.current());
    },
    async readPage({ list: name, key, window }, list) {
      // Counted before anything else: the order of the requests decides, not the speed of their reads.
      const read = await reads.next();
      knownReads = Math.max(knownReads, read);
      const index = read - 1;
      const sample = sampleRead(mode, seed, { index, key, now: now() }, ratio(index));
      const truth = await list.read(window);
      const possible = faults.filter((fault) => fault !== 'later' || window.ending_before !== undefined);
      const drawn = sample.isFaulty ? randomElement(sample.random, possible) : undefined;
      const page = drawn === undefined ? truth : await FAULTS[drawn]({ list, window, truth, ...sample });
      const isAllowed = page.rows.length > 0 || !page.has_more || drawn === 'empty';
      const returned = isAllowed ? page : truth;
      const fault = drawn !== undefined && !isSamePage(returned, truth) ? drawn : null;
      const state = SNAPSHOT_FAULTS.some((name) => name === fault) ? sample.state : null;
      await log?.({ type: 'read', read, list: name, window, fault, state });
      return returned;
    },
  };
}

function ratioAt({ from, to }: Ratio, index: number): number {
  const exact = from + (to - from) * Math.min(index / (RAMP_READS - 1), 1);
  return Math.round(exact * 10_000) / 10_000;
}

function isSamePage<Row extends ListRow>(a: ListPage<Row>, b: ListPage<Row>): boolean {
  return (
    a.has_more === b.has_more &&
    a.rows.length === b.rows.length &&
    a.rows.every(({ id, sequence }, at) => id === b.rows[at]!.id && sequence === b.rows[at]!.sequence)
  );
}
