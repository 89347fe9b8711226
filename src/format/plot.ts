// Numbers as pictures a terminal can hold: sparklines, bars, the drift of a sequence and of a walk.
import { grouped, percent, plural } from './figures.ts';
import { aligned, type Line, type Span } from './line.ts';
import type { Canvas } from './screen.ts';
import { cut, showText, width } from './terminal.ts';

const EIGHTHS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII_STEPS = ['_', '.', ':', '-', '=', '+', '*', '#'];
const LEFT_EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const MOST_COLUMNS = 100;

/** One character a value from `least` to `most` (by default those of the values); more values than columns share one, the largest shows. */
export function sparkline(
  values: readonly number[],
  canvas: Canvas,
  range?: { least: number; most: number },
): string {
  const buckets = bucketed(values, roomOf(canvas)).map((bucket) =>
    bucket.reduce((most, each) => Math.max(most, each)),
  );
  const least = range?.least ?? Math.min(...buckets);
  const most = range?.most ?? Math.max(...buckets);
  const steps = canvas.unicode ? EIGHTHS : ASCII_STEPS;
  return buckets
    .map((value) => steps[most > least ? Math.round(((value - least) / (most - least)) * 7) : 0] ?? steps[7])
    .join('');
}

/** Horizontal bars with their labels and values, in the order given; the longest fills the room that is left. */
export function bars(items: readonly { label: string; value: number }[], canvas: Canvas): Line[] {
  const most = Math.max(0, ...items.map(({ value }) => value));
  const labels = items.map(({ label }) => cut(showText(label), 32));
  const figures = items.map(({ value }) => grouped(value));
  const labelWidth = Math.max(0, ...labels.map(width));
  const figureWidth = Math.max(0, ...figures.map(width));
  const room = Math.max(4, Math.min(60, roomOf(canvas) - labelWidth - figureWidth - 4));
  return items.map(({ value }, index): Line => {
    const label = labels[index] ?? '';
    const figure = figures[index] ?? '';
    const eighths =
      most > 0 ? Math.max(value > 0 ? 1 : 0, Math.round((Math.max(0, value) / most) * room * 8)) : 0;
    const bar = canvas.unicode
      ? '█'.repeat(Math.floor(eighths / 8)) + (LEFT_EIGHTHS[eighths % 8] ?? '')
      : '#'.repeat(Math.ceil(eighths / 8));
    return [
      label,
      ' '.repeat(labelWidth - width(label) + 2),
      figure.padStart(figureWidth),
      '  ',
      { text: bar, style: 'id' },
    ];
  });
}

export type Displacement = { checked: number; offset: number };

/** Rows above and below the zero line together, one more where both are rounded up. */
const DRIFT_ROWS = 12;

/**
 * A sequence drawn: checked positions from left to right, for each (or each bucket of several) how far the reported
 * position lies after it (up) or before it (down). `rows` come in ascending order of `checked`. At most 18 lines.
 */
export function driftPlot(name: string, rows: readonly Displacement[], canvas: Canvas): Line[] {
  const title = { text: showText(name), style: 'head' } as const;
  if (rows.length === 0) return [[title, ': no positions']];
  const displaced = rows.filter(({ offset }) => offset !== 0).length;
  const count = plural(rows.length, 'position');
  const verdict: Span =
    displaced === 0
      ? { text: 'each where it is reported', style: 'good' }
      : { text: `${grouped(displaced)} displaced (${percent(displaced / rows.length)})`, style: 'warn' };
  const late = rows.reduce((most, { offset }) => Math.max(most, offset), 0);
  const early = rows.reduce((most, { offset }) => Math.max(most, -offset), 0);
  const labels = { late: `+${grouped(late)}`, zero: '0', early: `-${grouped(early)}` };
  const margin =
    Math.max(...[labels.zero, late > 0 ? labels.late : '', early > 0 ? labels.early : ''].map(width)) + 1;
  const room = Math.max(4, roomOf(canvas) - margin - 3);
  const buckets = bucketed(rows, room);
  const ups = buckets.map((bucket) => bucket.reduce((most, { offset }) => Math.max(most, offset), 0));
  const downs = buckets.map((bucket) => bucket.reduce((most, { offset }) => Math.max(most, -offset), 0));
  // Few positions get broad bars, so that a short sequence is still a picture.
  const cell = Math.max(1, Math.min(4, Math.floor(room / buckets.length)));
  // One scale for both sides, so that equal heights are equal offsets.
  const perRow = Math.max(1, (late + early) / DRIFT_ROWS);
  const scale = { upRows: upward(late / perRow), downRows: upward(early / perRow) };
  const glyph = canvas.unicode ? UNICODE_GLYPHS : ASCII_GLYPHS;
  const axis = (label: string, mark: string): Span => ({
    text: `${label.padStart(margin)} ${mark}`,
    style: 'dim',
  });

  const above = Array.from({ length: scale.upRows }, (_, index): Line => {
    const base = (scale.upRows - 1 - index) * 2;
    const text = ups.map((up) => stroke(halves(up, perRow) - base, glyph.rise, glyph.full, cell)).join('');
    return [
      axis(index === 0 ? labels.late : '', index === 0 ? glyph.tick : glyph.side),
      { text: text.trimEnd(), style: 'warn' },
    ];
  });
  const zero: Line = [
    axis(labels.zero, glyph.cross),
    { text: glyph.line.repeat(buckets.length * cell), style: 'dim' },
  ];
  const below = Array.from({ length: scale.downRows }, (_, index): Line => {
    const base = index * 2;
    const text = downs
      .map((down) => stroke(halves(down, perRow) - base, glyph.fall, glyph.full, cell))
      .join('');
    const isLast = index === scale.downRows - 1;
    return [
      axis(isLast ? labels.early : '', isLast ? glyph.tick : glyph.side),
      { text: text.trimEnd(), style: 'id' },
    ];
  });
  const first = grouped(rows[0]?.checked ?? 0);
  const last = grouped(rows.at(-1)?.checked ?? 0);
  const span = buckets.length * cell;
  const ruler = `${' '.repeat(margin + 2)}${first}${rows.length > 1 ? last.padStart(Math.max(last.length + 1, span - first.length)) : ''}`;
  const share =
    rows.length > buckets.length
      ? `, about ${grouped(Math.round(rows.length / buckets.length))} a column`
      : '';
  return [
    [title, `: ${count}, `, verdict],
    ...above,
    zero,
    ...below,
    { text: ruler, style: 'dim' },
    { text: `${' '.repeat(margin + 2)}checked position${share}`, style: 'dim' },
    ...legend(late, early, glyph),
  ];
}

