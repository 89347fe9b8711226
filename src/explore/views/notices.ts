// What was said, in full: why rows of the list may be missing, commands that run, and how others ended.
import { shellLine } from '../../shell-words.ts';
import type { Line, Style } from '../../format/terminal/styled-line.ts';
import { wrapLine } from '../../format/terminal/wrap-line.ts';
import { doubtsOf } from '../doubts.ts';
import type { Notice } from '../state.ts';
import { shownScreen, type State } from '../state.ts';

/** Returns the lines of all that was said, the last one first. */
export function noticeLines(state: State): Line[] {
  const { columns, folder, jobs, notices } = state;
  const screen = shownScreen(state);
  const { failure } = screen;
  const doubts = doubtsOf(screen);
  const warnings = failure === undefined ? doubts : [`INCOMPLETE: ${failure}`, ...doubts];
  const blocks = [
    block('This list', warnings.join('\n'), 'warn', columns),
    ...[...jobs.values()].map(({ words }) => block(commandOf(words), `running in ${folder}`, 'dim', columns)),
    ...notices.toReversed().map((notice) => noticeBlock(notice, folder, columns)),
  ];
  const lines = blocks.flatMap((each) => (each.length === 0 ? [] : [...each, '']));
  return lines.length === 0 ? [{ text: 'nothing was said yet', style: 'dim' }] : lines;
}

/** The lines of a notice, and the columns that they were made for: each frame asks for all of them. */
const MADE = new WeakMap<Notice, { columns: number; lines: Line[] }>();

function noticeBlock(notice: Notice, folder: string, columns: number): Line[] {
  const made = MADE.get(notice);
  if (made?.columns === columns) return made.lines;
  const lines = linesOf(notice, folder, columns);
  MADE.set(notice, { columns, lines });
  return lines;
}

function linesOf({ text, style, result }: Notice, folder: string, columns: number): Line[] {
  if (result === undefined) return textLines(text, '', style, columns);
  const { words, exit, output } = result;
  const ending = `${exit === 0 ? 'done' : `ended with exit ${exit}`}, in ${folder}`;
  return [
    ...block(commandOf(words), ending, style, columns),
    ...textLines(output.trimEnd(), '  ', undefined, columns),
  ];
}

function commandOf(words: readonly string[]): string {
  return `arx ${shellLine(words)}`;
}

/** Returns a heading with a text below it; nothing where there is no text. */
function block(heading: string, text: string, style: Style, columns: number): Line[] {
  if (text === '') return [];
  return [...textLines(heading, '', 'head', columns), ...textLines(text, '  ', style, columns)];
}

/** Returns a text in as many lines as it takes. */
function textLines(text: string, indent: string, style: Style | undefined, columns: number): Line[] {
  if (text === '') return [];
  const lines = text.split('\n').map((line): Line => ({ text: `${indent}${line}`, style }));
  return lines.flatMap((line) => wrapLine(line, columns, { breaksWords: true }));
}
