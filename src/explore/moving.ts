// Moves the cursor and the visible part of a screen.
import { bodyRows, isText, lengthOf } from './layout.ts';
import { entryAt, type Screen, type State } from './state.ts';

/** Returns the screen with its cursor `by` rows further; a text is scrolled. */
export function moved(screen: Screen, by: number, state: State): Screen {
  if (isText(screen)) return scrolledTo(screen, screen.top + by, state);
  return withCursor(screen, screen.cursor + by, by < 0 ? -1 : 1, state);
}

/** Returns the screen at its first or last row. */
export function movedToEdge(screen: Screen, edge: 'first' | 'last', state: State): Screen {
  const length = lengthOf(screen, state);
  const to = edge === 'first' ? 0 : length - 1;
  if (isText(screen)) return scrolledTo(screen, to, state);
  return withCursor(screen, to, edge === 'first' ? 1 : -1, state);
}

/** Returns the screen with the cursor on a row that can be chosen, the nearest one in a direction, and that row visible. */
export function withCursor(screen: Screen, wanted: number, direction: 1 | -1, state: State): Screen {
  const last = lengthOf(screen, state) - 1;
  const start = Math.max(0, Math.min(wanted, last));
  const cursor =
    choosable(screen, start, direction) ?? choosable(screen, start, direction === 1 ? -1 : 1) ?? 0;
  return intoView({ ...screen, cursor }, state);
}

function choosable(screen: Screen, from: number, step: 1 | -1): number | undefined {
  for (let index = from; ; index += step) {
    const entry = entryAt(screen, index);
    if (entry === undefined) return undefined;
    if (entry.kind !== 'heading') return index;
  }
}

/** Returns the screen with its cursor visible; a text shows no empty lines after its end. */
export function intoView(screen: Screen, state: State): Screen {
  if (isText(screen)) return scrolledTo(screen, screen.top, state);
  const height = bodyRows(screen, state);
  const { cursor, top } = screen;
  const last = Math.max(0, lengthOf(screen, state) - height);
  // Headings above the first row that can be chosen are shown with it.
  const above = choosable(screen, 0, 1) === cursor ? 0 : cursor;
  const least = Math.max(0, cursor - height + 1);
  return { ...screen, top: Math.min(last, Math.max(least, Math.min(top, above))) };
}

/** Returns a text scrolled to a line, as far as it goes. */
export function scrolledTo(screen: Screen, top: number, state: State): Screen {
  const last = Math.max(0, lengthOf(screen, state) - bodyRows(screen, state));
  return { ...screen, top: Math.max(0, Math.min(top, last)) };
}
