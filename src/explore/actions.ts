// What each key does on a screen.
import { actionOf, type Action } from './bindings.ts';
import { chosenPlace } from './chosen.ts';
import { placeOf } from './entry.ts';
import { filtered, foundFrom, reordered } from './filter.ts';
import { opened, verified } from './jobs.ts';
import type { Key } from './key-parser.ts';
import { bodyRows, hasColumnNames, isText } from './layout.ts';
import { moved, movedToEdge, withCursor } from './moving.ts';
import { said } from './notices.ts';
import { operands, wordsOf, type Place } from './place.ts';
import { filteredIds, pullAsked } from './pull.ts';
import { documentLines, isFoldedAt } from './views/document.ts';
import { readOn, withScreen } from './reading.ts';
import { popped, pushed, replaced, sibling } from './screens.ts';
import {
  chosenEntry,
  shownCount,
  shownScreen,
  type Order,
  type Screen,
  type State,
  type Step,
} from './state.ts';

/** Lines that the mouse wheel moves a text. */
const WHEEL_LINES = 3;

/** Returns what follows from a key where nothing is typed. */
export function act(state: State, key: Key): Step {
  const action = actionOf(key.name);
  if (action === undefined) return { state, effects: [] };
  if (key.name === 'click') return clicked(state, key.row ?? 0);
  const isWheel = key.name.startsWith('wheel-');
  return ACTIONS[action](state, isWheel && isText(shownScreen(state)) ? WHEEL_LINES : 1);
}

const ACTIONS: Record<Action, (state: State, count: number) => Step> = {
  down: (state, count) => movedBy(state, count),
  up: (state, count) => movedBy(state, -count),
  pageDown: (state) => movedBy(state, pageOf(state)),
  pageUp: (state) => movedBy(state, -pageOf(state)),
  halfDown: (state) => movedBy(state, Math.ceil(pageOf(state) / 2)),
  halfUp: (state) => movedBy(state, -Math.ceil(pageOf(state) / 2)),
  first: (state) => changed(state, (screen) => movedToEdge({ ...screen, isToEnd: false }, 'first', state)),
  last: (state) =>
    changed(state, (screen) =>
      movedToEdge({ ...screen, isToEnd: !isText(screen) && screen.reading !== 'whole' }, 'last', state),
    ),
  enter,
  back,
  leave,
  quit,
  nextSibling: (state) => sibling(state, 1),
  previousSibling: (state) => sibling(state, -1),
  filter: (state) => {
    const { filter } = shownScreen(state);
    return { state: { ...state, prompt: { kind: 'filter', text: '', before: filter } }, effects: [] };
  },
  nextMatch: (state) => found(state, 1),
  previousMatch: (state) => found(state, -1),
  search: (state) => ({ state: { ...state, prompt: { kind: 'search', text: '' } }, effects: [] }),
  files,
  thread,
  open: opened,
  pull: (state) => pullAsked(state, 'chosen'),
  pullAll: (state) => pullAsked(state, 'all'),
  verify: verified,
  order: (state) =>
    shownScreen(state).place.kind === 'conversations'
      ? changed(state, (screen) => reordered(screen, state))
      : said(state, 'S orders conversations'),
  copy: (state) => ({ state, effects: [{ kind: 'copy', words: wordsOf(placeInFocus(state)) }] }),
  copyScreen,
  quotes,
  headers: (state) => toggled(state, 'headers'),
  lore: (state) => toggled(state, 'lore'),
  reload: (state) => replaced(state, shownScreen(state).place),
  redraw: (state) => ({ state, effects: [{ kind: 'redraw' }] }),
  mouse: (state) => ({ state, effects: [{ kind: 'mouse' }] }),
  suspend: (state) => ({ state, effects: [{ kind: 'suspend' }] }),
  help: (state) => ({ state: { ...state, overlay: { kind: 'help', top: 0 } }, effects: [] }),
  notices: (state) => ({
    state: { ...state, overlay: { kind: 'notices', top: 0 }, unread: 0 },
    effects: [],
  }),
};

/** The columns that `conversations ls` sorts by. */
const SORTS: Record<Order, readonly string[]> = {
  archive: [],
  newest: ['--sort', '-last'],
  longest: ['--sort', '-messages'],
};

/**
 * Copies the command that prints the screen. Only ids select the files that a filter leaves, and only a download takes several. No
 * command filters other rows as `/` does.
 */
function copyScreen(state: State): Step {
  const screen = shownScreen(state);
  const { place, order, filter } = screen;
  const isFiltered = place.kind === 'files' && filter !== '';
  const ids = isFiltered ? filteredIds(screen) : [];
  if (typeof ids === 'string') return said(state, ids);
  const words = isFiltered
    ? ['attachments', 'pull', '--dry-run', ...operands(ids)]
    : [...wordsOf(asShown(place, state)), ...SORTS[order]];
  // In a text the filter only marks what it finds.
  const isLost = !isFiltered && filter !== '' && !isText(screen);
  return { state, effects: [{ kind: 'copy', words, ...(isLost ? { filter } : {}) }] };
}

/** Returns the place that a command for what is chosen is about: that of the row, else that of the screen. */
function placeInFocus(state: State): Place {
  const screen = shownScreen(state);
  const entry = isText(screen) ? undefined : chosenEntry(screen);
  return (entry === undefined ? undefined : placeOf(entry)) ?? asShown(screen.place, state);
}

