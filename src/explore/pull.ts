// Downloads: which files, how many they are, and the folder that is asked for.
import { isPullable } from '../contract/attachment-file.ts';
import type { Attachment } from '../contract/attachment.ts';
import { formatBytes, formatCount, plural } from '../format/numbers.ts';
import type { Entry } from './entry.ts';
import { chosenFile, noFile } from './jobs.ts';
import { said } from './notices.ts';
import { filterWords } from './place.ts';
import { reasonText } from './views/file-state.ts';
import { entryAt, shownCount, shownScreen, type Screen, type State, type Step } from './state.ts';

const PULL = ['attachments', 'pull'];

/** Asks for the folder of a download. */
export function pullAsked(state: State, which: 'chosen' | 'all'): Step {
  const screen = shownScreen(state);
  if (which === 'all') {
    if (screen.place.kind !== 'files') return said(state, 'P downloads the files of a list of files (f)');
    return screen.filter === '' ? listAsked(state, screen) : filterAsked(state, screen);
  }
  const file = chosenFile(state);
  if (file === undefined) return noFile(state, 'p downloads a file');
  if (!isPullable(file)) return said(state, `${file.id} cannot be downloaded: ${reasonText(file)}`);
  return asked(state, { words: PULL, ids: [file.id], what: amountOf([file]) });
}

/** Returns the ids of the files that a filter leaves in a list; a text that says why they are not known, or that there are none. */
export function filteredIds(screen: Screen): readonly string[] | string {
  const rows = filteredRows(screen);
  return typeof rows === 'string' ? rows : rows.map(({ id }) => id);
}

function filteredRows(screen: Screen): readonly Attachment[] | string {
  const { filter, reading } = screen;
  if (reading === 'failed') return `not all files with "${filter}" are known: r reads the list again`;
  if (reading !== 'whole') return `not all files with "${filter}" are known yet: the list is still read`;
  const rows = rowsOf(Array.from({ length: shownCount(screen) }, (_, at) => entryAt(screen, at)!));
  return rows.length === 0 ? `no file has "${filter}"` : rows;
}

function filterAsked(state: State, screen: Screen): Step {
  const rows = filteredRows(screen);
  if (typeof rows === 'string') return said(state, rows);
  if (!rows.some(isPullable)) return said(state, `no file with "${screen.filter}" has bytes to download`);
  return asked(state, { words: PULL, ids: rows.map(({ id }) => id), what: amountOf(rows) });
}

function listAsked(state: State, { place, reading, entries, total }: Screen): Step {
  if (reading === 'whole' && entries.length === 0) return noFile(state, 'P downloads files');
  const filter = place.kind === 'files' ? filterWords(place) : [];
  const words = [...PULL, ...(filter.length === 0 ? ['--all'] : filter)];
  // The total of a service that does not apply the filter is that of all files.
  const stated = total === undefined || filter.length > 0 ? 'all files' : plural(total, 'file');
  return asked(state, { words, ids: [], what: reading === 'whole' ? amountOf(rowsOf(entries)) : stated });
}

function asked(
  state: State,
  download: { words: readonly string[]; ids: readonly string[]; what: string },
): Step {
  return { state: { ...state, prompt: { kind: 'pull', text: '', ...download } }, effects: [] };
}

function rowsOf(entries: readonly Entry[]): Attachment[] {
  return entries.flatMap((entry) => (entry.kind === 'file' ? [entry.row] : []));
}

/** Returns how many files can be downloaded, and their bytes where these are known: `5 of 6 files (12.0 kB)`. */
function amountOf(rows: readonly Attachment[]): string {
  const files = rows.filter(isPullable);
  const sizes = files.flatMap(({ bytes }) => (typeof bytes === 'number' ? [bytes] : []));
  const bytes = formatBytes(sizes.reduce((sum, size) => sum + size, 0));
  const isAll = sizes.length === files.length;
  const size = sizes.length === 0 ? '' : ` (${isAll ? '' : 'at least '}${bytes})`;
  const part = files.length === rows.length ? '' : `${formatCount(files.length)} of `;
  return `${part}${plural(rows.length, 'file')}${size}`;
}
