// Shows only the rows with a text, or finds it in a document.
import { plainText } from '../format/terminal/styled-line.ts';
import { isText } from './layout.ts';
import { scrolledTo, withCursor } from './moving.ts';
import { entryAt, matchesOf, shownCount, type Screen, type State } from './state.ts';
import { documentLines } from './views/document.ts';

/** Returns the screen with another filter. The chosen row stays chosen where it matches. */
export function filtered(screen: Screen, filter: string, state: State): Screen {
  if (isText(screen)) return foundFrom({ ...screen, filter }, screen.top, 1, state) ?? { ...screen, filter };
  const chosen = entryAt(screen, screen.cursor);
  const matches = filter === '' ? undefined : matchesOf(screen.entries, filter);
  const next = { ...screen, filter, matches };
  for (let index = 0; index < shownCount(next); index += 1)
    if (entryAt(next, index) === chosen) return withCursor(next, index, 1, state);
  return withCursor(next, 0, 1, state);
}

/** Returns a text scrolled to the next line that has the filter, or the one before; undefined where there is none. */
export function foundFrom(screen: Screen, from: number, step: 1 | -1, state: State): Screen | undefined {
  const { filter } = screen;
  if (filter === '') return undefined;
  const wanted = filter.toLowerCase();
  const lines = documentLines(screen, state);
  for (let index = from; index >= 0 && index < lines.length; index += step)
    if (plainText(lines[index]!).toLowerCase().includes(wanted)) return scrolledTo(screen, index, state);
  return undefined;
}