/** Returns the place with its quotations where they are shown. */
function asShown(place: Place, state: State): Place {
  return place.kind === 'message' && !isFoldedAt(place, state) ? { ...place, quotes: true } : place;
}

function changed(state: State, change: (screen: Screen) => Screen): Step {
  return readOn(withScreen(state, change(shownScreen(state))));
}

function movedBy(state: State, by: number): Step {
  return changed(state, (screen) => moved({ ...screen, isToEnd: false }, by, state));
}

function pageOf(state: State): number {
  // A line of the last page stays, so that a reader finds the place.
  return Math.max(1, bodyRows(shownScreen(state), state) - 1);
}

function enter(state: State): Step {
  const screen = shownScreen(state);
  if (screen.place.kind === 'message') return files(state);
  if (isText(screen)) return said(state, 'there is nothing behind this');
  const entry = chosenEntry(screen);
  const chosen = chosenPlace(entry);
  if (chosen !== undefined) {
    const { state: next, effects } = pushed(state, chosen.place, chosen.document);
    const total = entry?.kind === 'section' ? entry.count : undefined;
    return { state: withScreen(next, { ...shownScreen(next), total }), effects };
  }
  if (entry?.kind !== 'group') return said(state, 'there is no row to show');
  const text = `these files have no ${entry.by}, and no service lists files without one: f shows all files`;
  return said(state, text);
}

function back(state: State): Step {
  const screen = shownScreen(state);
  // As in other programs, the first Escape ends the filter.
  if (screen.filter !== '') return changed(state, (each) => filtered(each, '', state));
  return state.screens.length === 1 ? said(state, 'this is the first screen: q quits') : popped(state);
}

function leave(state: State): Step {
  const isAtStart = state.screens.length === 1 && shownScreen(state).filter === '';
  return isAtStart ? quit(state) : back(state);
}

function quit(state: State): Step {
  return { state, effects: [{ kind: 'quit' }] };
}

function found(state: State, step: 1 | -1): Step {
  const screen = shownScreen(state);
  if (screen.filter === '') return said(state, '/ finds a text first');
  if (!isText(screen)) return movedBy(state, step);
  const next = foundFrom(screen, screen.top + step, step, state);
  if (next === undefined || next.top === screen.top)
    return said(state, step === 1 ? 'no place further down' : 'no place further up');
  return { state: withScreen(state, next), effects: [] };
}

function files(state: State): Step {
  const { place } = shownScreen(state);
  const entry = chosenEntry(shownScreen(state));
  const message = place.kind === 'message' ? place.id : entry?.kind === 'message' ? entry.id : undefined;
  return pushed(state, message === undefined ? { kind: 'files' } : { kind: 'files', message });
}

/** Shows the conversation of a message, or the message that a file came with. */
function thread(state: State): Step {
  const { document, place } = shownScreen(state);
  if (place.kind === 'thread') return said(state, 'this is the conversation');
  const entry = chosenEntry(shownScreen(state));
  const message =
    document?.kind === 'message'
      ? { id: document.message.id, conversation: document.message.conversation_id }
      : entry?.kind === 'message'
        ? entry
        : undefined;
  if (message?.conversation != null)
    return pushed(state, { kind: 'thread', id: message.conversation, message: message.id });
  const row = document?.kind === 'file' ? document.row : entry?.kind === 'file' ? entry.row : undefined;
  if (row?.message_id != null) return pushed(state, { kind: 'message', id: row.message_id });
  const isKnown = message !== undefined || row !== undefined;
  const text = isKnown
    ? 'the service does not say of which conversation it is'
    : 't shows the conversation of a message';
  return said(state, text);
}

function toggled(state: State, option: 'headers' | 'lore'): Step {
  const { place } = shownScreen(state);
  if (place.kind === 'message') return replaced(state, { ...place, [option]: place[option] !== true });
  const chosen = placeInFocus(state);
  if (chosen.kind === 'message') return pushed(state, { ...chosen, [option]: true });
  return said(
    state,
    option === 'headers'
      ? 'H shows the header of a message'
      : 'L shows what the archive says about a message',
  );
}

/** Folds or shows long quotations in all messages. A message that was opened with its quotations follows, too. */
function quotes(state: State): Step {
  const screen = shownScreen(state);
  const { place } = screen;
  const isFolded = !isFoldedAt(place, state);
  const next = { ...withScreen(state, { ...screen, place: withoutQuotes(place) }), isFolded };
  const isMessage = place.kind === 'message';
  const lines = (each: State): number => documentLines(shownScreen(each), each).length;
  if (isMessage && lines(next) === lines({ ...next, isFolded: !isFolded }))
    return said(state, 'this message has no long quotations');
  const text = `long quotations ${isMessage ? '' : 'of messages '}are ${isFolded ? 'folded' : 'shown'}`;
  return changed(said(next, text).state, (each) => moved(each, 0, next));
}

function withoutQuotes(place: Place): Place {
  if (place.kind !== 'message') return place;
  const { quotes: _, ...rest } = place;
  return rest;
}

function clicked(state: State, row: number): Step {
  const screen = shownScreen(state);
  const index = screen.top + row - 1 - (hasColumnNames(screen, state) ? 1 : 0);
  if (
    isText(screen) ||
    index < screen.top ||
    index >= Math.min(shownCount(screen), screen.top + bodyRows(screen, state))
  )
    return { state, effects: [] };
  // The first click chooses, one on what is chosen opens it.
  if (index === screen.cursor) return enter(state);
  return changed(state, (each) => withCursor(each, index, 1, state));
}
