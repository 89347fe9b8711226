// Lines for people on stderr: notices, diagnostics of `-v`, and the progress line that they must not tear.
import { createProgress, type Progress } from '../format/terminal/progress.ts';
import { terminalCapabilities } from '../format/terminal/capabilities.ts';
import { escapeText } from '../format/terminal/escape.ts';
import type { World } from '../world.ts';
import type { GlobalFlags } from './global-flags.ts';

/** Writes to stderr. */
export type Diagnostics = {
  /** Writes one line for people, unless `--quiet`. */
  notice(text: string): void;
  /** Writes one diagnostic line with `-v`. */
  log(text: string): void;
  /** Returns the progress line. `besideRows`: rows are printed meanwhile, so on one terminal there is none. */
  progress(options?: { besideRows: boolean }): Progress;
  /** Lines are written when the promise of `pause` resolves: a pager has the screen meanwhile. */
  waitFor(pause: () => Promise<void>): void;
  /** Resolves when all lines are written. */
  drained(): Promise<unknown>;
};

/** Returns the writer of notices, diagnostics and progress. */
export function createDiagnostics(world: World, flags: GlobalFlags): Diagnostics {
  // Lines are written in order; the end of the run waits for the last one.
  let written: Promise<unknown> = Promise.resolve();
  let progress: Progress | undefined;
  let paused = async (): Promise<void> => {};
  const say = (text: string): void => {
    written = written
      .then(() => paused())
      .then(() => world.stderr.write(`${progress?.wiped() ?? ''}arx: ${escapeText(text)}\n`))
      .catch(() => {});
  };
  return {
    notice: (text) => {
      if (!flags.quiet) say(text);
    },
    log: (text) => {
      if (flags.verbose > 0) say(text);
    },
    progress: ({ besideRows } = { besideRows: false }) => {
      const { animation, unicode, columns } = terminalCapabilities(world.stderr, world.env);
      progress = createProgress(world.stderr, world.monotonic, {
        enabled: animation && !flags.quiet && !(besideRows && world.stdout.isTTY),
        unicode,
        columns,
      });
      return progress;
    },
    waitFor: (pause) => (paused = pause),
    drained: () => written,
  };
}
