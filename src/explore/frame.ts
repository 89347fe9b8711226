// Turns drawn rows into what is sent to the terminal: only rows that differ from the last frame.
import { textWidth } from '../format/terminal/escape.ts';
import { paintLine, plainText, type Paint } from '../format/terminal/styled-line.ts';
import type { Drawing } from './views/draw.ts';

const CSI = '\u001b[';
const REVERSE = `${CSI}7m`;
const RESET = `${CSI}0m`;
/** Mode 2026: the terminal shows what is between these at once. Terminals without it ignore them. */
const BEGIN_UPDATE = `${CSI}?2026h`;
const END_UPDATE = `${CSI}?2026l`;
const HIDE_CARET = `${CSI}?25l`;
const SHOW_CARET = `${CSI}?25h`;

/** Mouse: buttons and the wheel, with SGR coordinates. */
export const MOUSE_ON = `${CSI}?1000h${CSI}?1006h`;
/** Undoes {@link MOUSE_ON}. */
export const MOUSE_OFF = `${CSI}?1006l${CSI}?1000l`;
/** Alternate screen, no line wrap, bracketed paste; the caret is hidden. */
export const ENTER_SCREEN = `${CSI}?1049h${CSI}?7l${CSI}?2004h${HIDE_CARET}`;
/** Undoes all that a run may have set, also in the middle of a frame. */
export const LEAVE_SCREEN = `${END_UPDATE}${MOUSE_OFF}${CSI}?2004l${CSI}?7h${RESET}${SHOW_CARET}${CSI}?1049l`;

/** The rows that the terminal shows, as they were sent. */
export type Frame = readonly string[];

/** Returns the rows of a drawing as they are sent. */
export function painted({ rows }: Drawing, columns: number, paint: Paint): Frame {
  return rows.map(({ line, isBar }) => {
    if (isBar !== true) return paintLine(line, paint);
    const blanks = ' '.repeat(Math.max(0, columns - textWidth(plainText(line))));
    return `${REVERSE}${paintLine(line, paint)}${blanks}${RESET}`;
  });
}

/** Returns what makes the terminal show `next` where it shows `before`; undefined: all of it is drawn. */
export function frameText(next: Frame, before: Frame | undefined, { caret }: Drawing): string {
  const changed = next.flatMap((row, index) =>
    row === before?.[index] ? [] : [`${CSI}${index + 1};1H${CSI}2K${row}`],
  );
  const caretText =
    caret === undefined ? HIDE_CARET : `${CSI}${caret.row + 1};${caret.column + 1}H${SHOW_CARET}`;
  const clear = before === undefined ? `${RESET}${CSI}2J` : '';
  return `${BEGIN_UPDATE}${HIDE_CARET}${clear}${changed.join('')}${caretText}${END_UPDATE}`;
}
