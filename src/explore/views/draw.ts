// The whole screen as lines: title, rows or text, state, keys. Pure: state → lines that fit the terminal.
import { formatCount, plural } from '../../format/numbers.ts';
import { countText } from '../../format/terminal/progress-text.ts';
import { escapeText, lastColumns, textWidth, truncate } from '../../format/terminal/escape.ts';
import { plainText, spansOf, truncateLine, type Line, type Span } from '../../format/terminal/styled-line.ts';
import { doubtsOf } from '../doubts.ts';
import type { Entry } from '../entry.ts';
import { DEFAULT_FOLDER } from '../jobs.ts';
import { bodyRows, hasColumnNames, hasKeyLine, isText, lengthOf, overlayRows } from '../layout.ts';
import { titleOf, type Place } from '../place.ts';
import { entryAt, shownCount, shownScreen, type Prompt, type Screen, type State } from '../state.ts';
import { wrapText } from '../../format/terminal/wrap.ts';
import { documentLines } from './document.ts';
import { keyHints } from './key-hints.ts';
import { columnNames, rowLine } from './list.ts';
import { overlayLines } from './overlay.ts';

/** A row of the terminal. A bar is drawn in reverse over the whole width. */
export type DrawnRow = { line: Line; isBar?: boolean };

/** Where the cursor of the terminal stands, from 0; none is shown where a row is chosen. */
export type Drawing = { rows: DrawnRow[]; caret: { row: number; column: number } | undefined };

/** Returns exactly as many rows as the terminal has, each no wider than it. */
export function draw(state: State, archiveName: string): Drawing {
  const { columns, prompt } = state;
  const screen = shownScreen(state);
  const typedText = prompt === undefined ? undefined : lastColumns(promptText(prompt), columns - 1);
  const all: DrawnRow[] = [
    { line: titleLine(state, archiveName), isBar: true },
    ...(state.overlay === undefined ? screenRows(screen, state) : overlayRowsOf(state, state.overlay)),
    { line: typedText ?? fitted(statusLine(screen, state), columns) },
    ...(hasKeyLine(state) ? [{ line: keyHints(state) }] : []),
  ];
  const rows = all.slice(0, state.rows).map((row) => ({ ...row, line: truncateLine(row.line, columns) }));
  if (typedText === undefined) return { rows, caret: undefined };
  const row = Math.min(rows.length, all.length - (hasKeyLine(state) ? 1 : 0)) - 1;
  return { rows, caret: { row, column: textWidth(typedText) } };
}

/** The names of the columns, and the rows or lines. */
function screenRows(screen: Screen, state: State): DrawnRow[] {
  const names = hasColumnNames(screen, state) ? [namesOf(screen, state)] : [];
  return [...names, ...filled(bodyOf(screen, state), bodyRows(screen, state))];
}

function overlayRowsOf(state: State, { kind, top }: NonNullable<State['overlay']>): DrawnRow[] {
  const lines = overlayLines(state, kind).slice(top);
  return filled(
    lines.map((line) => ({ line })),
    overlayRows(state),
  );
}

/** Returns as many rows as there is room for. */
function filled(rows: readonly DrawnRow[], height: number): DrawnRow[] {
  return [...rows, ...Array.from({ length: height }, () => ({ line: '' }))].slice(0, height);
}

function titleLine({ screens, columns, jobs, unread }: State, archiveName: string): Line {
  const path = screens.map(({ place, title }) => truncate(escapeText(title ?? titleOf(place)), 60));
  const running = jobs.size === 0 ? '' : `${plural(jobs.size, 'command')} running  `;
  const results = unread === 0 ? '' : `!: ${plural(unread, 'result')}  `;
  const right = `${running}${results}${escapeText(archiveName)}`;
  let left = ['arx', ...path.slice(1)].join(' › ');
  // The innermost place is the most useful part.
  if (textWidth(left) > columns) left = `… ${path.at(-1) ?? ''}`;
  const room = columns - textWidth(left) - 2;
  return room < 12
    ? left
    : `${left}${' '.repeat(Math.max(2, columns - textWidth(left) - textWidth(truncate(right, room))))}${truncate(right, room)}`;
}

function namesOf(screen: Screen, state: State): DrawnRow {
  return {
    line: columnNames(entriesShown(screen, state), state.columns, { ...screen, checks: state.checks }),
  };
}

