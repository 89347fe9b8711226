// The state machine of the explorer: state + event → state + effects. Pure.
import { shellLine } from '../shell-words.ts';
import { readChunk, readFailure, readProgress } from './reading.ts';
import { intoView } from './moving.ts';
import { act } from './actions.ts';
import { actionOf, type Action } from './bindings.ts';
import type { Key } from './key-parser.ts';
import { overlayRows } from './layout.ts';
import { overlayLines } from './views/overlay.ts';
import { typed } from './prompt.ts';
import { ended, jobProgress } from './jobs.ts';
import { withNotice } from './notices.ts';
import { newScreen, type Event, type State, type Step } from './state.ts';
import type { Place } from './place.ts';

/** What a state begins with. */
export type Beginning = Pick<State, 'columns' | 'rows' | 'timeZone' | 'unicode' | 'folder' | 'home'> & {
  places: readonly Place[];
};

/** Returns the first state. Each place is a screen above the one before. */
export function begin({ places, ...terminal }: Beginning): Step {
  const last = places.length - 1;
  const screens = places.map((place, index) => ({
    ...newScreen(index, place),
    reading: index === last ? ('reading' as const) : ('paused' as const),
  }));
  const state: State = {
    ...terminal,
    screens,
    nextNumber: screens.length,
    prompt: undefined,
    overlay: undefined,
    isFolded: true,
    notice: undefined,
    notices: [],
    unread: 0,
    isLeaving: false,
    checks: new Map(),
    jobs: new Map(),
  };
  return { state, effects: [{ kind: 'read', screen: last, place: places[last]!, from: undefined }] };
}

/** Returns what follows from an event. */
export function update(state: State, event: Event): Step {
  switch (event.kind) {
    case 'resize': {
      const sized = { ...state, columns: event.columns, rows: event.rows };
      return {
        state: { ...sized, screens: sized.screens.map((each) => intoView(each, sized)) },
        effects: [],
      };
    }
    case 'chunk':
      return readChunk(state, event.screen, event.chunk);
    case 'progress':
      return readProgress(state, event);
    case 'failed':
      return readFailure(state, event);
    case 'jobProgress':
      return jobProgress(state, event);
    case 'ended':
      return ended(state, event);
    default: {
      // What was said is read when the next key is pressed.
      const heard = { ...state, notice: undefined, isLeaving: false };
      return leftWithCare(pressed(heard, event.key), state);
    }
  }
}

function pressed(state: State, key: Key): Step {
  if (state.overlay !== undefined) return overlaid(state, state.overlay, key);
  return state.prompt === undefined ? act(state, key) : typed(state, state.prompt, key);
}

/** Where commands run, the first key that quits says so, and the next one quits and stops them. */
function leftWithCare(step: Step, before: State): Step {
  const { jobs } = step.state;
  if (jobs.size === 0 || before.isLeaving || !step.effects.some(({ kind }) => kind === 'quit')) return step;
  const [job] = [...jobs.values()];
  const what =
    jobs.size === 1 ? `arx ${shellLine(job!.words)} is running` : `${jobs.size} commands are running`;
  const text = `${what}: quit again to stop ${jobs.size === 1 ? 'it' : 'them'}`;
  return { state: { ...withNotice(before, { text, style: 'warn' }), isLeaving: true }, effects: [] };
}

/** Keys that move scroll what is shown in place of the screen; any other key closes it. */
function overlaid(state: State, overlay: NonNullable<State['overlay']>, key: Key): Step {
  const height = overlayRows(state);
  const steps: Partial<Record<Action, number>> = {
    down: 1,
    up: -1,
    pageDown: height,
    pageUp: -height,
    halfDown: Math.ceil(height / 2),
    halfUp: -Math.ceil(height / 2),
    first: -Infinity,
    last: Infinity,
  };
  const action = actionOf(key.name);
  const by = action === undefined ? undefined : steps[action];
  if (by === undefined)
    return { state: { ...state, overlay: undefined }, effects: action === 'quit' ? [{ kind: 'quit' }] : [] };
  const last = Math.max(0, overlayLines(state, overlay.kind).length - height);
  const top = Math.max(0, Math.min(overlay.top + by, last));
  return { state: { ...state, overlay: { ...overlay, top } }, effects: [] };
}
