// Draws rows as a table for people, chunk by chunk, so that memory does not grow with the list.
import { UTC_INSTANTS, zonedHeading } from '../instants.ts';
import { pagesOf, type Rows } from '../rows.ts';
import { isSoon } from '../sink-writer.ts';
import { cellText, linkOf, styleOf, type Column, type View } from '../views/view.ts';
import type { Canvas } from './capabilities.ts';
import { GAP, isWhole, layoutColumns, type PlacedColumn } from './column-layout.ts';
import { truncate, escapeText, textWidth } from './escape.ts';
import type { Paint } from './styled-line.ts';
import { wrapText } from './wrap.ts';

const CHUNK_ROWS = 100;
/** A cell is never wider than this, even where the line is not limited. */
const MAX_CELL_COLUMNS = 200;
/** Stands at the end of the heading where columns are left out. */
const LEFT_OUT = '…';

/**
 * Yields the table in chunks of whole lines; rows that are followed by a pause are a chunk. Column widths fit the rows of a
 * chunk and never shrink in later chunks. Where the screen is too narrow, values are shortened and columns are left out; where
 * not even the essential columns fit, each row is a record of lines, one under the other. Without rows nothing is yielded.
 * Where `rows` throws, the rows before that are drawn first.
 */
export async function* drawTable<T>(
  view: View<T>,
  rows: Rows<T>,
  screen: Canvas,
  paint: Paint,
): AsyncGenerator<string> {
  const draw = await drawing(view.columns, screen, paint);
  let chunk: T[] = [];
  const source = pagesOf(rows);
  let isEnd = false;
  try {
    while (!isEnd) {
      const next = source.next();
      if (chunk.length > 0 && !(await isSoon(next))) {
        // A failure is thrown by the next await, after what is yielded here.
        next.catch(() => {});
        yield draw(chunk);
        chunk = [];
      }
      const { done, value } = await next.catch((error: unknown) => {
        isEnd = true;
        throw error;
      });
      if (done === true) isEnd = true;
      else
        for (const row of value) {
          if (chunk.length === CHUNK_ROWS) {
            yield draw(chunk);
            chunk = [];
          }
          chunk.push(row);
        }
    }
  } catch (error) {
    if (chunk.length > 0) yield draw(chunk);
    throw error;
  } finally {
    if (!isEnd) await source.return(undefined);
  }
  if (chunk.length > 0) yield draw(chunk);
}

/** Returns the text of a cell with its colours. */
type Painting = (shown: string, place: PlacedColumn) => string;

/** A cell that is not yet cut, and the columns that it takes. */
type Text = { text: string; width: number };
type Texts = readonly Text[];
const NO_TEXT: Text = { text: '', width: 0 };

function measured(text: string): Text {
  return { text, width: textWidth(text) };
}

/** What the library draws around the values: the lines above them, with stand-ins for headings, and the text between columns. */
type Frame = { key: string; top: readonly string[]; gaps: readonly string[] };