/** Returns the rows on the screen; where the filter leaves none, the first of the list. */
function entriesShown(screen: Screen, state: State): Entry[] {
  const count = Math.min(bodyRows(screen, state), shownCount(screen) - screen.top);
  if (count <= 0) return screen.entries.slice(0, 1);
  return Array.from({ length: count }, (_, at) => entryAt(screen, screen.top + at)!);
}

function bodyOf(screen: Screen, state: State): DrawnRow[] {
  const height = bodyRows(screen, state);
  if (lengthOf(screen, state) === 0)
    return [{ line: '' }, ...placeholder(screen, state.columns).map((line) => ({ line }))];
  if (isText(screen))
    return documentLines(screen, state)
      .slice(screen.top, screen.top + height)
      .map((line) => ({ line: marked(line, screen.filter) }));
  return entriesShown(screen, state).map((entry, at): DrawnRow => {
    const isChosen = screen.top + at === screen.cursor;
    const line = rowLine(entry, state.columns, isChosen, { ...screen, checks: state.checks });
    return isChosen ? { line: plainText(line), isBar: true } : { line: marked(line, screen.filter) };
  });
}

/** What is shown in place of rows. */
function placeholder(
  { reading, progress, total, failure, filter, entries, place, doubts }: Screen,
  columns: number,
): Line[] {
  if (failure !== undefined)
    return wrapText(escapeText(failure), Math.max(1, columns - 4)).map((text) => ({
      text: `  ${text}`,
      style: 'bad',
    }));
  const isFiltered = filter !== '' && entries.length > 0;
  if (reading === 'reading') {
    const none = isFiltered ? `none of ${plural(entries.length, 'row')} has "${filter}" so far` : undefined;
    const stated = place.kind === 'thread' && total !== undefined ? plural(total, 'message') : undefined;
    return [{ text: readingText(progress ?? none ?? stated), style: 'dim' }];
  }
  if (isFiltered) return noRowLines(entries, filter, columns);
  // The last line says why.
  const text = doubts.length > 0 && place.kind !== 'search' ? 'no row is known' : emptyText(place);
  return [{ text: `  ${text}`, style: 'dim' }];
}

/** Returns what is said where no row has the text of a filter. A withheld row may have it. */
function noRowLines(entries: readonly Entry[], filter: string, columns: number): Line[] {
  const withheld = entries.filter(
    (entry) =>
      ('status' in entry && entry.status === 'withheld') || ('state' in entry && entry.state === 'withheld'),
  ).length;
  const hidden = withheld === 0 ? '' : `; ${plural(withheld, 'withheld row')} may have it`;
  return wrapText(`no row has "${filter}"${hidden}`, Math.max(1, columns - 4)).map((text) => ({
    text: `  ${text}`,
    style: 'dim' as const,
  }));
}

function readingText(progress: string | undefined): string {
  return progress === undefined ? '  reading …' : `  reading … ${progress}`;
}

function emptyText(place: Place): string {
  if (place.kind === 'files' && place.message !== undefined) return 'this message has no files';
  return place.kind === 'search' ? 'no message matches' : 'nothing here';
}

/** What stands where the last line is cut. */
const MORE = ' ! shows all';
const SHORT_MORE = ' !';
const MIN_COLUMNS_FOR_MORE = 36;

/** Returns the last line, with the key that shows all of it where it is cut. */
function fitted(line: Line, columns: number): Line {
  if (textWidth(plainText(line)) <= columns) return line;
  const more = moreText(columns);
  return [...spansOf(truncateLine(line, columns - more.length)), { text: more, style: 'id' }];
}

function moreText(columns: number): string {
  return columns < MIN_COLUMNS_FOR_MORE ? SHORT_MORE : MORE;
}