function legend(late: number, early: number, glyph: { up: string; down: string }): Line[] {
  const up: Span[] = late > 0 ? [{ text: glyph.up, style: 'warn' }, ' reported after its place'] : [];
  const down: Span[] = early > 0 ? [{ text: glyph.down, style: 'id' }, ' reported before its place'] : [];
  return up.length + down.length === 0
    ? []
    : [[...up, ...(up.length > 0 && down.length > 0 ? ['   '] : []), ...down]];
}

const UNICODE_GLYPHS = {
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
const ASCII_GLYPHS = {
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

/** One cell of a bar of which so many half rows lie at or beyond this row. */
function stroke(halves: number, half: string, full: string, cell: number): string {
  const mark = halves <= 0 ? ' ' : halves === 1 ? half : full;
  return cell < 3 ? mark.repeat(cell) : `${mark.repeat(cell - 1)} `;
}

/** The height in half rows; what is displaced at all shows. */
function halves(value: number, perRow: number): number {
  return upward((value / perRow) * 2);
}

/** Rounds up what is more than an error of division above a whole number. */
function upward(value: number): number {
  return Math.ceil(value - 1e-9);
}

export type WalkedWindow = { drift_ratio?: number | null | undefined; reads: number };

/** A walk drawn: the drift the service reported and the reads each window took, window by window. */
export function walkPlot(windows: readonly WalkedWindow[], canvas: Canvas): Line[] {
  if (windows.length === 0) return ['no windows'];
  const drifts = windows.map(({ drift_ratio }) => drift_ratio ?? 0);
  const reads = windows.map((window) => window.reads);
  const room = { ...canvas, columns: Math.max(4, Math.min(60, roomOf(canvas) - 40)) };
  const mostDrift = drifts.reduce((most, each) => Math.max(most, each), 0);
  const mostReads = reads.reduce((most, each) => Math.max(most, each), 0);
  const total = reads.reduce((sum, each) => sum + each, 0);
  return aligned([
    [
      { text: 'drift', style: 'dim' },
      { text: sparkline(drifts, room, { least: 0, most: Math.max(mostDrift, 0.01) }), style: 'warn' },
      `${ratio(drifts[0])} to ${ratio(drifts.at(-1))}, most ${ratio(mostDrift)}`,
    ],
    [
      { text: 'reads', style: 'dim' },
      { text: sparkline(reads, room, { least: 0, most: Math.max(mostReads, 1) }), style: 'id' },
      `${plural(total, 'read')}, ${plural(windows.length, 'window')}, most ${grouped(mostReads)} a window`,
    ],
  ]);
}

function ratio(value: number | undefined): string {
  return String(Math.round((value ?? 0) * 1000) / 1000);
}

/** Values in as many buckets as there are columns, in order, none empty. */
function bucketed<T>(values: readonly T[], columns: number): T[][] {
  const count = Math.min(values.length, columns);
  return Array.from({ length: count }, (_, index) =>
    values.slice(
      Math.floor((index * values.length) / count),
      Math.floor(((index + 1) * values.length) / count),
    ),
  );
}

function roomOf({ columns }: Canvas): number {
  return Math.max(8, Math.min(MOST_COLUMNS, columns ?? MOST_COLUMNS));
}
