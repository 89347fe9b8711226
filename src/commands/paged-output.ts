// Prints long texts in a pager, as gh and git do: only on a terminal, and only if the user has one.
import type { App } from '../app.ts';
import type { Line } from '../format/terminal/styled-line.ts';
import type { Pager } from '../world.ts';

/** How less and lv behave unless the user set it: leave short texts on the screen, and show colours. */
const PAGER_ENV = { LESS: 'FRX', LV: '-c' };

type PagerApp = Pick<App, 'world' | 'settings' | 'printer' | 'notice' | 'isInteractive'>;

/** Prints lines while they arrive. A pager that is closed early ends the output without a Fault. */
export async function printPaged(lines: AsyncIterable<Line>, app: PagerApp): Promise<void> {
  const pager = await openPager(app);
  if (pager === undefined) return app.printer.lines(lines);
  try {
    await app.printer.lines(lines, pager);
  } catch (error) {
    if (!pager.isClosed()) throw error;
  } finally {
    await pager.end();
  }
}

async function openPager({ world, settings, notice, isInteractive }: PagerApp): Promise<Pager | undefined> {
  const { env } = world;
  if (!world.stdout.isTTY || !isInteractive || env['TERM'] === 'dumb') return undefined;
  // An empty setting counts as none; an empty variable means no pager.
  const own = env['ARX_PAGER'] === '' ? '' : settings.pager.value;
  const [program, ...args] = wordsOf(own ?? env['PAGER'] ?? 'less');
  if (program === undefined || program === 'cat') return undefined;
  try {
    return await world.startPager(program, args, PAGER_ENV);
  } catch {
    if (own !== undefined || env['PAGER'] !== undefined) notice(`the pager ${program} cannot be started`);
    return undefined;
  }
}

/** Returns the words of a command line. Quotation marks hold words together; no shell runs it. */
function wordsOf(line: string): string[] {
  return Array.from(line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g), ([, a, b, c]) => a ?? b ?? c ?? '');
}
