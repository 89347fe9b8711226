// Plots bars above and below a zero line, with labelled axes.
import { formatCount } from '../numbers.ts';
import type { Line, Span, Style } from '../terminal/styled-line.ts';
import type { Canvas } from '../terminal/capabilities.ts';
import { textWidth } from '../terminal/escape.ts';

const MAX_PLOT_COLUMNS = 100;

/** How far a bar reaches up and down from zero, both at least 0. `known: false` leaves a gap in the zero line. */
export type Bar = { up: number; down: number; known?: boolean };

/** The labels and the scale of a plot. */
export type Axes = {
  /** Label of the largest value above, and below, zero. */
  up: { label: string; style: Style };
  down: { label: string; style: Style };
  /** The value of one row of characters. */
  perRow: number;
  /** What the bars are, from left to right, and the labels of the first and the last one. */
  ruler: { name: string; first: string; last: string };
  /** Minimum width of the labels, so that plots below each other are aligned. */
  margin?: number;
};

/** Returns a plot. Where there are more bars than columns, each column shows its largest bar. It fits 20 columns. */
export function barsOnAxes(bars: readonly Bar[], axes: Axes, canvas: Canvas): Line[] {
  const { up, down, perRow, ruler } = axes;
  const most = bars.reduce(
    (found, bar) => ({ up: Math.max(found.up, bar.up), down: Math.max(found.down, bar.down) }),
    { up: 0, down: 0 },
  );
  const margin = Math.max(
    labelWidth(['0', most.up > 0 ? up.label : '', most.down > 0 ? down.label : '']),
    axes.margin ?? 0,
  );
  const room = Math.max(4, plotColumns(canvas) - margin - 3);
  const columns = splitIntoBuckets(bars, room).map((bucket) => ({
    up: bucket.reduce((found, bar) => Math.max(found, bar.up), 0),
    down: bucket.reduce((found, bar) => Math.max(found, bar.down), 0),
    known: bucket.some(({ known }) => known !== false),
  }));
  // A few bars are drawn wider.
  const cell = Math.max(1, Math.min(4, Math.floor(room / columns.length)));
  const glyph = canvas.unicode ? UNICODE : ASCII;
  const axis = (label: string, mark: string): Span => ({
    text: `${label.padStart(margin)} ${mark}`,
    style: 'dim',
  });
  const upRows = upward(most.up / perRow);
  const downRows = upward(most.down / perRow);
  const above = Array.from({ length: upRows }, (_, index): Line => {
    const base = (upRows - 1 - index) * 2;
    const text = columns.map((column) => stroke(halves(column.up, perRow) - base, glyph.rise, glyph, cell));
    const isFirst = index === 0;
    return [
      axis(isFirst ? up.label : '', isFirst ? glyph.tick : glyph.side),
      { text: text.join('').trimEnd(), style: up.style },
    ];
  });
  const zero = columns.map(({ known }) => (known ? glyph.line : ' ').repeat(cell)).join('');
  const below = Array.from({ length: downRows }, (_, index): Line => {
    const text = columns.map((column) =>
      stroke(halves(column.down, perRow) - index * 2, glyph.fall, glyph, cell),
    );
    const isLast = index === downRows - 1;
    return [
      axis(isLast ? down.label : '', isLast ? glyph.tick : glyph.side),
      { text: text.join('').trimEnd(), style: down.style },
    ];
  });
  const indent = ' '.repeat(margin + 2);
  const { first, last } = ruler;
  const span = columns.length * cell;
  const end = bars.length > 1 ? last.padStart(Math.max(last.length + 1, span - first.length)) : '';
  const share =
    bars.length > columns.length
      ? `, about ${formatCount(Math.round(bars.length / columns.length))} a column, the largest shown`
      : '';
  return [
    ...above,
    [axis('0', glyph.cross), { text: zero.trimEnd(), style: 'dim' }],
    ...below,
    { text: `${indent}${first}${end}`, style: 'dim' },
    { text: `${indent}${ruler.name}${share}`, style: 'dim' },
  ];
}

/** Returns the columns that the widest label takes beside an axis. */
export function labelWidth(labels: readonly string[]): number {
  return Math.max(...labels.map(textWidth)) + 1;
}

/** Returns a line that says what the bars above and below zero mean. */
export function legend(up: Meaning | undefined, down: Meaning | undefined, canvas: Canvas): Line[] {
  const glyph = canvas.unicode ? UNICODE : ASCII;
  const of = (mark: string, meaning: Meaning | undefined): Span[] =>
    meaning === undefined ? [] : [{ text: mark, style: meaning.style }, ` ${meaning.text}`];
  const parts = [of(glyph.up, up), of(glyph.down, down)].filter((spans) => spans.length > 0);
  return parts.length === 0 ? [] : [parts.flatMap((spans, index) => (index > 0 ? ['   ', ...spans] : spans))];
}

type Meaning = { text: string; style: Style };

/** Returns the values in at most `columns` buckets of about equal size, in order; none is empty. */
export function splitIntoBuckets<T>(values: readonly T[], columns: number): T[][] {
  const count = Math.min(values.length, columns);
  return Array.from({ length: count }, (_, index) =>
    values.slice(
      Math.floor((index * values.length) / count),
      Math.floor(((index + 1) * values.length) / count),
    ),
  );
}

/** Returns the width of a plot on this screen. */
export function plotColumns({ columns }: Canvas): number {
  return Math.max(8, Math.min(MAX_PLOT_COLUMNS, columns ?? MAX_PLOT_COLUMNS));
}

const UNICODE = {
  full: '█',
  rise: '▄',
  fall: '▀',
  line: '─',
  cross: '┼',
  side: '│',
  tick: '┤',
  up: '▲',
  down: '▼',
};
const ASCII: typeof UNICODE = {
  full: '#',
  rise: '.',
  fall: "'",
  line: '-',
  cross: '+',
  side: '|',
  tick: '+',
  up: '^',
  down: 'v',
};

/** A cell of a bar. `halves` is how many half rows of the bar are left in this row and beyond. */
function stroke(halves: number, half: string, { full }: typeof UNICODE, cell: number): string {
  const mark = halves <= 0 ? ' ' : halves === 1 ? half : full;
  return cell < 3 ? mark.repeat(cell) : `${mark.repeat(cell - 1)} `;
}

/** The height in half rows, at least 1 for a value above 0. */
function halves(value: number, perRow: number): number {
  return upward((value / perRow) * 2);
}

/** Rounds up, but ignores errors of floating-point division. */
function upward(value: number): number {
  return Math.ceil(value - 1e-9);
}
