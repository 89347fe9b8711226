// What an output stream can show, from its terminal and the environment.
import type { Sink, World } from '../../world.ts';

/** What an output stream can show. */
export type TerminalCapabilities = {
  color: boolean;
  /** Box and block characters may be used. */
  unicode: boolean;
  /** Lines may be redrawn. True for real terminals only. */
  animation: boolean;
  /** Width of a line, undefined where it is not limited. */
  columns: number | undefined;
};

/** What plots and trees need to know. */
export type Canvas = Pick<TerminalCapabilities, 'columns' | 'unicode'>;

/**
 * Returns the capabilities of a stream. Colour is decided by the first of: the flag, NO_COLOR (any text means no),
 * FORCE_COLOR (`0` and `false` mean no), TERM=dumb (no), and whether the stream is a terminal. COLUMNS is used where the
 * stream is no terminal.
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

/** As the locale says. Without a locale it is assumed, since terminals use UTF-8 today. */
function isUnicode(env: World['env']): boolean {
  if (env['TERM'] === 'dumb') return false;
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'UTF-8';
  return /utf-?8/i.test(locale);
}

// Some terminals report no width before they are drawn, and scripts set invalid ones.
function columnsOf(sink: Sink, env: World['env']): number | undefined {
  const width = sink.columns ?? Number(env['COLUMNS'] ?? '');
  if (Number.isInteger(width) && width > 0) return width;
  return sink.isTTY ? 80 : undefined;
}
