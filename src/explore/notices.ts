// What the last line says: hints, and how commands ended. All of it can be read again.
import type { Notice, State, Step } from './state.ts';

/** Older notices are forgotten. */
const MAX_NOTICES = 50;

/** Returns the state in which this was said. What is said twice in a row is kept once. */
export function withNotice(state: State, notice: Notice): State {
  const last = state.notices.at(-1);
  const isRepeated = notice.result === undefined && last?.text === notice.text;
  const notices = isRepeated ? state.notices : [...state.notices, notice].slice(-MAX_NOTICES);
  return { ...state, notice, notices };
}

/** Returns the step that only says something. */
export function said(state: State, text: string): Step {
  return { state: withNotice(state, { text, style: 'dim' }), effects: [] };
}
