// What one output stream can show, decided once from its terminal and the environment.
import type { Sink, World } from '../../world.ts';

export type TerminalCapabilities = {
  color: boolean;
  /** Box and block characters may be used. */
  unicode: boolean;
  /** A line may be redrawn: a real terminal only. */
  animation: boolean;
  /** Undefined where nothing limits a line. */
  columns: number | undefined;
};

/** What a drawing must know of the screen. */
export type Canvas = Pick<TerminalCapabilities, 'columns' | 'unicode'>;

/**
 * `color` is what a flag said. Order: the flag, NO_COLOR (any text switches off), FORCE_COLOR (0 and false switch
 * off), TERM=dumb, then whether it is a terminal. COLUMNS counts where the stream is no terminal.
 */
export function terminalCapabilities(
  sink: Sink,
  env: World['env'],
  flags: { color?: boolean | undefined } = {},
): TerminalCapabilities {
  return {
    color: colorOf(sink, env, flags.color),
    unicode: isUnicode(env),
    animation: sink.isTTY && env['TERM'] !== 'dumb',
    columns: columnsOf(sink, env),
  };
}

function colorOf(sink: Sink, env: World['env'], flag: boolean | undefined): boolean {
  if (flag !== undefined) return flag;
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'] ?? '';
  if (forced !== '') return forced !== '0' && forced !== 'false';
  return sink.isTTY && env['TERM'] !== 'dumb';
}

/** As the locale says; without a locale yes, because terminals of today are. */
function isUnicode(env: World['env']): boolean {
  if (env['TERM'] === 'dumb') return false;
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'UTF-8';
  return /utf-?8/i.test(locale);
}

// Some terminals report no width before they are drawn, and scripts set odd ones.
function columnsOf(sink: Sink, env: World['env']): number | undefined {
  const told = sink.columns ?? Number(env['COLUMNS'] ?? '');
  if (Number.isInteger(told) && told > 0) return told;
  return sink.isTTY ? 80 : undefined;
}
