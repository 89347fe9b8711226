// Opens and leaves screens. The requests of a screen that is not shown are cancelled.
import type { Document } from './archive.ts';
import { chosenPlace } from './chosen.ts';
import { isText } from './layout.ts';
import { withCursor } from './moving.ts';
import { said } from './notices.ts';
import type { Place } from './place.ts';
import { readOn, withScreen } from './reading.ts';
import {
  chosenEntry,
  entryAt,
  newScreen,
  shownCount,
  shownScreen,
  type Effect,
  type Screen,
  type State,
  type Step,
} from './state.ts';

/** Returns the state with another screen above. `document`: what is known of it already. */
export function pushed(state: State, place: Place, document?: Document): Step {
  const below = shownScreen(state);
  const paused = { ...below, reading: below.reading === 'reading' ? ('paused' as const) : below.reading };
  const opened = opening(state.nextNumber, place, document);
  const next = {
    ...withScreen(state, paused),
    screens: [...withScreen(state, paused).screens, opened],
    nextNumber: state.nextNumber + 1,
  };
  return { state: next, effects: [...cancelling(below, false), ...firstRead(opened)] };
}

/** Returns the state with a screen in place of the shown one. */
export function replaced(state: State, place: Place, document?: Document): Step {
  const gone = shownScreen(state);
  const opened = { ...opening(state.nextNumber, place, document), filter: isText(gone) ? gone.filter : '' };
  const screens = [...state.screens.slice(0, -1), opened];
  const next = { ...state, screens, nextNumber: state.nextNumber + 1 };
  return { state: next, effects: [...cancelling(gone, true), ...firstRead(opened)] };
}

/** Returns the state without the shown screen, which is not the first one. */
export function popped(state: State): Step {
  const gone = shownScreen(state);
  const { state: next, effects } = resumed({ ...state, screens: state.screens.slice(0, -1) });
  return { state: next, effects: [...cancelling(gone, true), ...effects] };
}

/** Moves the choice in the list below, and shows that row in place of this one. */
export function sibling(state: State, step: 1 | -1): Step {
  const list = state.screens.at(-2);
  const shown = shownScreen(state);
  if (list === undefined || !isText(shown) || isText(list))
    return said(state, 'J and K show the next and the previous message or file of a list');
  for (let index = list.cursor + step; index >= 0 && index < shownCount(list); index += step) {
    const entry = entryAt(list, index);
    if (entry?.kind !== shown.place.kind) continue;
    const moved = withScreen(state, withCursor(list, index, step, state));
    const chosen = chosenPlace(chosenEntry(moved.screens.at(-2)!));
    if (chosen !== undefined) return replaced(moved, chosen.place, chosen.document);
  }
  const text = step === 1 ? 'this is the last one of the list' : 'this is the first one of the list';
  return said(state, text);
}

/** A screen of which nothing was read when it was left begins again; another one goes on where it was. */
function resumed(state: State): Step {
  const screen = shownScreen(state);
  const isUnread = screen.reading === 'paused' && screen.next === undefined && screen.document === undefined;
  if (!isUnread) return readOn(state);
  return { state: withScreen(state, { ...screen, reading: 'reading' }), effects: firstRead(screen) };
}

function opening(number: number, place: Place, document: Document | undefined): Screen {
  const screen = newScreen(number, place);
  return document === undefined ? screen : { ...screen, document, reading: 'whole' };
}

function firstRead({ number, place, document }: Screen): Effect[] {
  return document === undefined ? [{ kind: 'read', screen: number, place, from: undefined }] : [];
}

function cancelling({ number, reading }: Screen, isForGood: boolean): Effect[] {
  return isForGood || reading === 'reading' ? [{ kind: 'cancel', screen: number, isForGood }] : [];
}
