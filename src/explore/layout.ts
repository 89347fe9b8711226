// How the rows of the terminal are shared out.
import { documentLines } from './views/document.ts';
import type { Screen, State } from './state.ts';

/** With fewer rows there is no line of keys and no line of column names. */
const MIN_ROWS_WITH_HINTS = 9;

/** Whether a place is a text, not a list. */
export function isText({ place }: Pick<Screen, 'place'>): boolean {
  return place.kind === 'message' || place.kind === 'file' || place.kind === 'sequence';
}

/** Whether the names of columns are shown. */
export function hasColumnNames(screen: Screen, { rows }: Pick<State, 'rows'>): boolean {
  return rows >= MIN_ROWS_WITH_HINTS && !isText(screen) && screen.place.kind !== 'overview';
}

/** Whether the line of keys is shown. */
export function hasKeyLine({ rows }: Pick<State, 'rows'>): boolean {
  return rows >= MIN_ROWS_WITH_HINTS;
}

/** Returns the rows between the title and the line of state. */
export function bodyRows(screen: Screen, state: Pick<State, 'rows'>): number {
  const others = 2 + (hasKeyLine(state) ? 1 : 0) + (hasColumnNames(screen, state) ? 1 : 0);
  return Math.max(1, state.rows - others);
}

/** Returns the rows of what is shown in place of the screen. */
export function overlayRows(state: Pick<State, 'rows'>): number {
  return Math.max(1, state.rows - 2 - (hasKeyLine(state) ? 1 : 0));
}

/** Returns how many rows or lines a screen has. */
export function lengthOf(screen: Screen, state: State): number {
  if (!isText(screen)) return screen.matches?.length ?? screen.entries.length;
  return documentLines(screen, state).length;
}
