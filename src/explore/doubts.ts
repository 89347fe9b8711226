// Why rows of a screen may be missing.
import { plural } from '../format/numbers.ts';
import type { Entry } from './entry.ts';
import { isText } from './layout.ts';
import type { Screen } from './state.ts';

/** Returns what the archive said of the list, and how many rows the filter hides although they may have its text. */
export function doubtsOf(screen: Screen): readonly string[] {
  const hidden = hiddenWithheld(screen);
  if (hidden === 0) return screen.doubts;
  return [...screen.doubts, `${plural(hidden, 'withheld row')} may have this text, not shown`];
}

/** The number of a filter's matches: each frame asks for it. */
const COUNTED = new WeakMap<readonly number[], number>();

function hiddenWithheld(screen: Screen): number {
  const { entries, filter, matches } = screen;
  if (filter === '' || matches === undefined || isText(screen)) return 0;
  const counted = COUNTED.get(matches);
  if (counted !== undefined) return counted;
  const shown = matches.filter((index) => isWithheld(entries[index]!)).length;
  const hidden = entries.filter(isWithheld).length - shown;
  COUNTED.set(matches, hidden);
  return hidden;
}

function isWithheld(entry: Entry): boolean {
  if (entry.kind === 'file') return entry.state === 'withheld';
  return (entry.kind === 'conversation' || entry.kind === 'message') && entry.status === 'withheld';
}
