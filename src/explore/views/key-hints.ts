// The line of keys at the bottom: the ones that do something here.
import type { Line } from '../../format/terminal/styled-line.ts';
import { isText } from '../layout.ts';
import type { Place } from '../place.ts';
import { shownScreen, type Screen, type State } from '../state.ts';

type Hint = [key: string, what: string];

/** Returns the keys that matter for what is shown. Where they do not fit, help and back stay. */
export function keyHints(state: State): Line {
  const [first, last] = hintsOf(state);
  const width = (hints: readonly Hint[]): number =>
    hints.reduce((sum, [key, what]) => sum + key.length + what.length + 3, 0);
  let shown = first;
  while (shown.length > 0 && width([...shown, ...last]) > state.columns) shown = shown.slice(0, -1);
  return [...shown, ...last].flatMap(([key, what]) => [
    { text: ` ${key}`, style: 'id' as const },
    { text: ` ${what} `, style: 'dim' as const },
  ]);
}

/** The keys of a screen, the most useful first, and those that every screen has. */
function hintsOf(state: State): [own: Hint[], common: Hint[]] {
  if (state.overlay !== undefined) return [[['j/k', 'scroll']], [['q', 'close']]];
  const { prompt } = state;
  if (prompt !== undefined)
    return [[['Esc', 'cancel']], [['Enter', prompt.kind === 'filter' ? 'keep' : 'go']]];
  const common: Hint[] = [
    ['?', 'help'],
    ['q', state.screens.length > 1 ? 'back' : 'quit'],
  ];
  return [ownHints(shownScreen(state)), common];
}

function ownHints(screen: Screen): Hint[] {
  const { entries, reading, place, failure } = screen;
  // Enter and the filter need rows.
  if (!isText(screen) && entries.length === 0 && reading !== 'reading')
    return [
      ['s', 'search'],
      ['r', 'read again'],
      ['f', 'files'],
      ['y', 'copy command'],
    ];
  const hints = hintsOfPlace(place.kind);
  return failure === undefined ? hints : [['r', 'read again'], ...hints];
}

function hintsOfPlace(kind: Place['kind']): Hint[] {
  switch (kind) {
    case 'message':
      return [
        ['Space', 'page'],
        ['J/K', 'next/previous'],
        ['f', 'files'],
        ['/', 'find'],
        ['y', 'copy command'],
        ['Q', 'quotations'],
        ['H', 'headers'],
      ];
    case 'file':
      return [
        ['v', 'verify'],
        ['p', 'download'],
        ['o', 'open'],
        ['J/K', 'next/previous'],
        ['y', 'copy command'],
      ];
    case 'files':
      return [
        ['Enter', 'details'],
        ['v', 'verify'],
        ['p', 'download'],
        ['P', 'all'],
        ['o', 'open'],
        ['/', 'filter'],
      ];
    case 'sequence':
      return [['y', 'copy command']];
    default:
      return [
        ['Enter', 'open'],
        ['/', 'filter'],
        ['s', 'search'],
        ['f', 'files'],
        ['y', 'copy command'],
      ];
  }
}
