// The walk: reads a list whose pages may lie until every row's place is settled, window after frozen window.
import { Fault } from '../faults.ts';
import type { WalkReport } from '../contract/reports/walk.ts';
import { Course } from './walk-state.ts';
import { Flights } from './reads-in-flight.ts';
import type { Surface } from './evidence/read.ts';
import type { Identified, PageQuery, Source } from './source.ts';
import type { CrossCheckMode } from './plan/cross-check.ts';
import type { FrozenWindow } from './log/window.ts';

/** One read of the list or of the witness, for the diagnostic log (interface 4.7, rule 3). `trouble` says what was wrong. */
export type ReadNote = {
  number: number;
  surface: Surface;
  query: PageQuery;
  rows: number;
  drift_ratio?: number;
  trouble?: string;
};

/** What an earlier run froze: number of windows, head of the chain, ids in order and the last row (frozen-log.ts). */
export type FrozenState<Row> = { windows: number; head: string; ids: readonly string[]; last?: Row };

export type WalkOptions<Row> = {
  /** Rows asked for in one read, 1 to 500; below 8 the walk asks for 8, or nothing but cursors would vouch for a gap. */
  limit: number;
  /** Exclusive ends of the walk, ids of the list; absent: the list's own. */
  after?: string;
  before?: string;
  crossCheck: CrossCheckMode;
  /** What the rows are, in the plural, for what is said about them; absent: conversations. */
  noun?: string;
  /** Reads and cross-checks allowed in this run; absent: as many as settle. */
  maxRequests?: number;
  /** Continues after what an earlier run froze. */
  frozen?: FrozenState<Row>;
  /** Reads under way at once, 1 to 16; absent: 6. */
  concurrency?: number;
  /** ε: the chance of any wrong gap that the evidence must get below; absent: 0.001. */
  epsilon?: number;
  signal: AbortSignal;
  log?: (note: ReadNote) => void;
};

/**
 * The report is there in every case; `fault` says why the walk is incomplete, with what was kept, and `unplaced` names
 * the rows it saw and could not place: a resumed walk would not see again what lies behind its frontier (doubts.ts).
 */
export type WalkOutcome = { report: WalkReport; fault?: Fault; unplaced?: string[] };

/** Reads under way at once unless asked for fewer: one at the frontier, the others behind it. */
const USUAL_CONCURRENCY = 6;

/**
 * Reads forward with one read always under way, has the reads behind it confirmed by others of other cursors, directions
 * and sizes, and freezes the longest prefix whose order is settled (settle.ts). Yields frozen windows in order, each row
 * once, nothing unsettled; log a window before using it. Never throws a Fault: 409 for misordered ends (`conflict`),
 * transport faults and interruption come back in the outcome like `unstable` and `protocol` do. Interface 4.7, rules 1
 * to 3.
 */
export async function* walk<Row extends Identified>(
  source: Source<Row>,
  options: WalkOptions<Row>,
): AsyncGenerator<FrozenWindow<Row>, WalkOutcome> {
  const course = new Course(source, options);
  const flights = new Flights(source, options.signal);
  const concurrency = options.concurrency ?? USUAL_CONCURRENCY;
  try {
    for (;;) {
      options.signal.throwIfAborted();
      for (;;) {
        const window = course.settle(course.isSpent && flights.planned.length === 0, flights.planned);
        if (window === undefined) break;
        yield window;
      }
      if (await course.isOver()) return { report: course.report() };
      while (flights.planned.length < concurrency) {
        const planned = course.next(flights.planned);
        if (planned === undefined) break;
        flights.start(planned);
      }
      course.checkProgress(flights.planned.length === 0);
      const landing = await flights.land();
      if ('error' in landing) course.refuse(landing.planned, landing.error);
      else if ('page' in landing) course.take(landing.planned, landing.page);
      else course.hear(landing.planned, landing.ids);
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    for (;;) {
      const window = course.settle(true);
      if (window === undefined) break;
      yield window;
    }
    return { report: course.report(error), fault: course.withKept(error), unplaced: course.unplaced() };
  } finally {
    flights.stop();
  }
}
