// A line that is being typed: a filter, a search, a folder.
import type { Key } from './key-parser.ts';
import { operands } from './place.ts';
import { pushed, replaced } from './screens.ts';
import { filtered } from './filter.ts';
import { DEFAULT_FOLDER, started } from './jobs.ts';
import { shownScreen, type Prompt, type State, type Step } from './state.ts';
import { failedQuery, readOn, withScreen } from './reading.ts';

let segmenter: Intl.Segmenter | undefined;

/** Returns what follows from a key while something is typed. */
export function typed(state: State, prompt: Prompt, key: Key): Step {
  switch (key.name) {
    case 'enter':
      return entered({ ...state, prompt: undefined }, prompt);
    case 'escape':
    case 'ctrl-c':
      return cancelled({ ...state, prompt: undefined }, prompt);
    case 'backspace':
      if (prompt.text === '') return cancelled({ ...state, prompt: undefined }, prompt);
      return changed(state, prompt, withoutLast(prompt.text));
    case 'ctrl-u':
      return changed(state, prompt, '');
    case 'ctrl-w':
      return changed(state, prompt, prompt.text.trimEnd().split(' ').slice(0, -1).join(' '));
    default:
      return key.text === undefined ? { state, effects: [] } : changed(state, prompt, prompt.text + key.text);
  }
}

function changed(state: State, prompt: Prompt, text: string): Step {
  const next = { ...state, prompt: { ...prompt, text } };
  return prompt.kind === 'filter' ? filteredStep(next, text) : { state: next, effects: [] };
}

function cancelled(state: State, prompt: Prompt): Step {
  return prompt.kind === 'filter' ? filteredStep(state, prompt.before) : { state, effects: [] };
}

function entered(state: State, prompt: Prompt): Step {
  const text = prompt.text.trim();
  switch (prompt.kind) {
    case 'filter':
      return { state, effects: [] };
    case 'search':
      return text === '' ? { state, effects: [] } : searched(state, text);
    default: {
      const to = text === '' ? DEFAULT_FOLDER : withHome(text, state.home);
      return started(state, {
        kind: 'pull',
        words: [...prompt.words, '--to', to, ...operands(prompt.ids)],
        ids: prompt.ids,
      });
    }
  }
}

/** Shows what a search finds. It takes the place of a search that failed, so that no such screen has to be left on the way back. */
function searched(state: State, query: string): Step {
  const isFailed = failedQuery(shownScreen(state)) !== undefined;
  return (isFailed ? replaced : pushed)(state, { kind: 'search', query });
}

/** Returns a path with the home folder in place of a leading `~`, as a shell has it. No shell reads what is typed here. */
function withHome(path: string, home: string): string {
  return home === '' ? path : path.replace(/^~(?=\/|$)/, () => home);
}

function filteredStep(state: State, filter: string): Step {
  return readOn(withScreen(state, filtered(shownScreen(state), filter, state)));
}

/** Removes the last character as a person sees it. */
function withoutLast(text: string): string {
  segmenter ??= new Intl.Segmenter();
  return [...segmenter.segment(text)]
    .slice(0, -1)
    .map(({ segment }) => segment)
    .join('');
}
