// What follows from an answer of the archive, and when the next part is asked for.
import type { Chunk } from './archive.ts';
import type { Entry } from './entry.ts';
import { bodyRows } from './layout.ts';
import { intoView, withCursor } from './moving.ts';
import { arranged } from './overview.ts';
import {
  entryAt,
  matchesOf,
  shownCount,
  shownScreen,
  type Effect,
  type Event,
  type Screen,
  type State,
  type Step,
} from './state.ts';

/** The next part is asked for when fewer screens of rows than this follow the cursor. */
const SCREENS_AHEAD = 2;

/** Returns the state with a chunk added to a screen. */
export function readChunk(state: State, number: number, chunk: Chunk): Step {
  const before = state.screens.find((screen) => screen.number === number);
  if (before === undefined) return { state, effects: [] };
  const { title, document, next, total, doubts = [] } = chunk;
  const { entries, matches } =
    chunk.replaces === true && chunk.entries !== undefined
      ? { entries: chunk.entries, matches: matchesOf(chunk.entries, before) }
      : withEntries(before, chunk.entries ?? []);
  const screen: Screen = {
    ...before,
    title: title ?? before.title,
    document: document ?? before.document,
    entries,
    matches,
    next,
    total: total ?? before.total,
    reading: next === undefined ? 'whole' : 'paused',
    progress: undefined,
    failure: undefined,
    doubts: [...new Set([...before.doubts, ...doubts])],
  };
  return readOn(withScreen(state, keptPlace(screen, before, state, chunk.replaces === true)));
}

/** Returns the state with a screen of which more is read. */
export function readProgress(
  state: State,
  { screen: number, text, entries }: Extract<Event, { kind: 'progress' }>,
): Step {
  const before = state.screens.find((each) => each.number === number);
  if (before === undefined) return { state, effects: [] };
  const told = { ...before, progress: text };
  if (entries === undefined) return { state: withScreen(state, told), effects: [] };
  const screen = { ...told, entries, matches: matchesOf(entries, before) };
  return { state: withScreen(state, keptPlace(screen, before, state, true)), effects: [] };
}

/** Returns the state with a screen whose request failed. Where the query of a search is wrong, it is ready to be mended. */
export function readFailure(
  state: State,
  { screen: number, text, class: kind }: Extract<Event, { kind: 'failed' }>,
): Step {
  const screen = state.screens.find((each) => each.number === number);
  if (screen === undefined) return { state, effects: [] };
  const failed: Screen = { ...screen, reading: 'failed', failure: text };
  const next = withScreen(state, failed);
  const isFree = state.prompt === undefined && state.overlay === undefined;
  const query = kind === 'usage' && isFree && shownScreen(next) === failed ? failedQuery(failed) : undefined;
  return {
    state: query === undefined ? next : { ...next, prompt: { kind: 'search', text: query } },
    effects: [],
  };
}

/** Returns the query of a search that failed before it found anything. */
export function failedQuery({ place, failure, entries }: Screen): string | undefined {
  return place.kind === 'search' && failure !== undefined && entries.length === 0 ? place.query : undefined;
}

/** Asks for the next part of the shown screen, if it is wanted. */
export function readOn(state: State): Step {
  const screen = shownScreen(state);
  if (screen.reading !== 'paused' || !wantsMore(screen, state)) return { state, effects: [] };
  const { number, place, next } = screen;
  const effect: Effect = { kind: 'read', screen: number, place, from: next };
  return { state: withScreen(state, { ...screen, reading: 'reading' }), effects: [effect] };
}

/** Returns the state with a screen in the place of the one with its number. */
export function withScreen(state: State, screen: Screen): State {
  const screens = state.screens.map((each) => (each.number === screen.number ? screen : each));
  return { ...state, screens };
}

function wantsMore(screen: Screen, state: State): boolean {
  // The numbers of the overview are about all files, and a thread has its order only when all of it is read.
  if (['overview', 'thread'].includes(screen.place.kind) || screen.isToEnd || screen.matches !== undefined)
    return true;
  return shownCount(screen) - screen.cursor < bodyRows(screen, state) * SCREENS_AHEAD;
}

function withEntries(screen: Screen, added: readonly Entry[]): Pick<Screen, 'entries' | 'matches'> {
  const { entries, place, matches } = screen;
  if (added.length === 0) return { entries, matches };
  if (place.kind === 'overview') {
    const all = arranged(entries, added);
    return { entries: all, matches: matchesOf(all, screen) };
  }
  const all = [...entries, ...added];
  return { entries: all, matches: matchesOf(all, screen, { from: entries.length, before: matches ?? [] }) };
}

/** Returns the screen with the same row chosen as before, at the same height. */
function keptPlace(screen: Screen, before: Screen, state: State, isReplaced: boolean): Screen {
  if (screen.isToEnd && screen.reading === 'whole')
    return withCursor({ ...screen, isToEnd: false }, shownCount(screen) - 1, -1, state);
  const { place } = screen;
  if (place.kind === 'thread' && before.cursor === 0) {
    const first = screen.entries.findIndex(({ id }) => id === place.message);
    if (first >= 0 || before.entries.length === 0) return withCursor(screen, Math.max(0, first), 1, state);
  }
  const chosen = entryAt(before, before.cursor);
  const isInOrder = screen.place.kind !== 'overview' && screen.order === 'archive' && !isReplaced;
  // Above all rows of an order is where new ones come first.
  if (chosen === undefined || (screen.order !== 'archive' && before.cursor === 0))
    return withCursor(screen, screen.cursor, 1, state);
  if (isInOrder) return intoView(screen, state);
  for (let index = 0; index < shownCount(screen); index += 1)
    if (entryAt(screen, index)?.id === chosen.id) {
      const top = before.top + index - before.cursor;
      return intoView({ ...screen, cursor: index, top }, state);
    }
  return withCursor(screen, screen.cursor, 1, state);
}
