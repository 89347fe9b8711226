// The walk: reads a list whose pages may be wrong until the place of every row is decided, and yields frozen windows.
import { Fault } from '../faults.ts';
import type { FrozenWindow } from './log/window.ts';
import { DEFAULT_CONCURRENCY, type WalkOptions, type WalkOutcome } from './options.ts';
import { ReadsInFlight } from './reads-in-flight.ts';
import type { Identified, Source } from './source.ts';
import { SpentFault, WalkState } from './walk-state.ts';

/**
 * Yields frozen windows in the order of the list: each row once, and no row whose place is not decided. Log a window
 * before you use its rows. The algorithm is described in README.md (interface 4.7).
 *
 * Never throws a Fault. Transport faults, interruption, `conflict` (409 for misordered ends), `not_found` (404 for an
 * end), `unstable` and `protocol` are returned in the outcome. Throws any other error as it is.
 */
export async function* walk<Row extends Identified>(
  source: Source<Row>,
  options: WalkOptions<Row>,
): AsyncGenerator<FrozenWindow<Row>, WalkOutcome> {
  const state = new WalkState(source, options);
  const inFlight = new ReadsInFlight(source, options.signal);
  const concurrency = options.concurrency ?? DEFAULT_CONCURRENCY;
  try {
    for (;;) {
      options.signal.throwIfAborted();
      for (;;) {
        const isLastChance = state.isSpent && inFlight.reads.length === 0;
        const window = state.freezeNext(isLastChance, inFlight.reads);
        if (window === undefined) break;
        yield window;
      }
      if (await state.isComplete()) return { report: state.report() };
      while (inFlight.reads.length < concurrency) {
        const planned = state.nextRead(inFlight.reads);
        if (planned === undefined) break;
        inFlight.start(planned);
      }
      state.checkProgress(inFlight.reads.length === 0);
      const finished = await inFlight.nextFinished();
      if ('error' in finished) state.takeRefusal(finished.planned, finished.error);
      else if ('page' in finished) state.takePage(finished.planned, finished.page);
      else state.takeCrossCheck(finished.planned, finished.ids);
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    for (;;) {
      const window = state.freezeNext(true);
      if (window === undefined) break;
      yield window;
    }
    const spent = error instanceof SpentFault ? { isSpent: true } : {};
    return { report: state.report(error), fault: error, unplaced: state.unplaced(), ...spent };
  } finally {
    inFlight.stop();
  }
}
