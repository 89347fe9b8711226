// Draws rows as a table for people, chunk by chunk, so that memory does not grow with the list.
import type { Paint } from './styled-line.ts';
import type { Canvas } from './capabilities.ts';
import { truncate, escapeText, textWidth } from './escape.ts';
import { cellText, styleOf, type Column, type View } from '../views/view.ts';

const CHUNK_ROWS = 100;
const GAP = 2;
/** A cell is never wider than this, even where the line is not limited. */
const MAX_CELL_COLUMNS = 200;

/**
 * Yields the table in chunks of whole lines. Column widths fit the rows of a chunk and never shrink in later chunks. Where the
 * screen is too narrow, the widest columns are shortened. Without rows nothing is yielded. Where `rows` throws, the rows
 * before that are drawn first.
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
      if (chunk.length === CHUNK_ROWS) {
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
    const texts = rows.map((row) =>
      columns.map((column) => truncate(shownText(column, row), MAX_CELL_COLUMNS)),
    );
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
    const lines = table.toString().split('\n');
    const text = lines.map((line) => `${line.trimEnd()}\n`).join('');
    return text.replaceAll(STAND_INS, () => cells.shift() ?? '');
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

/** Narrows the widest columns first, down to the minimum of each. A screen narrower than that wraps the lines. */
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
      if (each > (columns[index]?.minColumns ?? 6) && each > (widths[widest] ?? 0)) widest = index;
    if (widest < 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