async function drawing<T>(
  columns: readonly Column<T>[],
  screen: Canvas,
  paint: Paint,
): Promise<(rows: readonly T[]) => string> {
  const { default: Table } = await import('cli-table3');
  const rule = screen.unicode ? '─' : '-';
  const zones = columns.map(() => new Set<number>());
  let natural = columns.map(() => 0);
  let frame: Frame | undefined;
  /** The heading that is on the screen. */
  let drawn = '';

  return (rows) => {
    const texts = rows.map((row) =>
      columns.map((column, index) =>
        measured(truncate(escapeText(shownText(column, row, screen, zones[index])), MAX_CELL_COLUMNS)),
      ),
    );
    const headings = columns.map((column, index) => headingOf(column, zones[index]));
    natural = natural.map((least, index) =>
      texts.reduce(
        (most, row) => Math.max(most, (row[index] ?? NO_TEXT).width),
        Math.max(least, textWidth(headings[index] ?? '')),
      ),
    );
    const placed = layoutColumns(columns, natural, screen.columns, textWidth(LEFT_OUT));
    const heading = placed === undefined ? 'records' : placed.map(({ index }) => headings[index]).join('\n');
    const isFirst = drawn === '';
    const isNew = drawn !== heading;
    drawn = heading;
    const lead = isNew && !isFirst ? '\n' : '';
    if (placed === undefined) return `${isFirst ? '' : '\n'}${asRecords(rows, texts, headings)}`;
    return `${lead}${asTable(rows, texts, headings, placed, isNew)}`;
  };

  function asTable(
    rows: readonly T[],
    texts: readonly Texts[],
    headings: readonly string[],
    placed: readonly PlacedColumn[],
    hasHeading: boolean,
  ): string {
    const isPart = placed.length < columns.length;
    const mark = { index: -1, width: textWidth(LEFT_OUT) };
    const layout = isPart ? [...placed, mark] : placed;
    const widths = layout.map(({ width }) => width);
    const key = `${hasHeading} ${widths.join(' ')}`;
    if (frame?.key !== key) frame = frameOf(widths, hasHeading, key);
    const { top: topLines, gaps } = frame;

    const lineOf = (textOf: (place: PlacedColumn) => Text, painting: Painting): string => {
      let line = '';
      let end = 0;
      for (const [at, place] of layout.entries()) {
        const whole = textOf(place);
        const { text: shown, width } =
          whole.width <= place.width ? whole : measured(truncate(whole.text, place.width));
        const blank = ' '.repeat(Math.max(0, place.width - width));
        const isRight = columns[place.index]?.align === 'right';
        line += `${gaps[at]}${isRight ? blank : ''}${shown === '' ? '' : painting(shown, place)}`;
        if (shown !== '') end = line.length;
        if (!isRight) line += blank;
      }
      return `${line.slice(0, end)}\n`;
    };
    const head = lineOf(
      ({ index }) => measured(headings[index] ?? LEFT_OUT),
      (shown) => paint(shown, 'head'),
    );
    const top = topLines.map((line) => (line.includes(STAND_IN) ? head : `${line}\n`));
    const body = rows.map((row, at) =>
      lineOf(
        ({ index }) => texts[at]?.[index] ?? NO_TEXT,
        (shown, { index }) => {
          const column = columns[index];
          return column === undefined ? shown : paint(shown, styleOf(column, row), linkOf(column, row));
        },
      ),
    );
    return [...top, ...body].join('');
  }

  /**
   * The library draws the lines around one row of stand-ins, which each row of values then takes the place of: it measures
   * characters by older rules than terminals do, and takes 80 µs of CPU for a row.
   */
  function frameOf(widths: number[], hasHeading: boolean, key: string): Frame {
    const stencil = widths.map((width) => STAND_IN.repeat(width));
    const table = new Table({
      head: hasHeading ? stencil : [],
      colWidths: widths,
      chars: { ...NO_LINES, ...(hasHeading ? { mid: rule, 'mid-mid': ' '.repeat(GAP) } : {}) },
      style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
    });
    table.push(stencil);
    const lines = table.toString().split('\n');
    return { key, top: lines.slice(0, -1), gaps: (lines.at(-1) ?? '').split(STAND_INS) };
  }

  /** A value that must stay whole has a line of its own where it does not fit beside its name. */
  function asRecords(rows: readonly T[], texts: readonly Texts[], headings: readonly string[]): string {
    const names = headings.map((heading) => truncate(heading, screen.columns ?? Infinity));
    const nameWidth = names.reduce((widest, name) => Math.max(widest, textWidth(name)), 0);
    const room = (screen.columns ?? Infinity) - nameWidth - GAP;
    const record = (row: T, cells: Texts): string =>
      columns
        .flatMap((column, index) => {
          const { text, width } = cells[index] ?? NO_TEXT;
          if (text === '') return [];
          const name = names[index] ?? '';
          const painted = (shown: string): string => paint(shown, styleOf(column, row), linkOf(column, row));
          const label = paint(name, 'head');
          if (width > room && (isWhole(column) || room < MIN_VALUE_COLUMNS))
            return [label, painted(isWhole(column) ? text : truncate(text, screen.columns ?? Infinity))];
          const indent = ' '.repeat(nameWidth - textWidth(name) + GAP);
          const [first = '', ...more] = wrapText(text, room);
          return [
            `${label}${indent}${painted(first)}`,
            ...more.map((line) => ' '.repeat(nameWidth + GAP) + painted(line.trimStart())),
          ];
        })
        .map((line) => `${line}\n`)
        .join('');
    return rows.map((row, at) => record(row, texts[at] ?? [])).join('\n');
  }
}

/** Fewer columns of a value beside its name say nothing. */
const MIN_VALUE_COLUMNS = 10;

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

function headingOf<T>(column: Column<T>, zones: ReadonlySet<number> | undefined): string {
  const name = escapeText(column.name.replaceAll('_', ' ')).toUpperCase();
  return zones === undefined ? name : zonedHeading(name, zones);
}

/** Returns the text of a cell. The zone of an instant is added to `zones`. */
function shownText<T>(
  column: Column<T>,
  row: T,
  { instants = UTC_INSTANTS }: Canvas,
  zones: Set<number> | undefined,
): string {
  const instant = column.instant?.(row) ?? undefined;
  if (instant !== undefined) {
    const { text, offset } = instants.show(instant, column.precision);
    if (offset !== undefined) zones?.add(offset);
    return text;
  }
  return column.shown?.(row) ?? cellText(column.of(row));
}
