// Shows what is longer than the screen in a pager, as gh and git do: only on a terminal, and only if the user has one.
import { lazy } from '../lazy.ts';
import type { Settings } from '../config/settings.ts';
import { withoutLinks } from '../format/terminal/address.ts';
import { textWidth } from '../format/terminal/escape.ts';
import type { Pager, Sink, World } from '../world.ts';

/** How less and lv behave unless the user set it: leave short texts on the screen, and show colours. */
const PAGER_ENV = { LESS: 'FRX', LV: '-c' };
const DEFAULT_ROWS = 24;

/** The pager of a run. */
export type Paging = {
  /**
   * Calls `write` with a stream for one output. Text is held until it is longer than the screen: then the pager gets it and what
   * follows, else the terminal. Resolves when the user closed the pager, without a Fault. Without a pager it is stdout.
   */
  show(write: (sink: Sink) => Promise<void>): Promise<void>;
  /** Whether the user closed a pager before it had all of the text. */
  isClosedEarly(): boolean;
};

type PagingOptions = {
  world: Pick<World, 'env' | 'startPager'>;
  settings: Pick<Settings, 'pager'>;
  /** False with `--no-input`. */
  isInteractive: boolean;
  /** stdout for what is not shown in the pager. */
  stdout: Sink;
  notice(text: string): void;
  /** Keeps other text off the screen while a pager has it, until the promise resolves. */
  pause(until: Promise<void>): Promise<void>;
};

/** Returns the pager of a run. */
export function createPaging({
  world,
  settings,
  isInteractive,
  stdout,
  notice,
  pause,
}: PagingOptions): Paging {
  const { env } = world;
  // An empty setting counts as none; an empty variable means no pager.
  const own = env['ARX_PAGER'] === '' ? '' : settings.pager.value;
  const [program, ...args] = wordsOf(own ?? env['PAGER'] ?? 'less');
  const isUsed =
    stdout.isTTY && isInteractive && env['TERM'] !== 'dumb' && program !== undefined && program !== 'cat';
  let isClosedEarly = false;

  const start = async (): Promise<Pager | undefined> => {
    if (program === undefined) return undefined;
    try {
      return await world.startPager(program, args, PAGER_ENV);
    } catch {
      if (own !== undefined || env['PAGER'] !== undefined) notice(`the pager ${program} cannot be started`);
      return undefined;
    }
  };

  return {
    isClosedEarly: () => isClosedEarly,
    async show(write) {
      if (!isUsed) return write(stdout);
      let held = '';
      let rows = 0;
      let pager: Pager | undefined;
      let isDirect = false;
      let close = (): void => {};
      const release = async (to: Sink): Promise<void> => {
        const text = held;
        held = '';
        if (text !== '') await to.write(text);
      };
      try {
        await write({
          isTTY: true,
          columns: stdout.columns,
          rows: stdout.rows,
          async write(chunk) {
            // Bytes are never for a pager.
            if (typeof chunk !== 'string') isDirect = true;
            if (isDirect) {
              await release(stdout);
              return stdout.write(chunk);
            }
            const text = String(chunk);
            if (pager !== undefined) return pager.write(withoutLinks(text));
            held += text;
            rows += screenRows(text, stdout.columns ?? Infinity);
            // The prompt takes a row, too.
            if (rows < (stdout.rows ?? DEFAULT_ROWS)) return;
            await pause(new Promise((resolve) => (close = resolve)));
            pager = await start();
            if (pager === undefined) {
              close();
              isDirect = true;
              return release(stdout);
            }
            held = withoutLinks(held);
            await release(pager);
          },
        });
      } catch (error) {
        if (pager?.isClosed() !== true) throw error;
        isClosedEarly = true;
      } finally {
        await (pager === undefined ? release(stdout) : pager.end());
        close();
      }
    },
  };
}

/** Returns how many rows of a screen text takes. */
function screenRows(text: string, columns: number): number {
  const lines = text.split('\n');
  const rowsOf = (line: string): number => Math.max(1, Math.ceil(textWidth(withoutStyles(line)) / columns));
  // The text after the last newline is counted with what follows it.
  return lines.slice(0, -1).reduce((rows, line) => rows + rowsOf(line), 0);
}

const ESCAPE = '\u001b';
const styles = lazy(() => /\p{Cc}\[[\d;]*m/gu);

function withoutStyles(line: string): string {
  return line.includes(ESCAPE) ? withoutLinks(line).replaceAll(styles(), '') : line;
}

/** Returns the words of a command line. Quotation marks hold words together; no shell runs it. */
function wordsOf(line: string): string[] {
  return Array.from(line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g), ([, a, b, c]) => a ?? b ?? c ?? '');
}
