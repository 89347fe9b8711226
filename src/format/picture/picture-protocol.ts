// How a terminal shows pictures, as far as its environment says.
import type { World } from '../../world.ts';
import type { TerminalCapabilities } from '../terminal/capabilities.ts';

const PROTOCOLS = ['kitty', 'iterm2', 'sixel', 'cells'] as const;
/** Protocols for pictures; `cells`: characters with colours. */
export type PictureProtocol = (typeof PROTOCOLS)[number];

/** How colours of cells are written. `none`: the brightness as a character. */
export type CellColors = 'truecolor' | '256' | 'none';

/** Terminals by their TERM_PROGRAM. */
const ITERM2_PROGRAMS = new Set(['iTerm.app', 'WezTerm', 'mintty']);

/** Terminals that show sixels, by their TERM. Others can be made to, and do not say so: then `ARX_PICTURES` does. */
const SIXEL_TERMINALS = /^(?:foot|mlterm|contour|yaft|xterm-sixel|vt3(?:3|4)0)/;

/**
 * Returns the protocol that `ARX_PICTURES` names, else that of the terminal. Within tmux and screen this is `cells`: they do not
 * pass pictures on unless configured.
 */
export function pictureProtocol(env: World['env']): PictureProtocol {
  const chosen = PROTOCOLS.find((each) => each === env['ARX_PICTURES']);
  if (chosen !== undefined) return chosen;
  const term = env['TERM'] ?? '';
  const program = env['TERM_PROGRAM'] ?? '';
  if (/^(?:screen|tmux)/.test(term) || (env['TMUX'] ?? '') !== '') return 'cells';
  if (/^xterm-(?:kitty|ghostty)/.test(term) || program === 'ghostty') return 'kitty';
  if (ITERM2_PROGRAMS.has(program) || env['LC_TERMINAL'] === 'iTerm2') return 'iterm2';
  if ((env['KITTY_WINDOW_ID'] ?? '') !== '') return 'kitty';
  return SIXEL_TERMINALS.test(term) ? 'sixel' : 'cells';
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
