// Rows as a table for people, drawn in chunks so that memory and time stay flat however long the list is.
import type { Paint } from './styled-line.ts';
import type { Canvas } from './capabilities.ts';
import { truncate, escapeText, textWidth } from './escape.ts';
import { cellText, styleOf, type Column, type View } from '../views/view.ts';

const CHUNK = 100;
const GAP = 2;
/** A cell is never wider, even where no terminal limits the line. */
const MOST = 200;

/**
 * Yields chunks of whole lines. Widths follow the rows of a chunk and never shrink from one chunk to the next;
 * where the screen is too narrow the widest columns are cut. No rows, no text. Rows that came before a failure
 * of `rows` are drawn before it is thrown on.
 */
export async function* drawTable<T>(
  view: View<T>,
  rows: Iterable<T> | AsyncIterable<T>,
  screen: Canvas,
  paint: Paint,
): AsyncGenerator<string> {
  const draw = await drawing(view.columns, screen, paint);
  let chunk: T[] = [];
  try {
    for await (const row of rows) {
      chunk.push(row);
      if (chunk.length === CHUNK) {
        yield draw(chunk);
        chunk = [];
      }
    }
  } catch (error) {
    if (chunk.length > 0) yield draw(chunk);
    throw error;
  }
  if (chunk.length > 0) yield draw(chunk);
}

async function drawing<T>(
  columns: readonly Column<T>[],
  screen: Canvas,
  paint: Paint,
): Promise<(rows: readonly T[]) => string> {
  const { default: Table } = await import('cli-table3');
  const rule = screen.unicode ? '─' : '-';
  let natural = columns.map((column) => textWidth(heading(column)));
  let isFirst = true;
  return (rows) => {
    const texts = rows.map((row) => columns.map((column) => truncate(shownText(column, row), MOST)));
    natural = natural.map((least, index) =>
      texts.reduce((most, row) => Math.max(most, textWidth(row[index] ?? '')), least),
    );
    const widths = fitted(natural, columns, screen.columns);
    // The library measures characters by older rules than terminals do, so it lays out stand-ins of our own width.
    const cells: string[] = [];
    const standIn = (text: string, index: number, painting: (shown: string) => string): string => {
      const shown = truncate(text, widths[index] ?? 0);
      if (shown !== '') cells.push(painting(shown));
      return STAND_IN.repeat(textWidth(shown));
    };
    const table = new Table({
      head: isFirst
        ? columns.map((column, index) => standIn(heading(column), index, (shown) => paint(shown, 'head')))
        : [],
      colWidths: widths,
      colAligns: columns.map((column) => column.align ?? 'left'),
      chars: { ...NO_LINES, ...(isFirst ? { mid: rule, 'mid-mid': ' '.repeat(GAP) } : {}) },
      style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    });
    for (const [at, row] of rows.entries())
      table.push(
        columns.map((column, index) =>
          standIn(texts[at]?.[index] ?? '', index, (shown) => paint(shown, styleOf(column, row))),
        ),
      );
    isFirst = false;
    return `${table.toString()}\n`.replaceAll(/ +\n/g, '\n').replaceAll(STAND_INS, () => cells.shift() ?? '');
  };
}

// A private-use character: shown text never holds one.
const STAND_IN = '\ue000';
const STAND_INS = /\ue000+/g;

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(GAP),
} as const;

function heading<T>(column: Column<T>): string {
  return escapeText(column.name.replaceAll('_', ' ')).toUpperCase();
}

function shownText<T>(column: Column<T>, row: T): string {
  return escapeText(column.shown?.(row) ?? cellText(column.of(row)));
}

/** Takes from the widest column first, down to what each keeps at least; a screen too narrow for that wraps. */
function fitted<T>(
  natural: readonly number[],
  columns: readonly Column<T>[],
  room: number | undefined,
): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, each) => sum + each, GAP * (widths.length - 1)) - (room ?? Infinity);
  for (; excess > 0; excess -= 1) {
    let widest = -1;
    for (const [index, each] of widths.entries())
      if (each > (columns[index]?.least ?? 6) && each > (widths[widest] ?? 0)) widest = index;
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
