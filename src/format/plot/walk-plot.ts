// Plots a frozen walk for a terminal: the reported drift and the reads of each window.
import type { PlotReport } from '../../contract/reports/walk.ts';
import { barsOnAxes, labelWidth, legend } from './axes.ts';
import { formatCount, plural, formatSignificant } from '../numbers.ts';
import type { Line } from '../terminal/styled-line.ts';
import type { Canvas } from '../terminal/capabilities.ts';

const DRIFT_ROWS = 5;
const COST_ROWS = 7;
/** Smaller drift is drawn as this much, since a scale cannot be arbitrarily small. */
const MIN_DRIFT = 1e-12;

/** Returns two plots below each other, windows from left to right, at most 24 lines. */
export function walkPlot(report: PlotReport, canvas: Canvas): Line[] {
  const { walk, windows, drift } = report;
  const title: Line = [
    { text: walk.dir, style: 'head' },
    `: ${plural(walk.conversations, 'row')} in ${plural(walk.windows, 'window')}, `,
    walk.complete ? { text: 'complete', style: 'good' } : { text: 'end not recorded', style: 'warn' },
  ];
  if (windows.length === 0) return [title];
  const ruler = { name: 'window', first: '1', last: formatCount(windows.length) };
  const most = {
    drift: Math.max(0, drift.max ?? 0),
    reads: windows.reduce((found, { reads }) => Math.max(found, reads), 0),
    disagreements: windows.reduce((found, { disagreements }) => Math.max(found, disagreements), 0),
  };
  const labels = {
    drift: formatSignificant(most.drift),
    reads: formatCount(most.reads),
    disagreements: formatCount(most.disagreements),
  };
  const margin = labelWidth(Object.values(labels));
  const drifts = windows.map(({ drift_ratio }) => ({
    up: Math.max(0, drift_ratio ?? 0),
    down: 0,
    known: drift_ratio !== null,
  }));
  const costs = windows.map(({ reads, disagreements }) => ({ up: reads, down: disagreements }));
  return [
    title,
    driftLine(report),
    ...barsOnAxes(
      drifts,
      {
        up: { label: labels.drift, style: 'warn' },
        down: { label: '', style: 'warn' },
        perRow: Math.max(most.drift / DRIFT_ROWS, MIN_DRIFT),
        ruler,
        margin,
      },
      canvas,
    ),
    '',
    `${plural(report.reads, 'read')}, ${plural(report.disagreements, 'disagreement')}`,
    ...barsOnAxes(
      costs,
      {
        up: { label: labels.reads, style: 'id' },
        down: { label: labels.disagreements, style: 'bad' },
        // One scale for both sides, so that equal heights are equal counts.
        perRow: Math.max(1, (most.reads + most.disagreements) / COST_ROWS),
        ruler,
        margin,
      },
      canvas,
    ),
    ...legend(
      most.reads > 0 ? { text: 'reads', style: 'id' } : undefined,
      most.disagreements > 0 ? { text: 'disagreements', style: 'bad' } : undefined,
      canvas,
    ),
  ];
}

function driftLine({ drift: { first, last, max } }: PlotReport): string {
  if (first === null || last === null || max === null) return 'drift: none reported';
  return `drift reported: ${formatSignificant(first)} first, ${formatSignificant(last)} last, ${formatSignificant(max)} highest`;
}
