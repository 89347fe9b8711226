// What is shown in place of a screen: the keys, or what was said.
import type { Line } from '../../format/terminal/styled-line.ts';
import type { State } from '../state.ts';
import { helpLines } from './help.ts';
import { noticeLines } from './notices.ts';

/** Returns all of its lines. */
export function overlayLines(state: State, kind: NonNullable<State['overlay']>['kind']): Line[] {
  return kind === 'help' ? helpLines(state.columns) : noticeLines(state);
}
