// What an output stream can show, from its terminal and the environment.
import type { Sink, World } from '../../world.ts';
import type { InstantStyle } from '../instants.ts';

/** What an output stream can show. */
export type TerminalCapabilities = {
  color: boolean;
  /** Box and block characters may be used. */
  unicode: boolean;
  /** Lines may be redrawn. True for real terminals only. */
  animation: boolean;
  /** Text may link to an address (OSC 8). */
  links: boolean;
  /** Width of a line, undefined where it is not limited. */
  columns: number | undefined;
};

/** What tables, plots and trees need to know. Without `instants` they show instants in UTC. */
export type Canvas = Pick<TerminalCapabilities, 'columns' | 'unicode'> & {
  instants?: InstantStyle | undefined;
};

/**
 * Returns the capabilities of a stream. Colour is decided by the first of: the flag, NO_COLOR (any text means no),
 * FORCE_COLOR (`0` and `false` mean no), CLICOLOR_FORCE (anything but `0` means yes), CLICOLOR=0 (no), TERM=dumb (no), and
 * whether the stream is a terminal. COLUMNS is used where the stream is no terminal.
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
    links: sink.isTTY && hasLinks(env),
    columns: columnsOf(sink, env),
  };
}

function colorOf(sink: Sink, env: World['env'], flag: boolean | undefined): boolean {
  if (flag !== undefined) return flag;
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'] ?? '';
  if (forced !== '') return forced !== '0' && forced !== 'false';
  if (!['', '0'].includes(env['CLICOLOR_FORCE'] ?? '')) return true;
  if (env['CLICOLOR'] === '0') return false;
  return sink.isTTY && env['TERM'] !== 'dumb';
}

/** Terminals by the name in TERM_PROGRAM, with the first version that shows links (`[major, minor]`). */
const LINKING_PROGRAMS: Readonly<Record<string, readonly [number, number]>> = {
  'iTerm.app': [3, 1],
  WezTerm: [0, 0],
  vscode: [1, 72],
  ghostty: [0, 0],
  Hyper: [2, 0],
  // tmux passes links on to the terminal around it.
  tmux: [3, 4],
};
const LINKING_TERMS = /^(?:xterm-kitty|xterm-ghostty|alacritty|foot|contour)/;
/** Variables that only terminals with links set. */
const LINKING_VARIABLES = ['WT_SESSION', 'KONSOLE_VERSION', 'KITTY_WINDOW_ID', 'DOMTERM'];
/** 0.50.0 of this library (GNOME Terminal and others) crashed on links. */
const FIRST_VTE_WITH_LINKS = 5001;

/**
 * Returns whether the terminal is known to show links. Others may print the address into the text. There is no question that a
 * terminal answers, so all programs go by the environment. The rule is our own because the libraries for it read the
 * environment of the process, and a world may have another one. FORCE_HYPERLINK decides where it is set, as with those
 * libraries.
 */
function hasLinks(env: World['env']): boolean {
  const forced = env['FORCE_HYPERLINK'] ?? '';
  if (forced !== '') return forced !== '0';
  const term = env['TERM'] ?? '';
  if (term === 'dumb') return false;
  const program = env['TERM_PROGRAM'] ?? '';
  // Within tmux and screen, the other variables are of the terminal around them.
  if (/^(?:screen|tmux)/.test(term) && program !== 'tmux') return false;
  const first = Object.hasOwn(LINKING_PROGRAMS, program) ? LINKING_PROGRAMS[program] : undefined;
  if (first !== undefined) {
    const [, major = '0', minor = '0'] =
      /^(\d{1,4})(?:\.(\d{1,4}))?/.exec(env['TERM_PROGRAM_VERSION'] ?? '') ?? [];
    return Number(major) > first[0] || (Number(major) === first[0] && Number(minor) >= first[1]);
  }
  if (LINKING_TERMS.test(term) || LINKING_VARIABLES.some((name) => (env[name] ?? '') !== '')) return true;
  return Number(env['VTE_VERSION'] ?? '') >= FIRST_VTE_WITH_LINKS;
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
