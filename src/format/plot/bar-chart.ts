// Plots for terminals: horizontal bars, and the drift of a sequence.
import { barsOnAxes, legend, plotColumns } from './axes.ts';
import { formatCount, formatPercent, plural } from '../numbers.ts';
import type { Line, Span } from '../terminal/styled-line.ts';
import type { Canvas } from '../terminal/capabilities.ts';
import { truncate, escapeText, textWidth } from '../terminal/escape.ts';

const LEFT_EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

const widest = (texts: readonly string[]): number =>
  texts.reduce((width, text) => Math.max(width, textWidth(text)), 0);

/** Returns horizontal bars with labels and values, in the given order. The longest bar fills the line. */
export function bars(items: readonly { label: string; value: number }[], canvas: Canvas): Line[] {
  const most = items.reduce((largest, { value }) => Math.max(largest, value), 0);
  const labels = items.map(({ label }) => truncate(escapeText(label), 32));
  const figures = items.map(({ value }) => formatCount(value));
  const labelWidth = widest(labels);
  const figureWidth = widest(figures);
  const room = Math.max(4, Math.min(60, plotColumns(canvas) - labelWidth - figureWidth - 4));
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
      ' '.repeat(labelWidth - textWidth(label) + 2),
      figure.padStart(figureWidth),
      '  ',
      { text: bar, style: 'id' },
    ];
  });
}

/** A checked position, and the reported position minus the checked one. */
export type Displacement = { checked: number; offset: number };

/** Rows above and below the zero line together; one more where both are rounded up. */
const DRIFT_ROWS = 12;

/**
 * Returns a plot of a sequence, at most 18 lines: checked positions from left to right, and for each one how far the reported
 * position is after it (up) or before it (down). `rows` must be in ascending order of `checked`.
 */
export function driftPlot(name: string, rows: readonly Displacement[], canvas: Canvas): Line[] {
  const title = { text: escapeText(name), style: 'head' } as const;
  if (rows.length === 0) return [[title, ': no positions']];
  const displaced = rows.filter(({ offset }) => offset !== 0).length;
  const verdict: Span =
    displaced === 0
      ? { text: 'each at its reported place', style: 'good' }
      : {
          text: `${formatCount(displaced)} displaced (${formatPercent(displaced / rows.length)})`,
          style: 'warn',
        };
  const late = rows.reduce((most, { offset }) => Math.max(most, offset), 0);
  const early = rows.reduce((most, { offset }) => Math.max(most, -offset), 0);
  const axes = {
    up: { label: `+${formatCount(late)}`, style: 'warn' },
    down: { label: `-${formatCount(early)}`, style: 'id' },
    // One scale for both sides, so that equal heights are equal offsets.
    perRow: Math.max(1, (late + early) / DRIFT_ROWS),
    ruler: {
      name: 'checked position',
      first: formatCount(rows[0]?.checked ?? 0),
      last: formatCount(rows.at(-1)?.checked ?? 0),
    },
  } as const;
  const bars = rows.map(({ offset }) => ({ up: Math.max(0, offset), down: Math.max(0, -offset) }));
  return [
    [title, `: ${plural(rows.length, 'position')}, `, verdict],
    ...barsOnAxes(bars, axes, canvas),
    ...legend(
      late > 0 ? { text: 'reported after its place', style: 'warn' } : undefined,
      early > 0 ? { text: 'reported before its place', style: 'id' } : undefined,
      canvas,
    ),
  ];
}
