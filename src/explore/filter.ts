// Shows only the rows with a text, or finds it in a document.
import { plainText } from '../format/terminal/styled-line.ts';
import { isText } from './layout.ts';
import { scrolledTo, withCursor } from './moving.ts';
import type { Entry } from './entry.ts';
import { entryAt, matchesOf, shownCount, type Order, type Screen, type State } from './state.ts';
import { documentLines } from './views/document.ts';

/** Returns the screen with another filter. The chosen row stays chosen where it matches. */
export function filtered(screen: Screen, filter: string, state: State): Screen {
  if (isText(screen)) return foundFrom({ ...screen, filter }, screen.top, 1, state) ?? { ...screen, filter };
  const chosen = entryAt(screen, screen.cursor);
  const { entries, matches: before } = screen;
  const isNarrower = before !== undefined && filter.toLowerCase().includes(screen.filter.toLowerCase());
  const next = { ...screen, filter };
  return withChosen(
    { ...next, matches: matchesOf(entries, next, isNarrower ? { among: before } : undefined) },
    chosen,
    state,
  );
}

const ORDERS: readonly Order[] = ['archive', 'newest', 'longest'];

/** Returns the screen in the next order, at its first row. */
export function reordered(screen: Screen, state: State): Screen {
  const order = ORDERS[(ORDERS.indexOf(screen.order) + 1) % ORDERS.length]!;
  const next = { ...screen, order };
  return withCursor({ ...next, matches: matchesOf(screen.entries, next) }, 0, 1, state);
}

function withChosen(next: Screen, chosen: Entry | undefined, state: State): Screen {
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