/** Where one is, how far the list is read, and why rows may be missing. */
function statusLine(screen: Screen, state: State): Line {
  const { notice, overlay } = state;
  if (overlay !== undefined) return overlayPosition(state, overlay);
  if (notice !== undefined) return { text: ` ${notice.text}`, style: notice.style };
  const position = positionText(screen, state);
  const { failure, reading, progress } = screen;
  const doubts = doubtsOf(screen);
  const more = failure === undefined && doubts.length === 0 ? '' : moreText(state.columns);
  const work = workText(position, state, state.columns - more.length);
  if (work !== undefined) return [work, { text: more, style: 'warn' }];
  const spans: Span[] = [' ', position];
  // Without rows it stands in their place.
  if (reading === 'reading' && lengthOf(screen, state) > 0)
    spans.push({ text: readingText(progress), style: 'dim' });
  if (failure !== undefined && lengthOf(screen, state) > 0)
    spans.push({ text: `  INCOMPLETE: ${failure}`, style: 'bad' });
  const [doubt, ...others] = doubts;
  if (doubt !== undefined)
    spans.push({
      text: `  ! ${doubt}${others.length === 0 ? '' : ` (! shows ${others.length} more)`}`,
      style: 'warn',
    });
  return spans;
}

/**
 * Returns how far the last command is that says it, behind the position where both have room; undefined where none says it. What
 * has no room is left out, so that no number is cut.
 */
function workText(position: string, { jobs, unicode }: State, columns: number): string | undefined {
  const record = [...jobs.values()].findLast(({ progress }) => progress !== undefined)?.progress;
  if (record === undefined) return undefined;
  const { done, total, unit, per_second } = record;
  const label = escapeText(record.label);
  const count = { label, done: done ?? 0, total: total ?? undefined, unit: unit ?? '' };
  for (const before of [position === '' ? ' ' : ` ${position}  `, ' ']) {
    const text = countText(count, per_second ?? 0, {
      columns: columns - textWidth(before),
      unicode,
      isLabelWhole: true,
    });
    if (text.startsWith(label) && text !== label) return before + text;
  }
  return textWidth(label) < columns ? ` ${label}` : undefined;
}

function overlayPosition(state: State, { kind, top }: NonNullable<State['overlay']>): string {
  const length = overlayLines(state, kind).length;
  return ` line ${formatCount(Math.min(length, top + overlayRows(state)))} of ${formatCount(length)}`;
}

function positionText(screen: Screen, state: State): string {
  const { cursor, entries, matches, total, filter, reading, top } = screen;
  const length = lengthOf(screen, state);
  if (isText(screen)) {
    const end = Math.min(length, top + bodyRows(screen, state));
    const found = filter === '' ? '' : `  "${filter}"`;
    return length === 0 ? '' : `line ${formatCount(end)} of ${formatCount(length)}${found}`;
  }
  if (screen.place.kind === 'overview')
    return matches === undefined ? '' : `${plural(length, 'row')} with "${filter}"`;
  if (entries.length === 0 && reading !== 'whole') return '';
  const count = formatCount(entries.length);
  const isOpen = reading !== 'whole';
  const all = !isOpen
    ? count
    : total === undefined
      ? `${count}+`
      : formatCount(Math.max(total, entries.length));
  const read = !isOpen || total === undefined ? '' : `, ${count} read`;
  const at = length === 0 ? 0 : formatCount(cursor + 1);
  const words = ORDER_WORDS[screen.order];
  if (filter !== '' && matches !== undefined)
    return `${at} of ${plural(matches.length, 'row')} with "${filter}" (of ${all}${read})${words}`;
  return `${at} of ${all}${read}${words}`;
}

const ORDER_WORDS = { archive: '', newest: ', last message first', longest: ', longest first' };

function promptText(prompt: Prompt): string {
  const text = escapeText(prompt.text);
  switch (prompt.kind) {
    case 'filter':
      return `/${text}`;
    case 'search':
      return `search: ${text}`;
    default:
      return `download ${prompt.what} into the folder [${DEFAULT_FOLDER}]: ${text}`;
  }
}

/** Returns the line with every place of the text marked. */
function marked(line: Line, text: string): Line {
  if (text === '') return line;
  const wanted = text.toLowerCase();
  return spansOf(line).flatMap((span) => {
    const shown = escapeText(typeof span === 'string' ? span : span.text);
    const style = typeof span === 'string' ? undefined : span.style;
    const lower = shown.toLowerCase();
    // A few letters change their length in lower case, so that offsets would not fit.
    if (lower.length !== shown.length || !lower.includes(wanted)) return [span];
    const parts: Span[] = [];
    let from = 0;
    for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
      parts.push(
        { text: shown.slice(from, at), style },
        { text: shown.slice(at, at + wanted.length), style: 'match' },
      );
      from = at + wanted.length;
    }
    return [...parts, { text: shown.slice(from), style }];
  });
}
