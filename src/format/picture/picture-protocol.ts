// How a terminal shows pictures, as far as its environment says.
import type { World } from '../../world.ts';
import type { TerminalCapabilities } from '../terminal/capabilities.ts';

/** Protocols for pictures; `cells`: characters with colours. */
export type PictureProtocol = 'kitty' | 'iterm2' | 'cells';

/** How colours of cells are written. `none`: the brightness as a character. */
export type CellColors = 'truecolor' | '256' | 'none';

/** Terminals by their TERM_PROGRAM. */
const ITERM2_PROGRAMS = new Set(['iTerm.app', 'WezTerm', 'mintty']);

/** Returns the protocol of the terminal. Within tmux and screen it is `cells`: they do not pass pictures on unless configured. */
export function pictureProtocol(env: World['env']): PictureProtocol {
  const term = env['TERM'] ?? '';
  const program = env['TERM_PROGRAM'] ?? '';
  if (/^(?:screen|tmux)/.test(term) || (env['TMUX'] ?? '') !== '') return 'cells';
  if (/^xterm-(?:kitty|ghostty)/.test(term) || program === 'ghostty') return 'kitty';
  if (ITERM2_PROGRAMS.has(program) || env['LC_TERMINAL'] === 'iTerm2') return 'iterm2';
  return (env['KITTY_WINDOW_ID'] ?? '') === '' ? 'cells' : 'kitty';
}

/** Returns how colours are written. */
export function cellColors(env: World['env'], { color }: Pick<TerminalCapabilities, 'color'>): CellColors {
  if (!color) return 'none';
  const isTrue =
    /^(?:truecolor|24bit)$/i.test(env['COLORTERM'] ?? '') ||
    /-direct$|^(?:xterm-kitty|xterm-ghostty|alacritty|foot|contour)/.test(env['TERM'] ?? '') ||
    (env['WT_SESSION'] ?? '') !== '';
  return isTrue ? 'truecolor' : '256';
}
